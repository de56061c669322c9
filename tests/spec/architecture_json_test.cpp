#include <gmock/gmock.h>

#include <cstdlib>

#include "core/mixers/builtin.h"
#include "core/spec/architecture.h"
#include "core/spec/shorthand.h"
#include "core/spec/validate.h"
#include "tests/spec/random_architecture.h"

namespace braid {
namespace {

using testing::ElementsAre;

const MixerCatalog& mixers() { return builtin_mixers(); }

ArchitectureSpec made(std::string_view pattern, const char* scale = "S1") {
    return instantiate(*parse_pattern(pattern, mixers()), *find_scale(scale));
}

std::vector<std::string> problems(const std::string& text) {
    const auto spec = architecture_from_json(Json::parse(text));
    std::vector<std::string> messages;
    if (!spec)
        for (const Diagnostic& each : spec.error()) messages.push_back(each.message());
    return messages;
}

TEST(ArchitectureJson, AFileOfTheFirstSchemaStillOpens) {
    ASSERT_NE(std::getenv("BRAID_SOURCE_DIR"), nullptr) << "run by ctest";
    const std::string folder = std::getenv("BRAID_SOURCE_DIR");
    const auto json = read_json(folder + "/tests/golden/architecture_v1.json");
    ASSERT_TRUE(json) << describe(json.error());
    const auto spec = architecture_from_json(*json);
    ASSERT_TRUE(spec) << to_error(spec.error()).message;
    EXPECT_TRUE(validate(*spec, mixers()).empty());
    EXPECT_EQ(spec->name, "golden hybrid");
    EXPECT_EQ(spec->d_model, 384);
    EXPECT_EQ(format_pattern(spec->layers, *spec, mixers()),
              "F[nope]S[w=16,base=5e5,nosink]S{F:2 S[w=64]:4} x1");
    ASSERT_EQ(spec->layers.size(), 4U);
    EXPECT_EQ(spec->layers[1].id, LayerId(7));
    EXPECT_EQ(spec->layers[2].id, LayerId(8));  // had none: fresh
    EXPECT_EQ(spec->layers[2].groups[0].heads, 6);
    EXPECT_EQ(spec->layers[2].groups[0].kv_heads, 2);
    // A value that changes with the program would make every recorded run look like another architecture.
    EXPECT_EQ(content_hash(*spec, mixers()), "47d1e11722ca8fa0db54f48c8db7836f");
}

TEST(ArchitectureJson, TextAndBackIsTheIdentity) {
    test::RandomArchitecture random(mixers(), 3);
    for (int i = 0; i < 500; ++i) {
        const ArchitectureSpec spec = random();
        const auto parsed = parse_json(to_json(spec).dump());
        ASSERT_TRUE(parsed);
        const auto back = architecture_from_json(*parsed);
        ASSERT_TRUE(back) << to_error(back.error()).message;
        ASSERT_EQ(*back, spec);
        ASSERT_EQ(content_hash(*back, mixers()), content_hash(spec, mixers()));
    }
}

TEST(ArchitectureJson, EveryProblemAtOnce) {
    EXPECT_THAT(
        problems(R"({"schema_version": 1, "d_model": "wide", "heads": 2.5, "kv_heads": 1, "head_dim": 64,
                             "ffn_width": 99999999999999999999, "colour": "red", "layers": [
                               {"id": "a", "mixer": 3},
                               {"window": null},
                               5,
                               {"mixer": "full", "groups": [{"heads": 1}, 4, {"mixer": "swa", "heads": 1,
                                "kv_heads": true, "id": 3}]}
                             ]})"),
        ElementsAre(
            "d_model: must be an integer, got \"wide\"", "heads: must be an integer, got 2.5",
            "ffn_width: must be an integer, got 1e+20", "vocab: must be given",
            "layers[0].id: must be an integer, got \"a\"", "layers[0].mixer: must be a text, got 3",
            "layers[1].mixer: must be given",
            "layers[1].window: must be a number, text, true or false, got null",
            "layers[2]: must be an object, got 5", "layers[3].groups[0].mixer: must be given",
            "layers[3].groups[0].kv_heads: must be given", "layers[3].groups[1]: must be an object, got 4",
            "layers[3].groups[2].kv_heads: must be an integer, got true",
            "layers[3].groups[2].id: is not a known key, got 3",
            "layers[3].mixer: is not a known key, got \"full\"", "colour: is not a known key, got \"red\""));
    EXPECT_THAT(problems("[]"), ElementsAre("must be an object, got []"));
    EXPECT_THAT(problems(R"({"schema_version": 2, "future": 1})"),
                ElementsAre("schema_version: must be at most 1: a newer Braid wrote this, install it to open "
                            "the file, got 2"));
    EXPECT_THAT(problems(R"({"schema_version": 1, "d_model": 1, "heads": 1, "kv_heads": 1, "head_dim": 1,
                             "ffn_width": 1, "vocab": 2, "layers": 3})"),
                ElementsAre("layers: must be a list of at most 10000 layers, got 3"));
}

TEST(ArchitectureJson, AFileOfAnotherKindGivesAHandfulOfProblems) {
    Json json = to_json(made("F"));
    for (int i = 0; i < 9'000; ++i) json["layers"].push_back(Json::array());
    EXPECT_LE(architecture_from_json(json).error().size(), 1001U);
    for (int i = 0; i < 9'000; ++i) json["layers"].push_back(1);
    EXPECT_EQ(architecture_from_json(json).error().size(), 1U);
}

TEST(ContentHash, IgnoresNameIdsAndWhatHasNoEffect) {
    const ArchitectureSpec spec = made("F[nope]S[w=16]");
    const std::string hash = content_hash(spec, mixers());
    EXPECT_EQ(hash.size(), 32U);
    ArchitectureSpec other = spec;
    other.name = "another";
    for (LayerSpec& layer : other.layers) layer.id.value += 100;
    other.layers[0].groups[0].parameters.set("sink", true);      // the default
    other.layers[0].groups[0].parameters.set("rope_base", 3.0);  // no effect under NoPE
    other.layers[1].groups[0].parameters.set("window", 16.0);    // JSON's 16.0
    EXPECT_EQ(content_hash(other, mixers()), hash);
    other.layers[1].groups[0].parameters.set("window", std::int64_t{17});
    EXPECT_NE(content_hash(other, mixers()), hash);
    other = spec;
    other.vocab += 1;
    EXPECT_NE(content_hash(other, mixers()), hash);
    std::swap(other.layers[0].groups, other.layers[1].groups);
    other.vocab -= 1;
    EXPECT_NE(content_hash(other, mixers()), hash);
}

}  // namespace
}  // namespace braid
