// Checkpoints measured as a user does it: answers on disk, exit codes, what is said about bad input.
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/app_engine/project_test.h"

namespace braid::testing {
namespace {

namespace fs = std::filesystem;

class Measure : public ProjectTest {
protected:
    static void SetUpTestSuite() {
        make_project("measurements", "measure", {"--threads", "1", "--device", "cpu"});
        run_ = train("FS[w=4] x1");
    }
    static std::string train(const std::string& pattern) {
        return must({"train", pattern, "--data", "niah", "--context", "48", "--quiet", "--device", "cpu",
                     "--set", "steps=12", "--set", "threads=1", "--set", "batch=4", "--set", "warmup_steps=0",
                     "--set", "checkpoint_every=4"})
            .last_json()["run"];
    }

    static std::string run_;
};
std::string Measure::run_;

TEST_F(Measure, HeadsAreKeptBesideTheRun) {
    const std::vector<std::string> words = {"measure", "heads", run_, "--samples", "6", "--json"};
    const Json answer = must(words).json();
    EXPECT_EQ(answer["kind"], "heads");
    EXPECT_EQ(answer["scores"].size(), 2U);
    EXPECT_TRUE(answer["scores"][1][0].is_null()) << "the window is not among the full layers";
    EXPECT_EQ(answer["top"].size(), 2U);
    EXPECT_EQ(answer["n"], 6);
    EXPECT_EQ(answer["settings"]["context"], 48);
    EXPECT_EQ(answer["settings"]["compute_type"], "float32");
    EXPECT_EQ(answer["checkpoint"]["step"], 12);
    EXPECT_NE(answer["command"].get<std::string>().find("measure heads"), std::string::npos);
    const std::string file = answer["file"];
    EXPECT_TRUE(fs::exists(file)) << file;
    EXPECT_EQ(must(words).json()["arrays"], answer["arrays"]) << "the same settings give the same answer";
    EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(file).parent_path()), fs::directory_iterator()),
              1);
    const Finished table = must({"measure", "heads", run_ + "@4", "--samples", "4"});
    EXPECT_NE(table.out.find("mass by layer and head"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("Kept in "), std::string::npos);
}

TEST_F(Measure, TraceGoesOverTheCheckpointsOfTheRun) {
    const Json answer = must({"measure", "trace", run_, "--samples", "4", "--json"}).json();
    ASSERT_EQ(answer["tokens"].size(), 3U) << answer["tokens"];
    EXPECT_EQ(answer["tokens"][0], 4 * 4 * 48);
    ASSERT_EQ(answer["heads"].size(), 2U) << "of the full layer";
    const Json& head = answer["heads"][0];
    for (const char* name : {"entropy", "entropy_keys", "mass", "sink", "hit_rate", "d_qk"})
        EXPECT_EQ(head[name].size(), 3U) << name;
    EXPECT_EQ(head["d_qk"][2], 0) << "the end is the end";
    EXPECT_GT(head["d_qk"][0], head["d_qk"][1]);
    EXPECT_GT(answer["grad_norm_tokens"].size(), 0U);
    EXPECT_EQ(head["grad_norm"].size(), answer["grad_norm_tokens"].size());
    // The last checkpoint alone gives the same numbers.
    const Json last = must({"measure", "heads", run_, "--samples", "4", "--json"}).json();
    EXPECT_EQ(last["scores"][0][0], head["mass"][2]);
    EXPECT_NE(refused({"measure", "trace", run_ + "@4"}).find("1 checkpoint"), std::string::npos);
}

TEST_F(Measure, EveryKindAnswers) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"restrict", "--samples", "8", "--horizon", "6"},
                                               {"probe", "--samples", "32"},
                                               {"gradient", "--samples", "4"},
                                               {"entropy", "--samples", "4"},
                                               {"change"},
                                               {"noise", "--samples", "4", "--sigma", "0.1"},
                                               {"ablate", "--samples", "4", "--heads", "0.1,1"}}) {
        std::vector<std::string> all = {"measure", words[0], run_, "--json"};
        all.insert(all.end(), words.begin() + 1, words.end());
        const Json answer = must(all).json();
        EXPECT_GT(answer["arrays"].size(), 0U) << words[0];
        for (const Json& array : answer["arrays"]) EXPECT_GT(array["values"].size(), 0U) << words[0];
    }
}

TEST_F(Measure, AttentionWritesAMatrixWithTheSink) {
    const Json answer =
        must({"measure", "attention", run_, "--layer", "1", "--head", "1", "--out", "rows.npy", "--json"})
            .json();
    EXPECT_TRUE(answer["sink"]);
    const std::int64_t tokens = answer["tokens"];
    const auto bytes = std::int64_t(fs::file_size(place_->path("rows.npy")));
    EXPECT_EQ(bytes - tokens * (tokens + 1) * 4, 128) << "float32 [T, T + 1] behind a header";
}

TEST_F(Measure, BadInputIsNamed) {
    const std::string many = refused({"measure", "heads", run_, "--samples", "none", "--context", "-4"});
    EXPECT_NE(many.find("--samples: must be a whole number, got \"none\""), std::string::npos) << many;
    EXPECT_NE(many.find("--context: must be at least 0"), std::string::npos) << many;
    EXPECT_NE(refused({"measure", "heads", "nobody"}).find("nobody"), std::string::npos);
    EXPECT_NE(refused({"measure", "heads", run_, "--layers", "odd"}).find("odd"), std::string::npos);
    const std::string places =
        refused({"measure", "attention", run_, "--layer", "7", "--tokens", "none.npy"});
    EXPECT_NE(places.find("layer: must be from 0 to 1, got 7"), std::string::npos) << places;
    EXPECT_NE(places.find("out: must name"), std::string::npos) << places;
    const std::string empty =
        refused({"measure", "attention", run_, "--tokens", "none.npy", "--out", "x.npy"});
    EXPECT_NE(empty.find("none.npy"), std::string::npos) << empty;
    EXPECT_FALSE(fs::exists(place_->path("x.npy")));
    EXPECT_NE(refused({"measure", "probe", run_, "--context", "100000"}).find("--allow-long"),
              std::string::npos);
}

TEST_F(Measure, AnInterruptionLeavesNoAnswer) {
    const auto answers = [] {
        return std::distance(fs::directory_iterator(place_->path("runs/" + run_ + "/measurements")),
                             fs::directory_iterator());
    };
    const auto before = answers();
    Started started = start(call({"measure", "probe", run_, "--samples", "100000", "--context", "96"}));
    std::this_thread::sleep_for(std::chrono::seconds(2));
    started.signal(SIGINT);
    const Finished done = started.wait();
    EXPECT_EQ(done.code, 130) << done.all();
    EXPECT_EQ(answers(), before) << "no half answer";
}

}  // namespace
}  // namespace braid::testing
