#include "core/engine/training_run.h"

#include <fstream>
#include <limits>

#include "core/engine/checkpoint.h"
#include "core/engine/device.h"
#include "core/engine/trainer.h"
#include "core/record/run_writer.h"
#include "tests/engine_run/run_fixture.h"

namespace braid::testing {
namespace {

namespace fs = std::filesystem;

using TrainingRunTest = RunTest;

TEST_F(TrainingRunTest, RecordsWhatItPromises) {
    const RunFolder run = make_run("a");
    const auto outcome = train(run);
    ASSERT_TRUE(outcome) << describe(outcome.error());
    EXPECT_EQ(outcome->state, RunState::finished);
    EXPECT_EQ(outcome->tokens, TokenCount(20 * 4 * 128));
    EXPECT_GT(outcome->tokens_per_s, 0);
    EXPECT_TRUE(outcome->evaluation.contains("recall/far"));
    const auto read_back = read(run);
    EXPECT_EQ(read_back->status.state, RunState::finished);
    EXPECT_EQ(read_back->status.step, Step(20));
    EXPECT_EQ(read_back->status.checkpoint, Step(20));
    for (const char* metric : {"loss", "lr", "grad_norm", "tokens", "tokens_per_s", "time_s"})
        EXPECT_EQ(read_back->series.at(metric).size(), 20U) << metric;
    for (const char* metric : {"recall/near", "recall/mid", "recall/far"})
        EXPECT_EQ(read_back->series.at(metric).steps.values()[0], 10) << metric;
    EXPECT_EQ(read_back->series.at("recall/far").size(), 2U);
    EXPECT_LT(read_back->series.at("loss").values.back(), read_back->series.at("loss").values[0]);
}

TEST_F(TrainingRunTest, AMemoryThatIsTooSmallChangesNoNumberAndIsTold) {
    const auto memory_of = [](const RunFolder& run) {
        const auto snapshot = read(run);
        for (const RunEvent& event : snapshot->events)
            if (event.kind == "memory") return event;
        return RunEvent();
    };
    TrainingSpec training = short_training();
    training.steps = 4;
    const RunFolder free = make_run("free", training);
    training.activation_memory = 1e-6;
    const RunFolder tight = make_run("tight", training);
    const auto a = train(free), b = train(tight);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->loss, b->loss);
    EXPECT_EQ(memory_of(free).level, LogLevel::info);
    EXPECT_NE(memory_of(free).message.find("all are kept"), std::string::npos) << memory_of(free).message;
    EXPECT_EQ(memory_of(tight).level, LogLevel::warning);
    EXPECT_NE(memory_of(tight).message.find("whole layers; activation_memory is 1.049 KiB"),
              std::string::npos)
        << memory_of(tight).message;
}

TEST_F(TrainingRunTest, RecordsWhichKernelRanAndTakesTheOneAskedFor) {
    const auto kernel_of = [](const RunFolder& run) {
        std::string kernel;
        const auto snapshot = read(run);
        for (const RunEvent& event : snapshot->events)
            if (event.kind == "kernels") kernel = event.details["kernels"][0]["kernel"];
        return kernel;
    };
    TrainingSpec training = short_training();
    training.steps = 4;
    const RunFolder fast = make_run("fast", training);
    training.attention_kernel = "reference";
    const RunFolder slow = make_run("slow", training);
    const auto a = train(fast), b = train(slow);
    ASSERT_TRUE(a && b);
    EXPECT_NE(kernel_of(fast), "");
    EXPECT_NE(kernel_of(fast), "reference");
    EXPECT_EQ(kernel_of(slow), "reference");
    EXPECT_NEAR(a->loss, b->loss, 1e-4);

    training.attention_kernel = "cudnn";
    const auto refused = train(make_run("refused", training));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_input);
    EXPECT_NE(
        refused.error().message.find("kernels.attention: must be auto or reference on the CPU, got cudnn"),
        std::string::npos)
        << refused.error().message;
}

TEST_F(TrainingRunTest, TwoThreadsRepeatByteForByte) {
    const RunFolder a = make_run("a");
    const RunFolder b = make_run("b");
    ASSERT_TRUE(train(a));
    ASSERT_TRUE(train(b));
    expect_same(a, b, 20);
}

