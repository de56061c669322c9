#include "core/engine/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "core/base/random.h"
#include "core/measure/bench/plain_model.h"
#include "kernels/update.h"
#include "tests/engine/tiny.h"

namespace braid::test {
namespace {

at::Tensor random_matrices(std::int64_t n, std::int64_t rows, std::int64_t cols, at::ScalarType type) {
    at::Tensor x = at::empty({n, rows, cols}, at::kDouble);
    Random random(3, "test/matrices");
    for (std::int64_t i = 0; i < x.numel(); ++i) x.mutable_data_ptr<double>()[i] = random.normal();
    return x.to(type);
}

TEST(NewtonSchulz, ABatchEqualsTheReferenceOfEachMatrix) {
    for (const auto& [rows, cols] :
         {std::pair<std::int64_t, std::int64_t>{8, 8}, {5, 12}, {12, 5}, {1, 7}, {64, 160}}) {
        const at::Tensor start = random_matrices(3, rows, cols, at::kDouble);
        const at::Tensor want = start.clone();
        for (std::int64_t i = 0; i < 3; ++i)
            kernels::ref::newton_schulz(want.mutable_data_ptr<double>() + i * rows * cols, rows, cols, 5);
        const at::Tensor float64 = start.clone(), float32 = start.to(at::kFloat);
        make_cpu_ops(at::kDouble)->newton_schulz(float64, 5);
        make_cpu_ops(at::kFloat)->newton_schulz(float32, 5);
        std::printf("    newton-schulz %ldx%ld: error %.1e in float64, %.1e in float32\n", long(rows),
                    long(cols), relative_error(float64, want), relative_error(float32, want));
        EXPECT_LE(relative_error(float64, want), 1e-12);
        EXPECT_LE(relative_error(float32, want), 1e-4);
    }
}

// Steps of the engine beside steps written plainly, in float64, with clipping at work.
TEST(Optimizer, TrainsLikeThePlainOne) {
    const ArchitectureSpec spec = architecture("FS[w=4] x2");
    const auto model = test::model(spec, at::kDouble);
    PlainModel plain(spec, model->parameters());
    TrainingSpec training;
    training.grad_clip = 0.3;
    Optimizer optimizer(training, model->parameters(), model->ops());
    PlainOptimizer plain_optimizer(training, model->parameters());
    for (int step = 0; step < 6; ++step) {
        const TinyBatch data = batch(2, 20, spec.vocab, std::uint64_t(step));
        const double learning_rate = 1e-3 * (step + 1);
        model->zero_gradients();
        model->forward_backward(data.tokens_BT, data.targets_BT, 0.025);
        optimizer.step(learning_rate);
        plain.zero_gradients();
        (plain.loss_sum(data.tokens_BT, data.targets_BT) * 0.025).backward();
        plain_optimizer.step(plain, learning_rate);
    }
    EXPECT_GT(optimizer.gradient_norm().item().toDouble(), training.grad_clip);
    double worst = 0;
    for (const Parameter& parameter : model->parameters().layout().parameters) {
        const double error =
            relative_error(model->parameters().value(parameter), plain.parameters().at(parameter.name));
        EXPECT_LE(error, 1e-9) << parameter.name;
        worst = std::max(worst, error);
    }
    std::printf("    six steps: worst error %.1e\n", worst);
}

TEST(Optimizer, ItsStateContinuesExactly) {
    const ArchitectureSpec spec = architecture("FS[w=4] x1");
    const auto straight = test::model(spec, at::kFloat), resumed = test::model(spec, at::kFloat);
    const TrainingSpec training;
    Optimizer first(training, straight->parameters(), straight->ops());
    const auto step = [&](Model& model, Optimizer& optimizer, int number) {
        const TinyBatch data = batch(2, 20, spec.vocab, std::uint64_t(number));
        model.zero_gradients();
        model.forward_backward(data.tokens_BT, data.targets_BT, 0.025);
        optimizer.step(3e-3);
    };
    for (int i = 0; i < 3; ++i) step(*straight, first, i);
    Optimizer second(training, resumed->parameters(), resumed->ops());
    resumed->parameters().values().copy_(straight->parameters().values());
    for (std::size_t i = 0; i < first.state().size(); ++i)
        second.state()[i].second.copy_(first.state()[i].second);
    second.set_steps_done(first.steps_done());
    for (int i = 3; i < 6; ++i) step(*straight, first, i), step(*resumed, second, i);
    EXPECT_TRUE(straight->parameters().values().equal(resumed->parameters().values()));
}

TEST(Optimizer, WhatIsNotFiniteChangesNothing) {
    const ArchitectureSpec spec = architecture("FS[w=4] x1");
    const auto model = test::model(spec, at::kFloat);
    Optimizer optimizer(TrainingSpec{}, model->parameters(), model->ops());
    const TinyBatch data = batch(2, 20, spec.vocab);
    const auto gradients = [&] {
        model->zero_gradients();
        model->forward_backward(data.tokens_BT, data.targets_BT, 0.025);
    };
    gradients();
    optimizer.step(3e-3);
    const at::Tensor before = model->parameters().values().clone();
    const at::Tensor moment = optimizer.state()[0].second.clone();
    const auto nothing_changed = [&] {
        return model->parameters().values().equal(before) && optimizer.state()[0].second.equal(moment) &&
               optimizer.steps_done() == 1 && optimizer.applied().item().toDouble() == 0;
    };
    model->parameters().gradients().select(0, 3).fill_(std::nan(""));
    optimizer.step(3e-3);
    EXPECT_TRUE(nothing_changed());
    gradients();
    optimizer.measure_gradients();
    optimizer.update(at::full({}, INFINITY, at::kFloat));  // the loss
    EXPECT_TRUE(nothing_changed());
    optimizer.update(model->loss_sum());
    EXPECT_EQ(optimizer.steps_done(), 2);
    EXPECT_EQ(optimizer.applied().item().toDouble(), 1);
    EXPECT_FALSE(model->parameters().values().equal(before));
}

TEST(Optimizer, NeitherNormsNorSinksDecay) {
    const ArchitectureSpec spec = architecture("FS[w=4] x1");
    const auto model = test::model(spec, at::kFloat);
    for (const Parameter& parameter : model->parameters().layout().parameters)
        model->parameters().value(parameter).fill_(1);
    model->zero_gradients();
    Optimizer optimizer(TrainingSpec{}, model->parameters(), model->ops());
    optimizer.step(0.5);  // no gradient: only decay moves anything
    for (const Parameter& parameter : model->parameters().layout().parameters) {
        const bool exempt = parameter.name.find("norm") != std::string::npos ||
                            parameter.name.find("sinks") != std::string::npos;
        EXPECT_FLOAT_EQ(model->parameters().value(parameter).min().item().toFloat(), exempt ? 1.0F : 0.95F)
            << parameter.name;
    }
}

}  // namespace
}  // namespace braid::test
