// run.db on node-local disk with published snapshots, as on a network file system.
#include <thread>

#include "tests/record/run_fixture.h"

namespace braid {
namespace {

using std::chrono::milliseconds;

class PublishedStoreTest : public RunTest {
protected:
    WriterOptions options() const {
        return {.commit_interval = milliseconds(10),
                .publish_interval = milliseconds(50),
                .local_folder = temporary_ / "local"};
    }
};

TEST_F(PublishedStoreTest, ReadersSeeWholeSnapshots) {
    RunReader reader(folder_);
    const auto run = writer(options());
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    std::uint64_t generation = 0;
    std::size_t seen = 0;
    for (int step = 1; step <= 400; ++step) {
        run->append(Step(step), {{"loss", 1.0 / step}});
        if (step % 20 != 0) continue;
        std::this_thread::sleep_for(milliseconds(25));
        const auto snapshot = reader.poll();
        ASSERT_FALSE(snapshot->problem) << describe(*snapshot->problem);
        const auto loss = snapshot->series.find("loss");
        if (loss == snapshot->series.end()) continue;
        if (seen == 0) generation = snapshot->generation;
        EXPECT_GE(loss->second.size(), seen);
        EXPECT_EQ(snapshot->generation, generation) << "a later snapshot only goes on";
        seen = loss->second.size();
        EXPECT_FALSE(std::filesystem::exists(folder_.database_file() + "-wal"));
    }
    EXPECT_GT(seen, 0U);
    ASSERT_TRUE(run->close(RunState::finished).has_value());
    EXPECT_EQ(reader.poll()->series.at("loss").size(), 400U);
    EXPECT_EQ(reader.latest()->status.state, RunState::finished);
    EXPECT_TRUE(std::filesystem::is_empty(temporary_ / "local")) << "the local copy is removed at the end";
}

TEST_F(PublishedStoreTest, ACheckpointIsPublishedAtOnce) {
    WriterOptions slow = options();
    slow.publish_interval = std::chrono::hours(1);
    const auto run = writer(slow);
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    run->append(Step(7), {{"loss", 1}});
    ASSERT_TRUE(run->checkpoint(Step(7), "checkpoints/step-00000007", 1).has_value());
    RunReader reader(folder_);
    for (int i = 0; i < 200 && reader.poll()->status.checkpoint != Step(7); ++i)
        std::this_thread::sleep_for(milliseconds(10));
    EXPECT_EQ(reader.latest()->status.checkpoint, Step(7));
}

// The engine was killed: what it had written locally but not published is not lost on the same machine.
TEST_F(PublishedStoreTest, ALeftOverLocalStoreIsContinued) {
    WriterOptions slow = options();
    slow.publish_interval = std::chrono::hours(1);
    {
        const auto run = writer(slow);
        ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
        for (int step = 1; step <= 50; ++step) run->append(Step(step), {{"loss", 1}});
    }  // destroyed, not closed
    const auto run = writer(slow);
    EXPECT_EQ(run->last_attempt(), AttemptNumber(1));
    ASSERT_TRUE(run->begin_attempt(Step(40)).has_value());
    ASSERT_TRUE(run->close(RunState::cancelled).has_value());
    EXPECT_EQ(steps_of("loss").size(), 40U);
}

// On another machine there is only what was published.
TEST_F(PublishedStoreTest, APublishedStoreIsContinuedElsewhere) {
    {
        const auto run = writer(options());
        ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
        for (int step = 1; step <= 50; ++step) run->append(Step(step), {{"loss", 1}});
        ASSERT_TRUE(run->close(RunState::cancelled).has_value());
    }
    WriterOptions elsewhere = options();
    elsewhere.local_folder = temporary_ / "another machine";
    const auto run = writer(elsewhere);
    ASSERT_TRUE(run->begin_attempt(Step(50)).has_value());
    run->append(Step(51), {{"loss", 1}});
    ASSERT_TRUE(run->close(RunState::finished).has_value());
    EXPECT_EQ(steps_of("loss").size(), 51U);
}

}  // namespace
}  // namespace braid
