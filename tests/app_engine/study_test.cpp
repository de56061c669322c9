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
    void make(int steps, int traces = 0) const {
        const Finished made = engine({"study", "new", "zwei", "Small=FS[w=4] x1", "Large=FS[w=64] x1",
                                      "--set", "steps=" + std::to_string(steps), "--set", "batch=4", "--set",
                                      "warmup_steps=2", "--set", "evaluate_every=30", "--set", "device=cpu",
                                      "--set", "trace_checkpoints=" + std::to_string(traces)});
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

TEST_F(Study, InvestigatesItsRuns) {
    make(8, 4);
    const Finished early = engine({"study", "investigate", "zwei"});
    EXPECT_EQ(early.code, 2);
    EXPECT_NE(early.err.find("no run of the study has finished"), std::string::npos) << early.err;
    ASSERT_EQ(engine({"study", "run", "zwei", "--seeds", "1-2", "--quiet"}).code, 0);
    const Finished done = engine({"study", "investigate", "zwei", "--device", "cpu", "--json"});
    ASSERT_EQ(done.code, 0) << done.all();
    const Json answer = done.json();
    ASSERT_EQ(answer["runs"].size(), 4U);
    EXPECT_EQ(answer["runs"][0]["variant"], "Small");
    EXPECT_EQ(answer["runs"][0]["tokens"], 8 * 4 * 128);
    EXPECT_GT(answer["runs"][0]["entropy_start"].get<double>(), 0.5);
    EXPECT_EQ(answer["early"], "Small");
    EXPECT_EQ(answer["late"], "Large");
    EXPECT_EQ(answer["seeds"].size(), 2U);
    EXPECT_NE(answer["verdict"].get<std::string>().find("of 2 seeds"), std::string::npos)
        << answer["verdict"];
    std::size_t files = 0;
    const Json shown = show();
    for (const Json& point : shown["points"])
        for (const auto& file : std::filesystem::directory_iterator(
                 std::filesystem::path(point["folder"].get<std::string>()) / "measurements")) {
            ++files;
            EXPECT_NE(file.path().filename().string().find("step-00000008."), std::string::npos);
        }
    EXPECT_EQ(files, 4U * 3) << "trace, heads and gradient of each";
    // Nothing is measured twice; two others are compared.
    const Finished again = engine(
        {"study", "investigate", "zwei", "--early", "Large", "--late", "Small", "--seeds", "2", "--json"});
    ASSERT_EQ(again.code, 0) << again.all();
    EXPECT_EQ(again.json()["runs"].size(), 2U);
    EXPECT_EQ(again.json()["early"], "Large");
    EXPECT_EQ(again.err.find("Trac"), std::string::npos) << again.err;
    EXPECT_EQ(engine({"study", "investigate", "zwei", "--early", "Large", "--late", "Large"}).code, 2);
    // A damaged file is named, and made again.
    const std::filesystem::path folder =
        std::filesystem::path(shown["points"][0]["folder"].get<std::string>()) / "measurements";
    for (const auto& file : std::filesystem::directory_iterator(folder))
        if (file.path().filename().string().find("trace") != std::string::npos)
            std::ofstream(file.path()) << "{";
    const Finished healed = engine({"study", "investigate", "zwei", "--device", "cpu", "--json"});
    ASSERT_EQ(healed.code, 0) << healed.all();
    ASSERT_EQ(healed.json()["problems"].size(), 1U);
    EXPECT_NE(healed.json()["problems"][0].get<std::string>().find("trace"), std::string::npos);
    EXPECT_EQ(healed.json()["runs"].size(), 4U);
    const Finished wrong = engine({"study", "investigate", "zwei", "--early", "Middle"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.err.find("must be a variant of the study: \"Small\", \"Large\", got Middle"),
              std::string::npos)
        << wrong.err;
}

TEST_F(Study, EveryProblemOfAFileIsListed) {
    const std::string file = place_.path("kaputt.json");
    std::ofstream(file) << R"({"schema_version": 1, "name": "a b", "training": {"steps": -1, "stepz": 2},
        "variants": [{"label": "", "pattern": "FQ", "scale": "tiny"}, {"label": "x"}], "seeds": [-1]})";
    const Finished wrong = engine({"study", "show", file});
    EXPECT_EQ(wrong.code, 2) << wrong.all();
    for (const char* word : {"training.stepz", "seeds[0]"})
        EXPECT_NE(wrong.err.find(word), std::string::npos) << word << wrong.err;
    EXPECT_EQ(engine({"study", "show", "nosuch"}).code, 2);
}

}  // namespace
}  // namespace braid::testing
