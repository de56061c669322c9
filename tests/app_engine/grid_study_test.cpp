// Studies over scales and budgets from the command line: branches, order, fits, tables, evaluations.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "tests/app_engine/project_test.h"

namespace braid::testing {
namespace {

class GridStudy : public ProjectTest {
protected:
    static void SetUpTestSuite() {
        make_project("Grid", "study", {});
        std::filesystem::create_directories(place_->path("studies"));
        std::ofstream(place_->path("studies/grid.json")) << R"({"schema_version": 2, "name": "grid",
            "title": "Grid", "training": {"schema_version": 2, "context": 32, "batch": 32, "warmup_steps": 5,
            "evaluate_every": 0, "checkpoint_every": 0, "device": "cpu"},
            "data": {"kind": "recall", "parameters": {"keys": 8, "values": 4, "asked": 2, "near": 8}},
            "variants": [{"label": "Full", "pattern": "F"}, {"label": "Window", "pattern": "S[w=4]F"}],
            "scales": [{"name": "a", "sizes": {"layers": 2, "d_model": 16, "ffn_width": 24, "heads": 2,
                        "kv_heads": 1, "head_dim": 8, "vocab": 64}},
                       {"name": "b", "sizes": {"layers": 2, "d_model": 24, "ffn_width": 40, "heads": 2,
                        "kv_heads": 1, "head_dim": 12, "vocab": 64}}],
            "budgets": [4, 8, 16], "measure": {"metric": "loss", "threshold": 0},
            "fit": {"form": "power2", "held_out": ["scale=b, budget=16"]}})";
    }
};

// One after the other, as a user would: each test goes on from the one before.
TEST_F(GridStudy, TellsWhatItTakesTrainsBranchesAndIsFitted) {
    const Json before = must({"study", "show", "grid", "--json"}).json();
    EXPECT_EQ(before["cost"]["runs"], 12);
    EXPECT_GT(before["cost"]["tokens_saved"].get<double>(), 0);
    EXPECT_TRUE(before["cost"]["time"].empty()) << "nothing was measured";

    // Part of it first; a rule that asks for what points do not have is refused.
    EXPECT_NE(
        refused({"study", "run", "grid", "--only", "window=4"}).find("must ask for one of architecture"),
        std::string::npos);
    const Json part = must({"study", "run", "grid", "--only", "scale=a, budget<=8", "--json"}).json();
    EXPECT_EQ(part["states"]["finished"], 4);
    EXPECT_NE(refused({"study", "fit", "grid"}, 2).find("points"), std::string::npos) << "too few points";

    const Json all = must({"study", "run", "grid", "--json"}).json();
    EXPECT_EQ(all["states"]["finished"], 12);
    std::size_t branches = 0;
    for (const Json& point : all["points"]) {
        const std::string folder = point["folder"].get<std::string>();
        const Json plan = Json::parse(std::ifstream(folder + "/plan.json"));
        branches += plan.contains("branch_from") ? 1 : 0;
        EXPECT_EQ(plan.contains("branch_from"), point["fields"]["budget"] != "4") << point["key"];
    }
    EXPECT_EQ(branches, 8U);
    EXPECT_EQ(must({"study", "show", "grid", "--json"}).json()["cost"]["left"]["runs"], 0);

    const Json fit = must({"study", "fit", "grid", "--resamples", "50", "--profile", "3", "--json"}).json();
    ASSERT_EQ(fit["groups"].size(), 2U);
    EXPECT_EQ(fit["groups"][0]["points"], 5);
    EXPECT_EQ(fit["groups"][0]["held_out"], 1);
    EXPECT_TRUE(std::filesystem::exists(place_->path("fits/grid/loss.json")));
    EXPECT_TRUE(fit["left_out"].empty());
    EXPECT_NE(
        must({"study", "fit", "grid", "--resamples", "0", "--profile", "0", "--latex"}).out.find("\\toprule"),
        std::string::npos);
    const std::string csv = must({"study", "export", "grid"}).out;
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 13);
    EXPECT_EQ(refused({"study", "fit", "grid", "--metric", "nothing"}).find("terminate"), std::string::npos);
}