TEST_F(TrainingRunTest, StoppedAndResumedEqualsStraight) {
    const RunFolder straight = make_run("straight");
    ASSERT_TRUE(train(straight));
    const RunFolder resumed = make_run("resumed");
    const auto first = train(resumed, 10);
    ASSERT_TRUE(first) << describe(first.error());
    EXPECT_EQ(first->state, RunState::cancelled);
    EXPECT_EQ(read(resumed)->status.state, RunState::cancelled);
    const auto second = train(resumed);
    ASSERT_TRUE(second) << describe(second.error());
    EXPECT_EQ(second->state, RunState::finished);
    expect_same(straight, resumed, 20);
    const auto run = read(resumed);
    ASSERT_EQ(run->attempts.size(), 2U);
    EXPECT_EQ(run->attempts[1].from, Step(10));
    EXPECT_EQ(run->series.at("loss").size(), 20U) << "no step twice";
}

TEST_F(TrainingRunTest, AKilledRunGoesOnFromItsCheckpoint) {
    const RunFolder straight = make_run("straight");
    ASSERT_TRUE(train(straight));
    const RunFolder killed = make_run("killed");
    ASSERT_TRUE(train(killed, 14));
    // As after a kill: rows up to 14, the checkpoint of step 10 the newest.
    fs::remove_all(killed.checkpoint_folder(Step(14)));
    ASSERT_TRUE(train(killed));
    expect_same(straight, killed, 20);
    EXPECT_EQ(read(killed)->attempts.back().from, Step(10));
}

TEST_F(TrainingRunTest, ABrokenCheckpointIsPassedOver) {
    const RunFolder straight = make_run("straight");
    ASSERT_TRUE(train(straight));
    const RunFolder run = make_run("run");
    ASSERT_TRUE(train(run, 14));
    const std::string model = run.checkpoint_folder(Step(14)) + "/model.safetensors";
    fs::resize_file(model, fs::file_size(model) / 2);
    ASSERT_TRUE(train(run));
    expect_same(straight, run, 20);
    const auto read_back = read(run);
    EXPECT_TRUE(has_event(*read_back, "checkpoint/unusable"));
    EXPECT_EQ(read_back->attempts.back().from, Step(10));
}

TEST_F(TrainingRunTest, WithoutAnyGoodCheckpointItBeginsAnew) {
    const RunFolder straight = make_run("straight");
    ASSERT_TRUE(train(straight));
    const RunFolder run = make_run("run");
    ASSERT_TRUE(train(run, 10));
    ASSERT_TRUE(write_file_atomically(run.checkpoint_folder(Step(10)) + "/state.json", "{\"schema\": 7}"));
    ASSERT_TRUE(train(run));
    expect_same(straight, run, 20);
}

TEST_F(TrainingRunTest, KeepsTheNewestCheckpoints) {
    TrainingSpec training = short_training();
    training.checkpoint_every = 4;
    training.keep_checkpoints = 2;
    const RunFolder run = make_run("run", training);
    ASSERT_TRUE(train(run));
    EXPECT_EQ(list_checkpoints(run.checkpoints_folder()), (std::vector<Step>{Step(20), Step(16)}));
    EXPECT_EQ(read(run)->checkpoints.size(), 2U);
}

TEST_F(TrainingRunTest, KeepsWeightsForTracing) {
    TrainingSpec training = short_training();
    training.checkpoint_every = 4;
    training.keep_checkpoints = 1;
    training.trace_checkpoints = 6;
    const RunFolder run = make_run("run", training);
    // 0, 1, 2, 4, 9, 20; the 4 is a checkpoint, too, whose optimizer goes when it is old.
    ASSERT_TRUE(train(run, 12));
    EXPECT_EQ(list_checkpoints(run.checkpoints_folder()),
              (std::vector<Step>{Step(12), Step(9), Step(4), Step(2), Step(1), Step(0)}));
    for (const std::int64_t step : {0, 1, 2, 4, 9})
        EXPECT_FALSE(can_resume_from(run.checkpoint_folder(Step(step)))) << step;
    EXPECT_EQ(read(run)->checkpoints.size(), 1U) << "what can be resumed from";
    ASSERT_TRUE(train(run));

    training.trace_checkpoints = 0;
    const RunFolder plain = make_run("plain", training);
    ASSERT_TRUE(train(plain));
    expect_same(plain, run, 20);

    // Gone on from an earlier step, what a lost attempt traced later is made again.
    const std::string kept = file_of(run, 9, "model.safetensors");
    training.trace_checkpoints = 6;
    const RunFolder back = make_run("back", training);
    ASSERT_TRUE(train(back, 4));
    std::filesystem::copy(run.checkpoint_folder(Step(2)), back.checkpoint_folder(Step(9)));
    ASSERT_TRUE(train(back, 5));
    EXPECT_FALSE(std::filesystem::exists(back.checkpoint_folder(Step(9))));
    ASSERT_TRUE(train(back));
    EXPECT_TRUE(file_of(back, 9, "model.safetensors") == kept);
}

