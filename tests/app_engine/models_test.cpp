// Models in and out, logits and generation, as a shell sees them.
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/npy.h"
#include "tests/app_engine/program.h"

namespace braid::testing {
namespace {

std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// int64 tokens as numpy.save() writes them.
void write_tokens(const std::string& file, const std::vector<std::int64_t>& tokens,
                  const std::string& type = "<i8") {
    std::string head = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(tokens.size()) + ",), }\n";
    std::ofstream stream(file, std::ios::binary);
    stream << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(head.size()) << '\0' << head;
    stream.write(reinterpret_cast<const char*>(tokens.data()),
                 static_cast<std::streamsize>(tokens.size() * sizeof(std::int64_t)));
}

// A trained model with room for byte tokens.
std::string trained(const Workplace& place, const std::string& pattern) {
    const Finished done =
        run({.arguments = {"train", pattern, "--data", "recall", "--vocab", "300", "--tokens", "1024",
                           "--context", "64", "--set", "batch=4", "--json", "--quiet", "--device", "cpu"},
             .environment = {{"XDG_DATA_HOME", place.path("data")}}});
    EXPECT_EQ(done.code, 0) << done.all();
    return done.last_json()["folder"];
}

TEST(Models, OutAndInAgainGivesTheSameLogits) {
    const Workplace place;
    const std::string folder = trained(place, "F[nosink]S[w=8,nosink] x1");
    const Finished out = run({{"export", "hf", folder, place.path("hf"), "--json"}});
    ASSERT_EQ(out.code, 0) << out.all();
    EXPECT_EQ(out.json()["class"], "Qwen2ForCausalLM");
    EXPECT_NE(out.err.find("zeros"), std::string::npos) << out.err;
    const Finished in = run({{"import", "hf", place.path("hf"), "--out", place.path("own"), "--json"}});
    ASSERT_EQ(in.code, 0) << in.all();
    EXPECT_EQ(in.json()["model_type"], "qwen2");
    EXPECT_EQ(in.json()["layers"], "F[bias,nosink]S[w=8,bias,nosink] x1");
    write_tokens(place.path("t.npy"), {1, 5, 60, 299, 7, 0, 13});
    for (const std::string& checkpoint : {folder, place.path("own")}) {
        const Finished done = run({{"logits", checkpoint, "--tokens", place.path("t.npy"), "--out",
                                    place.path(checkpoint == folder ? "a.npy" : "b.npy"), "--json"}});
        ASSERT_EQ(done.code, 0) << done.all();
        EXPECT_EQ(done.json()["tokens"], 7);
    }
    const std::string a = bytes_of(place.path("a.npy"));
    EXPECT_EQ(parse_npy_header(a)->shape, (std::vector<std::int64_t>{7, 300}));
    EXPECT_EQ(a, bytes_of(place.path("b.npy")));
    EXPECT_EQ(run({{"import", "hf", place.path("hf"), "--out", place.path("own")}}).code, 1) << "it is there";
    // What has no class says why and is written all the same.
    const std::string sinks = trained(place, "FS[w=8] x1");
    const Finished described = run({{"export", "hf", sinks, place.path("sinks"), "--json"}});
    ASSERT_EQ(described.code, 0) << described.all();
    EXPECT_TRUE(described.json()["class"].is_null());
    EXPECT_NE(std::string(described.json()["reason"]).find("attention sink"), std::string::npos);
    EXPECT_NE(bytes_of(place.path("sinks/README.md")).find("self_attn.sinks"), std::string::npos);
    EXPECT_EQ(run({{"export", "safetensors", folder, place.path("plain")}}).code, 0);
    EXPECT_EQ(
        run({{"logits", place.path("plain"), "--tokens", place.path("t.npy"), "--out", place.path("c.npy")}})
            .code,
        0)
        << "an exported folder is a checkpoint";
    EXPECT_EQ(a, bytes_of(place.path("c.npy")));
}

TEST(Models, ATextGoesOnTheSameWayWithTheSameSeed) {
    const Workplace place;
    const std::string folder = trained(place, "FS[w=8] x1");
    const auto generated = [&](const std::string& seed) {
        const Finished done = run({{"generate", folder, "--tokenizer", "byte", "--prompt", "a weaver",
                                    "--tokens", "12", "--seed", seed, "--json"}});
        EXPECT_EQ(done.code, 0) << done.all();
        return done.json();
    };
    const Json one = generated("1");
    EXPECT_EQ(one["tokens"], generated("1")["tokens"]);
    EXPECT_NE(one["tokens"], generated("2")["tokens"]);
    EXPECT_LE(one["tokens"].size(), 12U);
    const Finished text = run({{"generate", folder, "--tokenizer", "byte", "--prompt", "a weaver", "--tokens",
                                "4", "--temperature", "0"}});
    EXPECT_EQ(text.code, 0) << text.all();
    EXPECT_TRUE(text.out.starts_with("a weaver")) << text.out;
}

TEST(Models, MistakesAreSaidBeforeTheModelIsRead) {
    const Workplace place;
    const std::string folder = trained(place, "F x1");
    const auto logits = [&](const std::string& file) {
        return run({{"logits", folder, "--tokens", place.path(file), "--out", place.path("out.npy")}});
    };
    write_tokens(place.path("large.npy"), {1, 300, -1});
    Finished done = logits("large.npy");
    EXPECT_EQ(done.code, 2) << done.all();
    EXPECT_NE(done.err.find("[1]: must be a token from 0 to 299, got 300"), std::string::npos) << done.err;
    EXPECT_NE(done.err.find("[2]: must be a token from 0 to 299, got -1"), std::string::npos) << done.err;
    write_tokens(place.path("floats.npy"), {1, 2}, "<f8");
    EXPECT_EQ(logits("floats.npy").code, 2);
    write_tokens(place.path("none.npy"), {});
    EXPECT_EQ(logits("none.npy").code, 2);
    EXPECT_EQ(logits("absent.npy").code, 2);
    EXPECT_FALSE(std::filesystem::exists(place.path("out.npy")));
    done = run({{"generate", folder, "--prompt", "x"}});
    EXPECT_EQ(done.code, 2);
    EXPECT_NE(done.err.find("--tokenizer"), std::string::npos) << done.err;
    EXPECT_EQ(run({{"generate", folder, "--prompt", "x", "--tokens", "0"}}).code, 2);
    std::filesystem::create_directories(place.path("empty"));
    done = run({{"import", "hf", place.path("empty"), "--out", place.path("own")}});
    EXPECT_EQ(done.code, 2) << done.all();
    EXPECT_NE(done.err.find("config.json"), std::string::npos) << done.err;
    std::ofstream(place.path("empty/config.json")) << R"({"model_type": "mixtral", "num_experts": 8})";
    done = run({{"import", "hf", place.path("empty"), "--out", place.path("own")}});
    EXPECT_EQ(done.code, 2) << done.all();
    EXPECT_NE(done.err.find("model_type: must be one of llama"), std::string::npos) << done.err;
}

// A tokenizer of more tokens than the model has rows.
TEST(Models, ATokenizerThatDoesNotFitIsRefused) {
    const Workplace place;
    const Finished made = run({.arguments = {"train", "F x1", "--data", "recall", "--tokens", "1024",
                                             "--context", "64", "--set", "batch=4", "--json", "--quiet"},
                               .environment = {{"XDG_DATA_HOME", place.path("data")}}});
    ASSERT_EQ(made.code, 0) << made.all();
    const Finished done =
        run({{"generate", std::string(made.last_json()["folder"]), "--tokenizer", "byte", "--prompt", "x"}});
    EXPECT_EQ(done.code, 2) << done.all();
    EXPECT_NE(done.err.find("the vocabulary of the byte tokenizer"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace braid::testing
