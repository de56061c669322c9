#include "core/spec/edit.h"

#include <gmock/gmock.h>

#include "core/mixers/builtin.h"
#include "core/spec/validate.h"
#include "tests/spec/random_architecture.h"

namespace braid {
namespace {

using testing::ElementsAre;

const MixerCatalog& mixers() { return builtin_mixers(); }

ArchitectureSpec made(std::string_view pattern, const char* scale = "S1") {
    return instantiate(*parse_pattern(pattern, mixers()), *find_scale(scale));
}
std::string text(const ArchitectureSpec& spec) { return format_pattern(spec.layers, spec, mixers()); }
std::vector<std::int64_t> ids(const ArchitectureSpec& spec) {
    std::vector<std::int64_t> result;
    for (const LayerSpec& layer : spec.layers) result.push_back(layer.id.value);
    return result;
}
std::vector<LayerId> layers(std::initializer_list<std::int64_t> values) {
    std::vector<LayerId> result;
    for (const std::int64_t value : values) result.emplace_back(value);
    return result;
}

TEST(Edit, InsertGivesNewIds) {
    const ArchitectureSpec spec = made("FS x2");
    const ArchitectureSpec more = insert_layers(
        spec, 1,
        {uniform_layer(spec, "swa"), {.id = LayerId(2), .groups = uniform_layer(spec, "swa").groups}});
    EXPECT_EQ(text(more), "FSSSFS x1");
    EXPECT_THAT(ids(more), ElementsAre(1, 5, 6, 2, 3, 4));
    EXPECT_TRUE(validate(more, mixers()).empty());
    EXPECT_THAT(ids(insert_layers(spec, 99, {uniform_layer(spec, "full")})), ElementsAre(1, 2, 3, 4, 5));
}

TEST(Edit, RemoveMoveDuplicate) {
    const ArchitectureSpec spec = made("F S[w=1] S[w=2] S[w=3] F[nope] x1");
    EXPECT_THAT(ids(remove_layers(spec, layers({2, 4, 77}))), ElementsAre(1, 3, 5));
    EXPECT_THAT(ids(move_layers(spec, layers({1, 3}), 4)), ElementsAre(2, 4, 1, 3, 5));
    EXPECT_THAT(ids(move_layers(spec, layers({5, 3}), 0)), ElementsAre(3, 5, 1, 2, 4));
    EXPECT_THAT(ids(move_layers(spec, layers({2, 4}), 99)), ElementsAre(1, 3, 5, 2, 4));
    EXPECT_EQ(move_layers(spec, layers({2, 3}), 2), spec);
    const ArchitectureSpec twice = duplicate_layers(spec, layers({1, 3}));
    EXPECT_THAT(ids(twice), ElementsAre(1, 2, 3, 6, 7, 4, 5));
    EXPECT_EQ(twice.layers[4].groups, spec.layers[2].groups);
    EXPECT_EQ(duplicate_layers(spec, layers({99})), spec);
}

TEST(Edit, SetAParameterOnSeveralLayers) {
    const ArchitectureSpec spec = made("FS[w=16] x2");
    const auto all = layers({1, 2, 3, 4});
    // Full attention has no window: untouched.
    EXPECT_EQ(text(set_parameter(spec, all, "window", std::int64_t{64}, mixers())), "FS[w=64] x2");
    EXPECT_EQ(text(set_parameter(spec, layers({4}), "window", std::int64_t{128}, mixers())), "FS[w=16]FS x1");
    EXPECT_EQ(text(set_parameter(spec, all, "position", std::string("nope"), mixers())),
              "F[nope]S[w=16,nope] x2");
    // Out of range is kept for validate() to report; the editor shows it.
    const ArchitectureSpec broken = set_parameter(spec, layers({2}), "window", std::int64_t{-1}, mixers());
    EXPECT_EQ(validate(broken, mixers()).front().message(), "layers[1].window: must be at least 1, got -1");
    const ArchitectureSpec head_wise = made("{S:2 S[w=64]:4} x1");
    EXPECT_EQ(text(set_parameter(head_wise, LayerId(1), 1, "window", std::int64_t{8}, mixers())),
              "{S:2 S[w=8]:4} x1");
    EXPECT_EQ(set_parameter(head_wise, LayerId(1), 2, "window", std::int64_t{8}, mixers()), head_wise);
}

TEST(Edit, ReplaceAMixerKeepsWhatBothHave) {
    const ArchitectureSpec spec = made("S[w=16,nope,nosink] {F[base=5e5]:2 S:4} x1");
    const ArchitectureSpec full = replace_mixer(spec, layers({1, 2}), "full", mixers());
    EXPECT_EQ(text(full), "F[nope,nosink]F[base=5e5] x1");
    EXPECT_THAT(ids(full), ElementsAre(1, 2));
    EXPECT_TRUE(validate(full, mixers()).empty());
    EXPECT_EQ(replace_mixer(spec, layers({1}), "no such", mixers()), spec);
    const auto groups = made("{F:2 S:4} x1").layers[0].groups;
    EXPECT_EQ(text(set_groups(spec, layers({1, 2}), groups)), "{F:2 S:4} x2");
}

TEST(Edit, LayersFollowTheModelsHeads) {
    const ArchitectureSpec spec = made("F {F:2 S:4} x1");
    const ArchitectureSpec twelve = change_dimension(spec, "heads", 12);
    EXPECT_EQ(text(twelve), "F{F:4 S:8} x1");
    EXPECT_TRUE(validate(twelve, mixers()).empty());
    EXPECT_EQ(change_dimension(twelve, "heads", 6), spec);
    const ArchitectureSpec eight = change_dimension(spec, "heads", 8);  // 2 of 6 is not whole: stays
    EXPECT_EQ(validate(eight, mixers()).front().message(),
              "layers[1].groups: query heads of the groups must add up to 8, got 6");
    EXPECT_EQ(change_dimension(spec, "d_model", 96).d_model, 96);
}

TEST(Edit, TextEditsKeepTheIdsOfUnchangedLayers) {
    const auto respec = [](const ArchitectureSpec& old, std::string_view pattern) {
        return respec_from_pattern(old, *parse_pattern(pattern, mixers()), mixers());
    };
    const ArchitectureSpec spec = made("FSSF x1");
    EXPECT_EQ(respec(spec, "FSSF x1"), spec);
    EXPECT_THAT(ids(respec(spec, "FSSSF x1")), ElementsAre(1, 2, 3, 5, 4));
    EXPECT_THAT(ids(respec(spec, "FSF x1")), ElementsAre(1, 2, 4));
    EXPECT_THAT(ids(respec(spec, "FS[w=4]SF x1")), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(ids(respec(spec, "(FSSF)x2")), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    EXPECT_EQ(respec(spec, "FS").layers.size(), 4U);  // cycled to the depth it had
    EXPECT_EQ(respec(spec, "F x1").layers.size(), 1U);
    ArchitectureSpec named = spec;
    named.name = "mine";
    named.vocab = 99;
    EXPECT_EQ(respec(named, "S x1").name, "mine");
    EXPECT_EQ(respec(named, "S x1").vocab, 99);
}

TEST(Edit, IdsStayUniqueThroughRandomEdits) {
    test::RandomArchitecture random(mixers(), 9);
    ArchitectureSpec spec = random();
    for (int i = 0; i < 2000; ++i) {
        std::vector<LayerId> some;
        for (const LayerSpec& layer : spec.layers)
            if (random.pick(0, 4) == 0) some.push_back(layer.id);
        const auto at =
            static_cast<std::size_t>(random.pick(0, static_cast<std::int64_t>(spec.layers.size())));
        switch (random.pick(0, 5)) {
            case 0:
                spec = insert_layers(spec, at, {uniform_layer(spec, "swa"), uniform_layer(spec, "full")});
                break;
            case 1:
                if (spec.layers.size() > some.size() + 1) spec = remove_layers(spec, some);
                break;
            case 2:
                spec = move_layers(spec, some, at);
                break;
            case 3:
                if (spec.layers.size() < 60) spec = duplicate_layers(spec, some);
                break;
            case 4:
                spec = replace_mixer(spec, some, "full", mixers());
                break;
            default: {
                const ArchitectureSpec other = random();
                spec = respec_from_pattern(
                    spec, *parse_pattern(format_pattern(other.layers, other, mixers()), mixers()), mixers());
                // Another model's head groups need not fit this one's heads: those are validate()'s to
                // report.
                std::vector<LayerId> every;
                for (const LayerSpec& layer : spec.layers) every.push_back(layer.id);
                spec = replace_mixer(spec, every, "swa", mixers());
            }
        }
        ASSERT_TRUE(validate(spec, mixers()).empty()) << to_error(validate(spec, mixers())).message;
    }
}

}  // namespace
}  // namespace braid
