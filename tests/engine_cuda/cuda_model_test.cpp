// A whole model on CUDA: gradients against float64, loss curve against the CPU, memory of a real shape.
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <cstdio>
#include <set>

#include "core/engine/init.h"
#include "core/engine/model.h"
#include "core/engine/optimizer.h"
#include "core/mixers/builtin.h"
#include "core/spec/shorthand.h"
#include "tests/engine_cuda/cuda_test.h"

namespace braid {
namespace {

using testing::cuda_ops;
using testing::expect_close;
using testing::indices;
using testing::to_cuda;

ArchitectureSpec tiny(std::string_view pattern) {
    return instantiate(parse_pattern(pattern, builtin_mixers()).value(), *find_scale("tiny"));
}

TEST(CudaModel, GradientsAgainstFloat64) {
    BRAID_NEEDS_CUDA();
    const ArchitectureSpec spec = tiny("FS[w=16] x2");
    const at::Tensor tokens = indices({4, 128}, 64, 1);
    const at::Tensor targets = indices({4, 128}, 64, 2);
    const std::unique_ptr<Model> reference = Model::create(spec, make_cpu_ops(at::kDouble)).value();
    const std::unique_ptr<Model> model = Model::create(spec, cuda_ops()).value();
    initialise(reference->parameters(), "fan_in", 1);
    initialise(model->parameters(), "fan_in", 1);
    reference->zero_gradients();
    model->zero_gradients();
    reference->forward_backward(tokens, targets, 1.0 / 512);
    model->forward_backward(to_cuda(tokens, at::kLong), to_cuda(targets, at::kLong), 1.0 / 512);
    expect_close("loss", model->loss_sum(), reference->loss_sum(), 5e-3);
    for (const Parameter& parameter : model->parameters().layout().parameters)
        expect_close("d " + parameter.name, model->parameters().gradient(parameter),
                     reference->parameters().gradient(*reference->parameters().find(parameter.name)),
                     parameter.name.ends_with("sinks") ? 5e-2 : 3e-2);
}

// What is not kept is computed again to the same bits, by every kernel of a training step.
TEST(CudaModel, ALimitOfActivationsChangesNoBitOfAnyGradient) {
    BRAID_NEEDS_CUDA();
    cuda_ops()->set_deterministic(true);
    const ArchitectureSpec spec = tiny("FS[w=16]LMG x1");
    const at::Tensor tokens = to_cuda(indices({4, 300}, 64, 1), at::kLong);
    const at::Tensor targets = to_cuda(indices({4, 300}, 64, 2), at::kLong);
    const std::unique_ptr<Model> model = Model::create(spec, cuda_ops()).value();
    initialise(model->parameters(), "fan_in", 1);
    const auto gradients = [&] {
        model->zero_gradients();
        model->forward_backward(tokens, targets, 1.0 / 1200);
        return model->parameters().gradients().clone();
    };
    const at::Tensor expected = gradients();
    ASSERT_TRUE(expected.equal(gradients())) << "not deterministic";
    const double all = double(model->activation_plan()->bytes);
    std::set<Kept> seen(model->activation_plan()->kept.begin(), model->activation_plan()->kept.end());
    for (const double share : {0.95, 0.85, 0.7, 0.6, 0.5, 0.0}) {
        model->limit_activations(std::max<std::int64_t>(1, std::llround(share * all)));
        EXPECT_TRUE(gradients().equal(expected)) << share;
        seen.insert(model->activation_plan()->kept.begin(), model->activation_plan()->kept.end());
        std::printf("  at most %3.0f %%: %s\n", 100 * share, model->activation_plan()->text().c_str());
    }
    EXPECT_EQ(seen.size(), 4U);
    cuda_ops()->set_deterministic(false);
}

// 50 steps on a task that can be learned: each sequence repeats its first half.
TEST(CudaModel, LossCurveWithinTwoPercentOfTheCpu) {
    BRAID_NEEDS_CUDA();
    const ArchitectureSpec spec = tiny("FS[w=16] x2");
    const TrainingSpec training{.steps = 50, .warmup_steps = 10};
    const auto losses = [&](const std::shared_ptr<Ops>& ops, auto place) {
        const std::unique_ptr<Model> model = Model::create(spec, ops).value();
        initialise(model->parameters(), "fan_in", 1);
        Optimizer optimizer(training, model->parameters(), *ops);
        std::vector<double> curve;
        for (std::int64_t step = 0; step < training.steps; ++step) {
            const at::Tensor half = indices({32, 64}, 64, static_cast<std::uint64_t>(100 + step));
            const at::Tensor tokens = half.repeat({1, 2});
            const at::Tensor targets = tokens.roll(-1, 1).contiguous();
            model->zero_gradients();
            model->forward_backward(place(tokens), place(targets), 1.0 / 4096);
            optimizer.step(learning_rate_at(training, step));
            curve.push_back(model->loss_sum().item<double>() / 4096);
        }
        return curve;
    };
    const std::vector<double> cpu = losses(make_cpu_ops(), [](const at::Tensor& t) { return t; });
    const std::vector<double> cuda =
        losses(cuda_ops(), [](const at::Tensor& t) { return to_cuda(t, at::kLong); });
    double worst = 0;
    for (std::size_t i = 0; i < cpu.size(); ++i) worst = std::max(worst, std::abs(cuda[i] / cpu[i] - 1));
    std::printf("    loss at step 50: CPU %.4f, CUDA %.4f; largest deviation %.3f %%\n", cpu.back(),
                cuda.back(), 100 * worst);
    EXPECT_LT(worst, 0.02);
    EXPECT_LT(cpu.back(), cpu.front() - 0.1) << "nothing was learned: the comparison would be empty";
}

}  // namespace
}  // namespace braid
