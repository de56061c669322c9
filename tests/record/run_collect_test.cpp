// Runs that come back from a cluster.
#include "core/record/run_collect.h"

#include <gmock/gmock.h>

#include "core/base/file.h"
#include "core/record/run_copy.h"
#include "tests/record/run_fixture.h"

namespace braid {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class CollectTest : public ::testing::Test {
protected:
    void SetUp() override {
        project_.emplace(Project::create(temporary_ / "here", "Here").value());
        here_ = create_run_folder(temporary_ / "here/runs/a91f", small_plan()).value();
        there_ = copy_run(here_, temporary_ / "there/a91f").value();
    }
    // One attempt that goes on to `last`.
    static void train(const RunFolder& folder, std::int64_t first, std::int64_t last) {
        std::unique_ptr<RunWriter> writer = RunWriter::open(folder).value();
        ASSERT_TRUE(writer->begin_attempt(first > 1 ? std::optional(Step(first - 1)) : std::nullopt));
        for (std::int64_t step = first; step <= last; ++step) writer->append(Step(step), {{"loss", 1.0}});
        ASSERT_TRUE(writer->close(RunState::cancelled));
    }
    Collected collect() {
        const Result<Collected> collected = collect_run(there_, *project_);
        EXPECT_TRUE(collected) << describe(collected.error());
        return collected.value_or(Collected::same);
    }
    static std::int64_t step_of(const RunFolder& folder) { return read_run_status(folder)->step.value; }
    // Nothing half done lies about.
    void expect_tidy() const {
        for (const auto& entry : fs::directory_iterator(project_->folder()))
            EXPECT_FALSE(entry.path().filename().string().starts_with(".collect")) << entry.path();
        EXPECT_EQ(project_->runs().size(), 1U);
    }

    TemporaryFolder temporary_;
    std::optional<Project> project_;
    RunFolder here_, there_;
};

TEST_F(CollectTest, BringsWhatWasTrainedThere) {
    EXPECT_EQ(collect(), Collected::same);
    train(there_, 1, 10);
    EXPECT_EQ(collect(), Collected::updated);
    EXPECT_EQ(step_of(here_), 10);
    train(there_, 6, 20);
    EXPECT_EQ(collect(), Collected::updated);
    EXPECT_EQ(step_of(here_), 20);
    EXPECT_EQ(collect(), Collected::same);
    expect_tidy();
}

TEST_F(CollectTest, AddsARunThatIsNotHere) {
    train(there_, 1, 5);
    ASSERT_TRUE(project_->remove_run(here_, Project::Removal::forever));
    EXPECT_EQ(collect(), Collected::added);
    EXPECT_EQ(step_of(here_), 5);
    expect_tidy();
}

TEST_F(CollectTest, NeverTakesBackWhatIsNewerHere) {
    train(there_, 1, 10);
    EXPECT_EQ(collect(), Collected::updated);
    train(here_, 6, 20);
    EXPECT_EQ(collect(), Collected::newer_here);
    EXPECT_EQ(step_of(here_), 20);
    // And there, too: nobody can say which one counts.
    train(there_, 6, 30);
    const Result<Collected> both = collect_run(there_, *project_);
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().kind, ErrorKind::already_exists);
    EXPECT_THAT(both.error().message, HasSubstr("it went on here (step 20) and there (step 30)"));
    EXPECT_EQ(step_of(here_), 20);
    expect_tidy();
}

TEST_F(CollectTest, RefusesAnotherRunOfThisId) {
    train(there_, 1, 10);
    RunPlan plan = there_.plan().value();
    plan.training.learning_rate *= 2;
    ASSERT_TRUE(write_plan(there_.plan_file(), plan));
    const Result<Collected> other = collect_run(there_, *project_);
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message, HasSubstr("another run has its id here"));
    plan.id = RunId("../a91f");
    ASSERT_TRUE(write_plan(there_.plan_file(), plan));
    EXPECT_EQ(collect_run(there_, *project_).error().kind, ErrorKind::invalid_input);
    EXPECT_EQ(step_of(here_), 0);
}

TEST_F(CollectTest, LeavesARunAloneThatIsTrainedHere) {
    train(there_, 1, 10);
    const std::unique_ptr<RunWriter> writer = RunWriter::open(here_).value();
    const Result<Collected> busy = collect_run(there_, *project_);
    ASSERT_FALSE(busy);
    EXPECT_EQ(busy.error().kind, ErrorKind::busy);
}

TEST_F(CollectTest, KeepsScoresOfBothAndRefusesWhatIsBroken) {
    train(there_, 1, 10);
    ASSERT_TRUE(make_folder(there_.scores_folder()));
    ASSERT_TRUE(write_file_atomically(there_.scores_folder() + "/a.json", "{}"));
    ASSERT_TRUE(make_folder(here_.scores_folder()));
    ASSERT_TRUE(write_file_atomically(here_.scores_folder() + "/b.json", "{}"));
    EXPECT_EQ(collect(), Collected::updated);
    EXPECT_TRUE(fs::exists(here_.scores_folder() + "/a.json"));
    EXPECT_TRUE(fs::exists(here_.scores_folder() + "/b.json"));
    ASSERT_TRUE(write_file_atomically(there_.scores_folder() + "/c.json", "{}"));
    EXPECT_EQ(collect(), Collected::updated);
    EXPECT_TRUE(fs::exists(here_.scores_folder() + "/c.json"));
    ASSERT_TRUE(write_file_atomically(there_.database_file(), "half a file"));
    EXPECT_FALSE(collect_run(there_, *project_));
    EXPECT_EQ(step_of(here_), 10);
    expect_tidy();
}

}  // namespace
}  // namespace braid
