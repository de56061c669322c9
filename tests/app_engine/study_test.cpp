// Studies from the command line, two small runs each.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "tests/app_engine/program.h"

namespace braid::testing {
namespace {

class Study : public ::testing::Test {
protected:
    Call call(std::vector<std::string> words) const {
        return {.arguments = std::move(words),
                .folder = place_.path(""),
                .environment = {{"XDG_DATA_HOME", place_.path("daten")}}};
    }
    Finished engine(std::vector<std::string> words) const { return run(call(std::move(words)), limit_); }
    void make(int steps) const {
        const Finished made = engine({"study", "new", "zwei", "Small=FS[w=4] x1", "Large=FS[w=64] x1",
                                      "--set", "steps=" + std::to_string(steps), "--set", "batch=4", "--set",
                                      "warmup_steps=2", "--set", "evaluate_every=30", "--set", "device=cpu"});
        ASSERT_EQ(made.code, 0) << made.all();
    }
    Json show() const { return engine({"study", "show", "zwei", "--json"}).json(); }

    const Workplace place_;
    static constexpr std::chrono::seconds limit_{120};
};

TEST_F(Study, RunsEveryPointOnce) {
    make(10);
    const Finished ran = engine({"study", "run", "zwei", "--json"});
    ASSERT_EQ(ran.code, 0) << ran.all();
    EXPECT_EQ(ran.json()["states"]["finished"], 2);
    EXPECT_TRUE(ran.json()["points"][0].contains("tokens_to_threshold"));
    const Finished again = engine({"study", "run", "zwei", "--seeds", "1-2", "--json"});
    ASSERT_EQ(again.code, 0) << again.all();
    const Json points = again.json()["points"];
    ASSERT_EQ(points.size(), 4U);
    EXPECT_EQ(points[0]["run"], ran.json()["points"][0]["run"]) << "finished points are kept";
    EXPECT_EQ(engine({"run", "list", "--json"}).json().size(), 4U);
    EXPECT_EQ(show()["points"].size(), 4U) << "seeds of its runs are shown, too";
}

TEST_F(Study, StopsWithTheWorkSavedAndGoesOn) {
    make(60);
    Started started = start(call({"study", "run", "zwei", "--jobs", "1"}));
    ASSERT_TRUE(within(std::chrono::seconds(60), [&] {
        const Json points = show()["points"];
        return points.is_array() && points[0]["step"].get<int>() >= 2;
    }));
    const Finished second = engine({"study", "run", "zwei"});
    EXPECT_EQ(second.code, 1);
    EXPECT_NE(second.err.find("process " + std::to_string(started.pid())), std::string::npos) << second.err;
    started.signal(SIGINT);
    const Finished stopped = started.wait(limit_);
    EXPECT_EQ(stopped.code, 130) << stopped.all();
    const Json before = show();
    EXPECT_FALSE(before["states"].contains("running")) << before["states"];

    const Finished resumed = engine({"study", "resume", "zwei", "--json"});
    ASSERT_EQ(resumed.code, 0) << resumed.all();
    EXPECT_EQ(resumed.json()["states"]["finished"], 2);
    EXPECT_EQ(engine({"run", "list", "--json"}).json().size(), 2U) << "nothing was trained twice";
}

TEST_F(Study, EveryProblemOfAFileIsListed) {
    const std::string file = place_.path("kaputt.json");
    std::ofstream(file) << R"({"schema_version": 1, "name": "a b", "training": {"steps": -1, "stepz": 2},
        "variants": [{"label": "", "pattern": "FQ", "scale": "tiny"}, {"label": "x"}], "seeds": [-1]})";
    const Finished wrong = engine({"study", "show", file});
    EXPECT_EQ(wrong.code, 2) << wrong.all();
    for (const char* word : {"training.stepz", "seeds[0]"})
        EXPECT_NE(wrong.err.find(word), std::string::npos) << word << wrong.err;
    EXPECT_EQ(engine({"study", "show", "nosuch"}).code, 1);
}

}  // namespace
}  // namespace braid::testing
