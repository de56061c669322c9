// Commands from outside while a run trains.
#include <chrono>
#include <cstdio>
#include <thread>

#include "core/engine/checkpoint.h"
#include "core/record/inbox.h"
#include "tests/engine_run/run_fixture.h"

namespace braid::testing {
namespace {

using Clock = std::chrono::steady_clock;

class CommandsTest : public RunTest {
protected:
    CommandsTest() {
        TrainingSpec training = short_training();
        training.steps = 100'000;  // ends by a command
        training.checkpoint_every = 0;
        training.evaluate_every = 0;
        run_ = make_run("run", training);
        engine_ = std::thread([this] { outcome_ = train_run(run_, {}); });
        reader_ = std::make_unique<RunReader>(run_);
        EXPECT_TRUE(until([](const RunSnapshot& run) { return run.status.step.value >= 3; }));
    }
    ~CommandsTest() override { end(); }

    void end() {
        if (!engine_.joinable()) return;
        (void)post_command(run_, "stop");
        engine_.join();
    }

    bool until(const std::function<bool(const RunSnapshot&)>& holds) {
        const auto limit = Clock::now() + std::chrono::seconds(30);
        while (!holds(*reader_->poll())) {
            if (Clock::now() > limit) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return true;
    }

    // Milliseconds until the command was acknowledged; its answer once it took effect.
    std::pair<double, std::string> post(const std::string& kind) {
        const auto begin = Clock::now();
        const std::string id = post_command(run_, kind).value();
        double acknowledged = -1;
        std::string answer;
        EXPECT_TRUE(until([&](const RunSnapshot& run) {
            for (const CommandRecord& record : run.commands) {
                if (record.id != id) continue;
                if (!record.acknowledged.empty() && acknowledged < 0)
                    acknowledged = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
                answer = record.answer;
                return !record.done.empty();
            }
            return false;
        })) << kind;
        std::printf("%s acknowledged after %.0f ms\n", kind.c_str(), acknowledged);
        EXPECT_GE(acknowledged, 0);
        EXPECT_LT(acknowledged, 200) << kind;
        return {acknowledged, answer};
    }

    RunFolder run_;
    std::unique_ptr<RunReader> reader_;
    std::thread engine_;
    Result<TrainingOutcome> outcome_ = fail(ErrorKind::internal, "not ended");
};

TEST_F(CommandsTest, PauseCheckpointResumeStop) {
    post("pause");
    EXPECT_TRUE(until([](const RunSnapshot& run) { return run.status.state == RunState::paused; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const Step at = reader_->poll()->status.step;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(reader_->poll()->status.step, at) << "a paused run stands still";

    EXPECT_EQ(post("checkpoint").second, "saved step " + std::to_string(at.value));
    EXPECT_EQ(list_checkpoints(run_.checkpoints_folder()), (std::vector<Step>{at}));

    post("resume");
    EXPECT_TRUE(until([&](const RunSnapshot& run) {
        return run.status.state == RunState::running && run.status.step.value > at.value;
    }));

    EXPECT_NE(post("stop").second.find(", saved"), std::string::npos);
    engine_.join();
    ASSERT_TRUE(outcome_) << describe(outcome_.error());
    EXPECT_EQ(outcome_->state, RunState::cancelled);
    EXPECT_EQ(reader_->poll()->status.checkpoint, outcome_->step);
}

TEST_F(CommandsTest, StopEndsAPausedRun) {
    post("pause");
    post("stop");
    engine_.join();
    ASSERT_TRUE(outcome_);
    EXPECT_EQ(read(run_)->status.state, RunState::cancelled);
}

TEST_F(CommandsTest, UnknownCommandsAreAnswered) {
    EXPECT_NE(post("capture").second.find("does not know"), std::string::npos);
}

}  // namespace
}  // namespace braid::testing
