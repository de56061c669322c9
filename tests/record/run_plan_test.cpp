#include "core/record/run_plan.h"

#include <gtest/gtest.h>

#include "tests/record/run_fixture.h"

namespace braid {
namespace {

std::vector<std::string> messages(const Checked<RunPlan>& plan) {
    std::vector<std::string> texts;
    if (!plan)
        for (const Diagnostic& problem : plan.error()) texts.push_back(problem.message());
    return texts;
}

TEST(RunPlan, RoundTrip) {
    const RunPlan plan = small_plan();
    const Checked<RunPlan> read = plan_from_json(to_json(plan));
    ASSERT_TRUE(read.has_value()) << messages(read)[0];
    EXPECT_EQ(*read, plan);
}

TEST(RunPlan, LineageIsKept) {
    RunPlan plan = small_plan();
    plan.branch_from = BranchOrigin{.run = RunId("b04c"), .step = Step(540)};
    plan.kept_steps = {540, 1080};
    const Checked<RunPlan> read = plan_from_json(to_json(plan));
    ASSERT_TRUE(read.has_value()) << messages(read)[0];
    EXPECT_EQ(*read, plan);
    Json json = to_json(plan);
    json["branch_from"] = {{"run", "../elsewhere"}, {"step", 0}};
    json["kept_steps"] = {540, "all"};
    EXPECT_EQ(messages(plan_from_json(json)).size(), 3U);
}

TEST(RunPlan, PlansOfVersionOneStillOpen) {
    const std::string file = std::string(std::getenv("BRAID_SOURCE_DIR")) + "/tests/golden/plan_v1.json";
    const Result<RunPlan> plan = read_plan(file);
    ASSERT_TRUE(plan.has_value()) << describe(plan.error());
    EXPECT_EQ(plan->id.str(), "a91f");
    EXPECT_EQ(plan->architecture.layers.size(), 4U);
    EXPECT_EQ(plan->training.steps, 600);
    EXPECT_EQ(plan->study.str(), "laziness");
    EXPECT_EQ(plan->data.kind, "recall");
}

TEST(RunPlan, AllProblemsAtOnce) {
    Json json = to_json(small_plan());
    json["colour"] = "red";
    json["name"] = 7;
    json.erase("data");
    json["training"]["steps"] = "many";
    json["architecture"]["d_model"] = true;
    const std::vector<std::string> texts = messages(plan_from_json(json));
    const auto mentions = [&](const std::string& part) {
        for (const std::string& text : texts)
            if (text.find(part) != std::string::npos) return true;
        return false;
    };
    EXPECT_TRUE(mentions("colour: is not a known key"));
    EXPECT_TRUE(mentions("name: must be a text, got 7"));
    EXPECT_TRUE(mentions("data: must be given"));
    EXPECT_TRUE(mentions("training.steps"));
    EXPECT_TRUE(mentions("architecture.d_model"));
    EXPECT_EQ(texts.size(), 5U);
}

TEST(RunPlan, TheRulesOfTheTrainingHold) {
    Json json = to_json(small_plan());
    json["training"]["micro_batches"] = 5;  // does not divide a batch of 32
    EXPECT_EQ(messages(plan_from_json(json)).size(), 1U);
}

TEST(RunPlan, AFutureVersionSaysSoAndNothingElse) {
    Json json = to_json(small_plan());
    json["schema_version"] = 99;
    json["something_new"] = 1;
    const std::vector<std::string> texts = messages(plan_from_json(json));
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_NE(texts[0].find("newer Braid"), std::string::npos);
}

TEST(RunPlan, AFileThatIsNoPlanNamesItself) {
    const TemporaryFolder folder;
    write_text(folder / "plan.json", "{\"id\": ");
    const Result<RunPlan> plan = read_plan(folder / "plan.json");
    ASSERT_FALSE(plan.has_value());
    EXPECT_EQ(plan.error().kind, ErrorKind::invalid_input);
    EXPECT_EQ(plan.error().path, folder / "plan.json");
}

}  // namespace
}  // namespace braid
