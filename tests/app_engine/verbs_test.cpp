// What every verb promises: exit codes, JSON shapes, all problems at once.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/app_engine/program.h"

namespace braid::testing {
namespace {

TEST(Help, EveryVerbHasASummaryAndAnExample) {
    const Finished help = run({{"--help-all"}});
    EXPECT_EQ(help.code, 0);
    for (const char* verb : {"doctor", "arch", "tokenizer", "corpus", "train", "run", "study", "serve"})
        EXPECT_NE(help.out.find(std::string("\n") + verb + "\n"), std::string::npos) << verb << help.out;
    const Finished tail = run({{"run", "tail", "--help"}});
    EXPECT_EQ(tail.code, 0);
    EXPECT_NE(tail.out.find("Example:\n  braid-engine run tail"), std::string::npos) << tail.out;
    const Workplace place;
    EXPECT_EQ(run({{"man", "--out", place.path("man")}}).code, 0);
    std::size_t verbs = 0;
    for (const auto& page : std::filesystem::directory_iterator(place.path("man"))) {
        std::ifstream file(page.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        if (text.find(".SH VERBS") != std::string::npos) continue;
        EXPECT_NE(text.find(".SH EXAMPLES"), std::string::npos) << page.path();
        ++verbs;
    }
    EXPECT_GT(verbs, 20U);
}

TEST(Help, VersionNamesCommitTorchAndCuda) {
    const Finished version = run({{"--version"}});
    EXPECT_EQ(version.code, 0);
    for (const char* word : {"braid-engine 0.", "commit", "LibTorch 2.11", "\nCUDA "})
        EXPECT_NE(version.out.find(word), std::string::npos) << version.out;
}

// The threads of one engine do not keep those of another from the cores (app/engine/main.cpp).
TEST(Program, ThreadsWaitShortlyUnlessToldOtherwise) {
    const auto spins = [](std::vector<std::string> words) {
        words.insert(words.begin(), {"-u", "GOMP_SPINCOUNT", "OMP_DISPLAY_ENV=verbose"});
        words.insert(words.end(), {engine_program(), "--help"});
        const std::string text = run({.arguments = words, .program = "/usr/bin/env"}).err;
        const std::string key = "GOMP_SPINCOUNT = '";
        const std::size_t at = text.rfind(key);  // of braid-compute, the last to load OpenMP
        return at == std::string::npos ? -1 : std::stoll(text.substr(at + key.size()));
    };
    EXPECT_EQ(spins({}), 5000);
    EXPECT_EQ(spins({"GOMP_SPINCOUNT=70"}), 70);
    EXPECT_GT(spins({"OMP_WAIT_POLICY=active"}), 1'000'000);
}

TEST(Program, AnAnswerThatDoesNotReachStdoutIsAFailure) {
    const auto shell = [](const std::string& command) {
        return run({.arguments = {"-c", "\"$0\" " + command, engine_program()}, .program = "/bin/sh"});
    };
    for (const char* verb : {"arch list --json", "--version", "man", "doctor"}) {
        const Finished full = shell(std::string(verb) + " > /dev/full");
        EXPECT_EQ(full.code, 1) << verb;
        EXPECT_NE(full.err.find("stdout: cannot write"), std::string::npos) << full.err;
    }
    EXPECT_EQ(shell("man | head -c 9").out.size(), 9U);
    EXPECT_EQ(shell("man 2>&1 | true; exit 0").code, 0);
    // A stream that is closed gives its number to no file.
    EXPECT_EQ(shell("arch list >&- 2>&- <&-").code, 0);
}

TEST(Help, UnknownVerbsAndOptionsAreInvalidInput) {
    EXPECT_EQ(run({{"trian"}}).code, 2);
    EXPECT_EQ(run({{}}).code, 2);
    const Finished wrong = run({{"arch", "show", "--scael", "S1"}});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.err.find("braid-engine arch show --help"), std::string::npos) << wrong.err;
    EXPECT_TRUE(wrong.out.empty());
}

TEST(Help, CompletionKnowsVerbsAndChoices) {
    const Finished bash = run({{"completion", "bash"}});
    EXPECT_EQ(bash.code, 0);
    EXPECT_NE(bash.out.find("'run tail') words='"), std::string::npos);
    EXPECT_NE(bash.out.find("--device) words='auto cpu cuda'"), std::string::npos) << bash.out;
    EXPECT_EQ(run({{"completion", "tcsh"}}).code, 2);
}

TEST(Arch, ShowHasThePromisedShape) {
    const Finished shown = run({{"arch", "show", "full", "--scale", "S1", "--json"}});
    ASSERT_EQ(shown.code, 0) << shown.all();
    const Json json = shown.json();
    EXPECT_EQ(json["layers"], 10);
    EXPECT_EQ(json["per_layer"].size(), 10U);
    EXPECT_EQ(json["per_layer"][0]["params"]["paper"], 1'499'136);
    EXPECT_EQ(json["params"]["non_embedding"], 14'991'360);
    EXPECT_EQ(json["per_layer"][0]["kv_bytes_per_token"], 2 * 64 * 2 * 2);
    for (const char* key : {"kv_bytes", "state_bytes", "flops_per_token"})
        EXPECT_TRUE(json[key].is_number()) << key;
    EXPECT_GT(json["params"]["total"], json["params"]["paper"]);
}

TEST(Arch, PublishedCountsStandBesideTheFormulas) {
    const Json mamba = run({{"arch", "show", "mamba-2", "--scale", "S1", "--json"}}).json();
    EXPECT_EQ(mamba["per_layer"][0]["params"]["paper"], 1'575'570);
    EXPECT_EQ(mamba["per_layer"][0]["params"]["published"], 1'576'098);
    EXPECT_FALSE(mamba["per_layer"][1]["params"].contains("published"));
    EXPECT_EQ(mamba["per_layer"][0]["mixer"], "mamba2") << "efficient-first";
    for (const std::vector<std::string>& verb :
         {std::vector<std::string>{"arch", "show", "MF", "--scale", "S3"}, {"arch", "list"}})
        EXPECT_NE(run({verb}).out.find("4,348,830 (published 4,349,470)"), std::string::npos) << verb[1];
}

TEST(Arch, EveryProblemOfAShorthandIsMarked) {
    const Finished wrong = run({{"arch", "show", "FQ[w=4] S[wnd=3] {F:2"}});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_TRUE(wrong.out.empty());
    EXPECT_GE(std::count(wrong.err.begin(), wrong.err.end(), '^'), 3) << wrong.err;
}

TEST(Arch, AFileWithFortyMistakesListsThemAll) {
    const Workplace place;
    Json spec = {{"schema_version", 1}, {"name", "bad"}, {"d_model", 64},
                 {"heads", 2},          {"kv_heads", 2}, {"head_dim", 32},
                 {"ffn_width", 160},    {"vocab", 64},   {"layers", Json::array()}};
    for (int i = 0; i < 40; ++i) spec["layers"].push_back({{"mixer", "swa"}, {"window", -1 - i}});
    std::ofstream(place.path("vierzig Fehler.json")) << spec;
    const Finished wrong = run({{"arch", "show", place.path("vierzig Fehler.json")}});
    EXPECT_EQ(wrong.code, 2);
    for (int i = 0; i < 40; ++i)
        EXPECT_NE(wrong.err.find("layers[" + std::to_string(i) + "]"), std::string::npos) << i << wrong.err;
    EXPECT_NE(wrong.err.find("got -40"), std::string::npos) << wrong.err;
}

TEST(Arch, DiffNamesWhatDiffers) {
    const Finished same = run({{"arch", "diff", "FS x2", "(FS) x2", "--json"}});
    EXPECT_EQ(same.code, 0) << same.all();
    EXPECT_EQ(same.json()["same"], true);
    const Finished other = run({{"arch", "diff", "FS[w=16] x2", "FS[w=64] x2", "--json"}});
    EXPECT_EQ(other.json()["same"], false);
    EXPECT_EQ(other.json()["layers"][0]["from"], "16");
    EXPECT_EQ(run({{"arch", "diff", "FQ", "FX"}}).code, 2);
}

TEST(Doctor, SaysWhatThereIs) {
    const Finished doctor = run({{"doctor", "--json"}});
    EXPECT_EQ(doctor.code, 0) << doctor.all();
    EXPECT_EQ(doctor.json()["good"], true);
    EXPECT_EQ(doctor.json()["devices"][0]["name"], "cpu");
    EXPECT_EQ(doctor.json()["devices"][0]["attention_kernels"][1]["name"], "reference");
    EXPECT_EQ(doctor.json()["devices"][0]["recurrence_kernels"][0]["name"], "reference");
}

TEST(Train, EveryWrongSettingIsReported) {
    const Workplace place;
    const Finished wrong =
        run({{"train", "FQ", "--data", "nosuch", "--tokens", "many", "--set", "steps=-3", "--set",
              "lerning_rate=1", "--set", "batch", "--scale", "S9", "--project", place.path("")},
             place.path(""),
             {},
             {{"XDG_DATA_HOME", place.path("data")}}});
    // No project in that folder: the project is the one thing that cannot be guessed.
    EXPECT_EQ(wrong.code, 2) << wrong.all();
    const Finished all = run({{"train", "FQ", "--data", "nosuch", "--tokens", "many", "--set", "steps=-3",
                               "--set", "lerning_rate=1", "--set", "batch", "--scale", "S9"},
                              place.path(""),
                              {},
                              {{"XDG_DATA_HOME", place.path("data")}}});
    EXPECT_EQ(all.code, 2) << all.all();
    for (const char* word : {"nosuch", "many", "-3", "lerning_rate", "key=value", "S9", "^"})
        EXPECT_NE(all.err.find(word), std::string::npos) << word << "\n" << all.err;
    const Finished nowhere = run({{"train", "FS", "--data", "no such corpus", "--tokens", "1e5"},
                                  place.path(""),
                                  {},
                                  {{"XDG_DATA_HOME", place.path("data")}}});
    EXPECT_NE(nowhere.code, 0);
    EXPECT_FALSE(std::filesystem::exists(place.path("data"))) << "a mistake leaves no project behind";
}

TEST(Run, UnknownRunsAreNamed) {
    const Workplace place;
    const std::map<std::string, std::string> env = {{"XDG_DATA_HOME", place.path("data")}};
    const Finished none = run({{"run", "show", "zzz"}, place.path(""), {}, env});
    EXPECT_EQ(none.code, 2) << none.all();
    EXPECT_FALSE(none.err.empty());
}

TEST(StudyNew, ListsEveryProblemAndMakesAFile) {
    const Workplace place;
    const std::map<std::string, std::string> env = {{"XDG_DATA_HOME", place.path("data")}};
    const Finished wrong =
        run({{"study", "new", "../bad", "FQ", "FZ", "--seeds", "1,x"}, place.path(""), {}, env});
    EXPECT_EQ(wrong.code, 2) << wrong.all();
    for (const char* word : {"name", "FQ", "FZ", "seeds"})
        EXPECT_NE(wrong.err.find(word), std::string::npos) << word << wrong.err;
    const Finished made =
        run({{"study", "new", "two", "Small=FS[w=4] x1", "FS[w=8] x1", "--seeds", "1-2", "--json"},
             place.path(""),
             {},
             env});
    ASSERT_EQ(made.code, 0) << made.all();
    const Finished shown = run({{"study", "show", "two", "--json"}, place.path(""), {}, env});
    ASSERT_EQ(shown.code, 0) << shown.all();
    EXPECT_EQ(shown.json()["points"].size(), 4U);
    EXPECT_EQ(shown.json()["points"][0]["key"], "small/seed-1");
    EXPECT_EQ(shown.json()["states"]["planned"], 4);
}

TEST(Serve, AnswersEverythingAndSurvivesHostileInput) {
    std::string deep(5'000, '[');
    const std::string input =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
        "not json\n"
        "\n"
        "[]\n"
        "[1,2]\n"
        "{\"jsonrpc\":\"1.0\",\"id\":2,\"method\":\"ping\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"nosuch\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"arch.cost\",\"params\":[]}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"arch.cost\",\"params\":{\"spec\":\"FQ\",\"context\":"
        "\"x\",\"y\":1}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"arch.cost\",\"params\":{\"spec\":{\"layers\":7}}}\n"
        "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1},\"method\":\"ping\"}\n" +
        deep + "\n" + std::string("\xff\xfe\x00\x01", 4) + "\n" + std::string(17 << 20, 'x') +
        "\n"
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"arch.cost\",\"params\":{\"spec\":\"FS "
        "x2\",\"context\":1024}}\n"
        "[{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"version\"},{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":"
        "\"rpc.methods\"}]\n"
        "{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"shutdown\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"ping\"}\n";
    const Finished served = run({{"serve"}, {}, input});
    ASSERT_EQ(served.code, 0) << served.err;
    std::map<int, Json> by_id;
    int errors = 0;
    std::istringstream lines(served.out);
    for (std::string line; std::getline(lines, line);) {
        const Json answer = Json::parse(line, nullptr, false);
        ASSERT_FALSE(answer.is_discarded()) << line.substr(0, 200);
        for (const Json& one : answer.is_array() ? answer : Json::array({answer})) {
            if (one.contains("error")) ++errors;
            if (one["id"].is_number()) by_id[one["id"].get<int>()] = one;
        }
    }
    EXPECT_EQ(by_id[1]["result"], "pong");
    EXPECT_EQ(by_id[3]["error"]["code"], -32601);
    EXPECT_EQ(by_id[4]["error"]["code"], -32602);
    EXPECT_EQ(by_id[5]["error"]["code"], -32602);
    EXPECT_EQ(by_id[6]["error"]["code"], -32602);
    EXPECT_EQ(by_id[7]["result"]["layers"], 4);
    EXPECT_TRUE(by_id[9]["result"].contains("arch.cost"));
    EXPECT_TRUE(by_id.contains(10));
    EXPECT_FALSE(by_id.contains(11)) << "ended after shutdown";
    EXPECT_GE(errors, 11);
}

}  // namespace
}  // namespace braid::testing
