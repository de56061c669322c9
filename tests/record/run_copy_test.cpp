// Copies of runs, also of one that is being written.
#include "core/record/run_copy.h"

#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/record/run_fixture.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

class RunCopy : public RunTest {
protected:
    std::string out(const std::string& name) const { return temporary_ / name; }
    // A checkpoint's folder with one file, and its row.
    void save(RunWriter& run, std::int64_t step) const {
        const std::string folder = folder_.checkpoint_folder(Step(step));
        fs::create_directories(folder);
        write_text(folder + "/model.safetensors", "weights of " + std::to_string(step));
        ASSERT_TRUE(
            run.checkpoint(Step(step), fs::relative(folder, folder_.path()).string(), 10).has_value());
    }
};

TEST_F(RunCopy, OfARunThatWorksIsWholeAndStandsStill) {
    const auto run = writer();
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    for (int step = 1; step <= 40; ++step) run->append(Step(step), {{"loss", 4.0 / step}});
    save(*run, 20);
    write_text(folder_.log_file(), "a line\n");
    ASSERT_TRUE(run->flush().has_value());
    run->append(Step(41), {{"loss", 1}});  // not committed yet, perhaps

    const Result<RunFolder> copy = copy_run(folder_, out("kopie ü"));
    ASSERT_TRUE(copy.has_value()) << describe(copy.error());
    EXPECT_FALSE(fs::exists(copy->database_file() + "-wal")) << "one file";
    const auto seen = RunReader(*copy).poll();
    ASSERT_FALSE(seen->problem);
    EXPECT_EQ(seen->status.state, RunState::cancelled) << "nobody works on the copy";
    EXPECT_FALSE(seen->status.ended.empty());
    EXPECT_GE(seen->series.at("loss").size(), 40U);
    EXPECT_EQ(seen->status.checkpoint, Step(20));
    EXPECT_EQ(read_plan(copy->plan_file())->id, small_plan().id);
    EXPECT_TRUE(fs::exists(copy->log_file()));
    EXPECT_TRUE(fs::exists(copy->checkpoint_folder(Step(20)) + "/model.safetensors"));
    EXPECT_FALSE(fs::exists(copy->lock_file()));
    EXPECT_EQ(read()->status.state, RunState::running) << "the original is left alone";
    EXPECT_EQ(read()->events.size(), 0U);

    // The copy is a run of its own.
    auto again = RunWriter::open(*copy);
    ASSERT_TRUE(again.has_value()) << describe(again.error());
    EXPECT_TRUE((*again)->begin_attempt(Step(20)).has_value());
}

TEST_F(RunCopy, WhileStepsAndCheckpointsComeAndGo) {
    const auto run = writer({.commit_interval = std::chrono::milliseconds(5)});
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    save(*run, 1);
    std::atomic<bool> done = false;
    std::thread engine([&] {
        for (int step = 2; !done; ++step) {
            run->append(Step(step), {{"loss", 1.0 * step}});
            if (step % 80 == 0) {
                save(*run, step);
                EXPECT_TRUE(run->forget_checkpoint(Step(std::max(1, step - 80))).has_value());
                fs::remove_all(folder_.checkpoint_folder(Step(std::max(1, step - 80))));
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
    for (int i = 0; i < 10; ++i) {
        const Result<RunFolder> copy = copy_run(folder_, out("copy-" + std::to_string(i)));
        EXPECT_TRUE(copy.has_value()) << describe(copy.error());
        if (!copy) break;
        const auto seen = RunReader(*copy).poll();
        EXPECT_FALSE(seen->problem);
        EXPECT_FALSE(seen->checkpoints.empty());
        for (const CheckpointRecord& checkpoint : seen->checkpoints) {
            EXPECT_TRUE(fs::exists(copy->path() + "/" + checkpoint.folder + "/model.safetensors"));
        }
        if (const auto loss = seen->series.find("loss"); loss != seen->series.end()) {
            EXPECT_EQ(loss->second.steps.back(), seen->status.step.value);
        }
    }
    done = true;
    engine.join();
}

TEST_F(RunCopy, NeverOverwritesAndLeavesNothingHalf) {
    ASSERT_TRUE(fs::create_directories(out("full/of")));
    const Result<RunFolder> refused = copy_run(folder_, out("full"));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, ErrorKind::already_exists);
    ASSERT_TRUE(copy_run(folder_, out("planned")).has_value()) << "a run without a store";
    write_text(folder_.database_file(), "this is no database, however long it may be made");
    EXPECT_FALSE(copy_run(folder_, out("broken")).has_value());
    EXPECT_FALSE(copy_run_store(folder_, out("broken.db")).has_value());
    for (const auto& entry : fs::directory_iterator(out("")))
        EXPECT_EQ(entry.path().filename().string().find("broken"), std::string::npos) << entry.path();
}

TEST_F(RunCopy, TheRecordAlone) {
    const auto run = writer();
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    run->append(Step(1), {{"loss", 4}});
    save(*run, 1);
    ASSERT_TRUE(run->close(RunState::finished).has_value());
    ASSERT_TRUE(copy_run_store(folder_, out("a91f.db")).has_value());
    EXPECT_GT(fs::file_size(out("a91f.db")), 0U);
    const Result<RunFolder> light = copy_run(folder_, out("light"), false);
    ASSERT_TRUE(light.has_value()) << describe(light.error());
    EXPECT_TRUE(RunReader(*light).poll()->checkpoints.empty());
    EXPECT_EQ(RunReader(*light).poll()->status.state, RunState::finished);
}

}  // namespace
}  // namespace braid
