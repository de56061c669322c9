// Runs found for the points of a study, what they can branch from, and their table.
#include "core/record/study_state.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/mixers/builtin.h"
#include "core/record/measured_speed.h"
#include "core/record/run_writer.h"
#include "core/record/study_table.h"
#include "core/spec/schedule.h"
#include "tests/base/temporary_folder.h"

namespace braid {
namespace {

using testing::ElementsAre;

class StudyStateTest : public testing::Test {
protected:
    StudyStateTest() {
        spec_.name = "grid";
        spec_.training.context = 32;
        spec_.training.batch = 64;
        spec_.training.warmup_steps = 5;
        spec_.variants = {{.label = "Full", .pattern = "F"}};
        spec_.scales = {{.name = "tiny"}};
        spec_.budgets = {1, 2, 4};
        project_.emplace(*Project::create(temporary_ / "project", "Test"));
    }

    std::vector<PlannedPoint> planned() const {
        auto points = plan_study(spec_, {.catalog = builtin_mixers(), .find_architecture = {}});
        EXPECT_TRUE(points);
        return *std::move(points);
    }
    StudyState state() const {
        return match_runs(spec_, planned(), runs_of_study(*project_, "grid"), builtin_mixers());
    }
    // A run of that point which has come so far.
    RunFolder run(std::size_t point, RunState end, std::int64_t step, double loss = 2) const {
        const RunFolder folder = *project_->add_run(run_plan_of(spec_, planned()[point]));
        const auto writer = *RunWriter::open(folder);
        EXPECT_TRUE(writer->begin_attempt(std::nullopt));
        writer->event(Step(0), LogLevel::info, "device", "trains on Test chip");
        writer->append(Step(step), {{.metric = "loss", .value = loss},
                                    {.metric = "tokens_per_s", .value = 1000},
                                    {.metric = "head_grad_norm/L0.H0", .value = 1}});
        EXPECT_TRUE(writer->close(end));
        return folder;
    }
    static void checkpoint(const RunFolder& folder, std::int64_t step) {
        std::filesystem::create_directories(folder.checkpoint_folder(Step(step)));
        std::ofstream(folder.checkpoint_folder(Step(step)) + "/optimizer.safetensors") << "x";
    }

    TemporaryFolder temporary_;
    StudySpec spec_;
    std::optional<Project> project_;
};

TEST_F(StudyStateTest, FinishedRunsCountFirst) {
    run(0, RunState::finished, 10);
    run(0, RunState::failed, 3);
    const StudyState now = state();
    ASSERT_EQ(now.points.size(), 3U);
    EXPECT_TRUE(now.points[0].finished());
    EXPECT_EQ(now.points[1].state(), RunState::planned);
    EXPECT_EQ(now.other_runs, 0U);
}

TEST_F(StudyStateTest, ARunOfAnotherVersionOfTheStudyIsNone) {
    run(0, RunState::finished, 10);
    spec_.training.learning_rate *= 2;
    EXPECT_EQ(state().points[0].state(), RunState::planned);
    EXPECT_EQ(state().other_runs, 1U);
    spec_.training.learning_rate /= 2;
    spec_.training.device = "cpu";
    spec_.training.checkpoint_every = 7;
    EXPECT_TRUE(state().points[0].finished()) << "how it is computed does not matter";
}

TEST_F(StudyStateTest, ALargerBudgetAddedLaterGoesOnFromWhatThereIs) {
    const std::vector<PlannedPoint> points = planned();
    const std::int64_t first = stable_steps(points[0].training), second = stable_steps(points[1].training);
    EXPECT_THAT(run_plan_of(spec_, points[0]).kept_steps, ElementsAre(first));
    const RunFolder small = run(0, RunState::finished, points[0].training.steps);
    EXPECT_FALSE(trunk_for(spec_, state(), 2)) << "its checkpoint is gone";
    checkpoint(small, first);
    ASSERT_TRUE(trunk_for(spec_, state(), 2));
    EXPECT_EQ(trunk_for(spec_, state(), 2)->step, Step(first));
    const RunFolder middle = run(1, RunState::running, second + 1);
    checkpoint(middle, second);
    EXPECT_EQ(trunk_for(spec_, state(), 2), (BranchOrigin{RunId(middle.name()), Step(second)}))
        << "the longest stable part";
    EXPECT_FALSE(trunk_for(spec_, state(), 0)) << "the smallest budget has no trunk";
    spec_.branching = false;
    EXPECT_FALSE(trunk_for(spec_, state(), 2));
}

TEST_F(StudyStateTest, PointsWaitForTheTrunkThatIsToCome) {
    const auto all_come = [](std::size_t) { return true; };
    const auto none_comes = [](std::size_t) { return false; };
    EXPECT_FALSE(waits_for_trunk(spec_, state(), 0, all_come));
    EXPECT_TRUE(waits_for_trunk(spec_, state(), 1, all_come));
    EXPECT_FALSE(waits_for_trunk(spec_, state(), 1, none_comes)) << "a failed trunk holds nobody up";
    const std::vector<PlannedPoint> points = planned();
    checkpoint(run(0, RunState::finished, points[0].training.steps), stable_steps(points[0].training));
    EXPECT_FALSE(waits_for_trunk(spec_, state(), 1, all_come));
    EXPECT_TRUE(waits_for_trunk(spec_, state(), 2, all_come)) << "point 1 will be the better trunk";
}

TEST_F(StudyStateTest, Table) {
    run(1, RunState::finished, 100, 1.5);
    const CsvTable table = study_table(spec_, state());
    EXPECT_THAT(table.titles, ElementsAre("curve", "architecture", "scale", "budget", "seed", "parameters",
                                          "tokens", "run", "state", "loss", "tokens_per_s"));
    ASSERT_EQ(table.rows.size(), 3U);
    EXPECT_EQ(table.rows[0].cells[8], "planned");
    EXPECT_EQ(table.rows[0].cells[9], "");
    EXPECT_EQ(table.rows[1].cells[6], std::to_string(100 * 32 * 64));
    EXPECT_EQ(table.rows[1].cells[9], "1.5");
    const Checked<CsvTable> again = parse_csv(to_csv(table));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->rows, table.rows) << "lines too";
}

TEST_F(StudyStateTest, SpeedOfTheDevicesThatWereTrainedOn) {
    EXPECT_TRUE(measured_speeds(runs_of_study(*project_), builtin_mixers()).empty());
    run(0, RunState::finished, 10);
    run(1, RunState::finished, 10);
    const std::vector<MeasuredSpeed> speeds = measured_speeds(runs_of_study(*project_), builtin_mixers());
    ASSERT_EQ(speeds.size(), 1U);
    EXPECT_EQ(speeds[0].device, "Test chip");
    EXPECT_EQ(speeds[0].runs, 2U);
    EXPECT_GT(speeds[0].flops_per_s, 1000 * 6 * 188'416);
}

}  // namespace
}  // namespace braid
