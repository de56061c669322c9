// Steps on a GPU: recorded and played as CUDA graphs they are those that are launched, bit for bit; the host
// learns the numbers of a step while the device does the next one, and nothing else changes.
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "core/engine/device.h"
#include "core/engine/trainer.h"
#include "tests/engine_cuda/cuda_test.h"
#include "tests/engine_run/run_fixture.h"

namespace braid::testing {
namespace {

TrainingSpec training_on_gpu(const std::string& kernels) {
    TrainingSpec training = short_training();
    training.device = "cuda";
    training.deterministic = true;
    training.step_kernels = kernels;
    training.head_norms_every = 3;
    return training;
}

std::unique_ptr<Trainer> make_trainer(const std::string& pattern, const TrainingSpec& training) {
    auto made = Trainer::create(
        {.architecture = tiny_architecture(pattern), .training = training, .data = {}}, cuda_ops());
    EXPECT_TRUE(made) << describe(made.error());
    return std::move(*made);
}

struct Trained {
    std::vector<StepResult> steps;
    std::map<std::string, double> evaluation;  // after half of them
    std::int64_t weights = 0;
    std::string way;
};

Trained train(const std::string& pattern, const TrainingSpec& training) {
    const auto trainer = make_trainer(pattern, training);
    Trained done;
    const auto keep = [&](const std::optional<StepResult>& step) {
        if (step) done.steps.push_back(*step);
    };
    for (std::int64_t i = 0; i < training.steps; ++i) {
        const auto step = trainer->advance([] { return true; });
        EXPECT_TRUE(step) << describe(step.error());
        if (!step) return done;
        EXPECT_EQ(step->has_value(), i > 0) << "the result is one step late";
        keep(*step);
        if (i != training.steps / 2) continue;
        done.evaluation = trainer->evaluate().value();
    }
    keep(trainer->settle());
    EXPECT_FALSE(trainer->in_flight());
    done.weights = trainer->weights_checksum();
    done.way = trainer->step_way();
    return done;
}

TEST(CudaStep, PlayedStepsAreTheLaunchedOnesBitForBit) {
    BRAID_NEEDS_CUDA();
    for (const char* pattern : {"F x2", "FS[w=16] x1", "LF x1", "MF x1", "GF x1"}) {
        SCOPED_TRACE(pattern);
        const Trained launched = train(pattern, training_on_gpu("launch"));
        const Trained played = train(pattern, training_on_gpu("auto"));
        EXPECT_EQ(launched.way, "launched kernel by kernel");
        EXPECT_EQ(played.way, "recorded, played as CUDA graphs");
        ASSERT_EQ(launched.steps.size(), 20U);
        ASSERT_EQ(played.steps.size(), 20U);
        for (std::size_t i = 0; i < played.steps.size(); ++i) {
            const StepResult &a = launched.steps[i], &b = played.steps[i];
            EXPECT_EQ(b.step.value, std::int64_t(i) + 1);
            EXPECT_EQ(a.loss, b.loss) << "step " << i + 1;
            EXPECT_EQ(a.grad_norm, b.grad_norm) << "step " << i + 1;
            EXPECT_EQ(a.head_norms, b.head_norms) << "step " << i + 1;
            EXPECT_EQ(a.head_norms.empty(), i % 3 != 0);
            EXPECT_TRUE(b.applied);
        }
        EXPECT_EQ(launched.evaluation, played.evaluation);
        EXPECT_EQ(launched.weights, played.weights);
        std::printf("    %-12s loss %.6f -> %.6f, equal in 20 steps\n", pattern, played.steps.front().loss,
                    played.steps.back().loss);
    }
}

TEST(CudaStep, WhatIsNotFiniteIsLeftOutAndToldOneStepLater) {
    BRAID_NEEDS_CUDA();
    const auto trainer = make_trainer("FS[w=16] x1", training_on_gpu("graph"));
    const auto advance = [&] { return trainer->advance([] { return true; }).value(); };
    for (int i = 0; i < 4; ++i) advance();
    (void)trainer->settle();
    const at::Tensor values = trainer->model().parameters().values();
    const Parameter& norm = *trainer->model().parameters().find("model.norm.weight");
    const at::Tensor weight = trainer->model().parameters().value(norm);
    const at::Tensor good = weight.clone();
    weight.fill_(INFINITY);
    trainer->model().parameters().refresh_compute();
    const at::Tensor before = values.clone();
    EXPECT_FALSE(advance());
    weight.copy_(good);
    EXPECT_EQ(trainer->optimizer().steps_done(), 4);
    before.copy_(values);
    trainer->model().parameters().refresh_compute();
    const std::optional<StepResult> bad = advance();
    ASSERT_TRUE(bad);
    EXPECT_EQ(bad->step, Step(5));
    EXPECT_FALSE(bad->applied);
    const std::optional<StepResult> next = trainer->settle();
    ASSERT_TRUE(next);
    EXPECT_TRUE(next->applied);
    EXPECT_EQ(trainer->optimizer().steps_done(), 5);
    EXPECT_TRUE(std::isfinite(next->loss));
    EXPECT_FALSE(values.equal(before));
}

TEST(CudaStep, WhatCannotBeRecordedLeavesNoTrace) {
    BRAID_NEEDS_CUDA();
    Ops& ops = *cuda_ops();
    const at::Tensor x = at::zeros({4}, at::dtype(at::kFloat).device(ops.device()));
    EXPECT_ANY_THROW(ops.record([&] {
        x.add_(1);
        (void)x.sum().item();  // waits for the device
    }));
    EXPECT_EQ(x.sum().item().toDouble(), 0);
    const std::unique_ptr<Recording> recording = ops.record([&] { x.add_(x.new_ones({4})); });
    EXPECT_EQ(x.sum().item().toDouble(), 0) << "recorded, not done";
    recording->replay();
    recording->replay();
    EXPECT_EQ(x.sum().item().toDouble(), 8);
}

class CudaRunTest : public RunTest {};

TEST_F(CudaRunTest, StoppedAndResumedEqualsStraight) {
    BRAID_NEEDS_CUDA();
    const RunFolder straight = make_run("straight", training_on_gpu("graph"));
    const auto whole = RunTest::train(straight);
    ASSERT_TRUE(whole) << describe(whole.error());
    EXPECT_TRUE(has_event(*read(straight), "step"));
    EXPECT_TRUE(has_event(*read(straight), "kernels"));
    EXPECT_EQ(read(straight)->series.at("loss").size(), 20U);
    const RunFolder resumed = make_run("resumed", training_on_gpu("graph"));
    const auto first = RunTest::train(resumed, 7);
    ASSERT_TRUE(first) << describe(first.error());
    EXPECT_EQ(first->state, RunState::cancelled);
    EXPECT_LE(first->step, Step(8));
    const auto second = RunTest::train(resumed);
    ASSERT_TRUE(second) << describe(second.error());
    EXPECT_EQ(second->state, RunState::finished);
    expect_same(straight, resumed, 20);
}

}  // namespace
}  // namespace braid::testing