TEST_F(TrainingRunTest, ThreeStepsThatAreNotFiniteFailTheRun) {
    const RunFolder run = make_run("run");
    ASSERT_TRUE(train(run, 10));
    {
        // Finite weights whose squares are not.
        const RunPlan plan = run.plan().value();
        const auto trainer =
            Trainer::create({.architecture = plan.architecture, .training = plan.training, .data = plan.data},
                            open_device("cpu", 2).value());
        ASSERT_TRUE(load_checkpoint(run.checkpoint_folder(Step(10)), **trainer));
        (*trainer)->model().parameters().values().mul_(1e30F);
        ASSERT_TRUE(save_checkpoint(run.checkpoint_folder(Step(10)), **trainer, 0));
    }
    const auto failed = train(run);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().message.find("3 steps in a row, up to step 13"), std::string::npos)
        << failed.error().message;
    EXPECT_NE(failed.error().message.find("the last good checkpoint is step 10"), std::string::npos);
    const auto read_back = read(run);
    EXPECT_EQ(read_back->status.state, RunState::failed);
    EXPECT_NE(read_back->status.message.find("learning rate"), std::string::npos)
        << read_back->status.message;
    EXPECT_TRUE(has_event(*read_back, "warning/non_finite_loss"));
    EXPECT_EQ(read_back->series.at("loss").size(), 13U) << "rows are kept";
}

TEST_F(TrainingRunTest, ACheckpointThatCannotBeWrittenDoesNotEndTheRun) {
    TrainingSpec training = short_training();
    training.checkpoint_every = 5;
    const RunFolder run = make_run("run", training);
    const auto outcome = train(run, 0, [&](Step step) {
        if (step == Step(7)) {
            fs::rename(run.checkpoints_folder(), run.checkpoints_folder() + ".away");
            std::ofstream(run.checkpoints_folder()) << "in the way";
        }
        if (step == Step(12)) {
            fs::remove(run.checkpoints_folder());
            fs::rename(run.checkpoints_folder() + ".away", run.checkpoints_folder());
        }
    });
    ASSERT_TRUE(outcome) << describe(outcome.error());
    EXPECT_EQ(outcome->state, RunState::finished);
    EXPECT_TRUE(has_event(*read(run), "checkpoint/failed"));
    EXPECT_EQ(list_checkpoints(run.checkpoints_folder()), (std::vector<Step>{Step(20), Step(15), Step(5)}));
}

TEST_F(TrainingRunTest, ASecondEngineIsTurnedAway) {
    const RunFolder run = make_run("run");
    const auto writer = RunWriter::open(run);
    ASSERT_TRUE(writer);
    const auto busy = train(run);
    ASSERT_FALSE(busy);
    EXPECT_EQ(busy.error().kind, ErrorKind::busy);
    EXPECT_NE(busy.error().message.find(std::to_string(::getpid())), std::string::npos);
}

TEST_F(TrainingRunTest, AnUnusableDeviceFailsTheRunAndKeepsItsRows) {
    const RunFolder run = make_run("run");
    ASSERT_TRUE(train(run, 10));
    RunPlan plan = run.plan().value();
    plan.training.device = "cuda";
    ASSERT_TRUE(write_plan(run.plan_file(), plan));
    if (has_nvidia_driver()) GTEST_SKIP() << "this machine has CUDA";
    const auto failed = train(run);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::unavailable);
    const auto read_back = read(run);
    EXPECT_EQ(read_back->status.state, RunState::failed);
    EXPECT_NE(read_back->status.message.find("--device cpu"), std::string::npos) << read_back->status.message;
    EXPECT_EQ(read_back->series.at("loss").size(), 10U);
}

TEST_F(TrainingRunTest, AnExceptionIsAFailedRun) {
    const RunFolder run = make_run("run");
    const auto failed = train(run, 0, [](Step step) {
        if (step == Step(3)) throw std::bad_alloc();
    });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::out_of_memory);
    const auto read_back = read(run);
    EXPECT_EQ(read_back->status.state, RunState::failed);
    EXPECT_NE(read_back->status.message.find("smaller batch"), std::string::npos)
        << read_back->status.message;
    EXPECT_EQ(read_back->series.at("loss").size(), 3U);
}

TEST_F(TrainingRunTest, FinishedRunsStayFinished) {
    const RunFolder run = make_run("run");
    ASSERT_TRUE(train(run));
    const auto again = train(run);
    ASSERT_TRUE(again) << describe(again.error());
    EXPECT_EQ(again->state, RunState::finished);
    EXPECT_EQ(again->step, Step(20));
    EXPECT_EQ(read(run)->series.at("loss").size(), 20U);
}

}  // namespace
}  // namespace braid::testing