TEST_F(GridStudy, AnEngineThatIsKilledIsStartedAgain) {
    Json study = Json::parse(std::ifstream(place_->path("studies/grid.json")));
    study["name"] = "killed";
    study["budgets"] = {300};
    study["scales"].erase(1);
    study["variants"].erase(1);
    study["training"]["checkpoint_every"] = 20;
    std::ofstream(place_->path("studies/killed.json")) << study;
    Started started = start(call({"study", "run", "killed", "--jobs", "2", "--json"}));
    std::int64_t engine_pid = 0;
    ASSERT_TRUE(within(std::chrono::seconds(60), [&] {
        const Json points = must({"study", "show", "killed", "--json"}).json()["points"];
        if (points[0]["run"].is_null()) return false;
        const Json run = must({"run", "show", points[0]["run"].get<std::string>(), "--json"}).json();
        if (run["status"]["step"].get<std::int64_t>() < 40) return false;
        engine_pid = run["status"]["process"]["pid"].get<std::int64_t>();
        return true;
    }));
    ::kill(static_cast<pid_t>(engine_pid), SIGKILL);
    const Finished done = started.wait(std::chrono::seconds(120));
    EXPECT_EQ(done.code, 0) << done.all();
    EXPECT_NE(done.err.find("its engine died"), std::string::npos) << done.err;
    EXPECT_EQ(done.json()["states"]["finished"], 1);
}

// Packed, trained where the project is not, collected; twice, and after both sides went on.
TEST_F(GridStudy, ComesBackFromAPlaceOfItsOwn) {
    Json study = Json::parse(std::ifstream(place_->path("studies/grid.json")));
    study["name"] = "away";
    study["budgets"] = {4, 8};
    study["scales"].erase(1);
    study["variants"].erase(1);
    std::ofstream(place_->path("studies/away.json")) << study;
    const std::string there = place_->path("packed");
    EXPECT_EQ(must({"study", "pack", "away", "--out", there, "--json"}).json()["runs"], 2);
    EXPECT_NE(refused({"study", "pack", "away", "--out", there}, 1).find("there is something already"),
              std::string::npos);
    EXPECT_EQ(must({"study", "run", "away", "--project", there, "--json"}).json()["states"]["finished"], 2);
    EXPECT_EQ(must({"study", "show", "away", "--json"}).json()["states"]["planned"], 2) << "not here yet";

    const Json collected = must({"study", "collect", "away", there, "--json"}).json();
    for (const Json& run : collected["runs"]) EXPECT_EQ(run["result"], "updated") << run;
    EXPECT_EQ(must({"study", "show", "away", "--json"}).json()["states"]["finished"], 2);
    const Json again = must({"study", "collect", "away", there, "--json"}).json();
    for (const Json& run : again["runs"]) EXPECT_EQ(run["result"], "nothing new") << run;
    EXPECT_NE(refused({"study", "collect", "away", place_->path("studies")}, 1).find("holds no run"),
              std::string::npos);
    const Finished other = engine({"study", "collect", "grid", there});
    EXPECT_EQ(other.code, 1) << "of another study: " << other.all();
}

TEST_F(GridStudy, FinishedRunsAreAskedOnce) {
    Json study = Json::parse(std::ifstream(place_->path("studies/grid.json")));
    study["name"] = "asked";
    study["budgets"] = {4};
    study["scales"].erase(1);
    study["variants"].erase(1);
    study["data"] = {{"kind", "niah"}};
    study["training"]["context"] = 64;
    study["evaluations"] = {"niah --samples 2 --depths 2", "nonsense \"a b\""};
    std::ofstream(place_->path("studies/asked.json")) << study;
    const Finished first = engine({"study", "run", "asked"});
    EXPECT_EQ(first.code, 1) << "an evaluation that is none is a failure: " << first.all();
    EXPECT_NE(first.err.find("eval nonsense"), std::string::npos) << first.err;
    study["evaluations"] = {"niah --samples 2 --depths 2"};
    std::ofstream(place_->path("studies/asked.json")) << study;
    const Finished again = engine({"study", "run", "asked"});
    EXPECT_EQ(again.code, 0) << again.all();
    const std::string csv = must({"study", "export", "asked"}).out;
    EXPECT_NE(csv.find("score/niah/"), std::string::npos) << "scores are columns: " << csv;
}

}  // namespace
}  // namespace braid::testing
