// A decay that branches from another run's stable part is the run that was trained alone.
#include "core/engine/checkpoint.h"
#include "tests/engine_run/run_fixture.h"

namespace braid::testing {
namespace {

class BranchTest : public RunTest {
protected:
    static TrainingSpec budget(std::int64_t steps) {
        TrainingSpec training = short_training();
        training.steps = steps;
        training.decay_fraction = 0.25;
        return training;
    }
    RunPlan plan(const std::string& name, const TrainingSpec& training) const {
        return {.id = RunId(name),
                .architecture = tiny_architecture(),
                .training = training,
                .data = {},
                .created = "2026-01-01T00:00:00Z"};
    }
    RunFolder make(const RunPlan& plan) const {
        const Result<RunFolder> made = create_run_folder((folder_ / plan.id.str()).string(), plan);
        EXPECT_TRUE(made) << describe(made.error());
        return *made;
    }
    // 16 steps, stable up to step 12, whose checkpoint stays.
    RunFolder trunk() const {
        RunPlan made = plan("trunk", budget(16));
        made.kept_steps = {12};
        made.training.keep_checkpoints = 1;
        return make(made);
    }
    RunFolder branch(const std::string& name, std::int64_t step, const TrainingSpec& training) const {
        RunPlan made = plan(name, training);
        made.branch_from = BranchOrigin{.run = RunId("trunk"), .step = Step(step)};
        return make(made);
    }
};

TEST_F(BranchTest, EqualsTheRunTrainedAlone) {
    const RunFolder from = trunk();
    ASSERT_TRUE(train(from));
    EXPECT_TRUE(can_resume_from(from.checkpoint_folder(Step(12)))) << "kept besides the newest one";
    const RunFolder branched = branch("branched", 12, budget(24));
    std::int64_t first = 0;
    ASSERT_TRUE(train(branched, 0, [&](Step step) {
        if (first == 0) first = step.value;
    }));
    EXPECT_EQ(first, 12) << "the stable part was not trained again";
    const RunFolder alone = make(plan("alone", budget(24)));
    ASSERT_TRUE(train(alone));
    expect_same(branched, alone, 24);
    EXPECT_TRUE(has_event(*read(branched), "branch"));
}

TEST_F(BranchTest, StandsAloneOnceBegun) {
    const RunFolder from = trunk();
    ASSERT_TRUE(train(from));
    const RunFolder branched = branch("branched", 12, budget(24));
    ASSERT_TRUE(train(branched, 14));
    std::filesystem::remove_all(from.path());
    const Result<TrainingOutcome> resumed = train(branched);
    ASSERT_TRUE(resumed) << describe(resumed.error());
    EXPECT_EQ(resumed->step.value, 24);
    const RunFolder alone = make(plan("alone", budget(24)));
    ASSERT_TRUE(train(alone));
    expect_same(branched, alone, 24);
}

TEST_F(BranchTest, SaysWhyItCannotBranch) {
    const RunFolder from = trunk();
    ASSERT_TRUE(train(from));
    TrainingSpec other = budget(24);
    other.learning_rate *= 2;
    const auto refused = [](const RunFolder& run, ErrorKind kind, const std::string& words) {
        const Result<TrainingOutcome> outcome = train(run);
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().kind, kind);
        EXPECT_NE(describe(outcome.error()).find(words), std::string::npos) << describe(outcome.error());
        EXPECT_EQ(read(run)->status.state, RunState::failed);
    };
    refused(branch("other-rate", 12, other), ErrorKind::invalid_input, "trained otherwise");
    refused(branch("late", 16, budget(24)), ErrorKind::invalid_input, "lies in a decay");
    refused(branch("missing", 5, budget(24)), ErrorKind::not_found, "step 5 of run trunk");
}

}  // namespace
}  // namespace braid::testing
