#include "core/engine/model.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/vdot.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/measure/bench/plain_model.h"
#include "tests/engine/tiny.h"

namespace braid::test {
namespace {

struct Threads {
    explicit Threads(int count) : before(at::get_num_threads()) { at::set_num_threads(count); }
    ~Threads() { at::set_num_threads(before); }
    int before;
};

bool same_bytes(const at::Tensor& a, const at::Tensor& b) {
    return a.nbytes() == b.nbytes() && std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

// Loss and every gradient against autograd in float64; prints the worst.
void expect_gradients(const std::string& pattern, std::int64_t sequences, std::int64_t tokens,
                      at::ScalarType type, double limit) {
    SCOPED_TRACE(pattern + " T=" + std::to_string(tokens));
    const ArchitectureSpec spec = architecture(pattern);
    const auto model = test::model(spec, type);
    // Sinks away from 0, so that their gradients are of a general place.
    for (const Parameter& parameter : model->parameters().layout().parameters)
        if (parameter.init == Init::zeros) model->parameters().value(parameter).fill_(0.7);
    model->parameters().refresh_compute();
    const auto reference = test::model(spec, at::kDouble);
    reference->parameters().values().copy_(model->parameters().values());

    const TinyBatch data = batch(sequences, tokens, spec.vocab);
    PlainModel plain(spec, reference->parameters());
    const at::Tensor loss = plain.loss_sum(data.tokens_BT, data.targets_BT);
    (loss * 0.25).backward();
    model->zero_gradients();
    model->forward_backward(data.tokens_BT, data.targets_BT, 0.25);

    // A gradient that is 0 in exact arithmetic is measured against all of them.
    double all = 0;
    for (const auto& [name, parameter] : plain.parameters())
        all += parameter.grad().pow(2).sum().item().toDouble();
    const double floor = 1e-3 * std::sqrt(all);
    double worst = relative_error(model->loss_sum(), loss);
    std::string where = "loss";
    for (const Parameter& parameter : model->parameters().layout().parameters) {
        const at::Tensor wanted = plain.parameters().at(parameter.name).grad();
        const double size = wanted.norm().item().toDouble();
        const double error =
            relative_error(model->parameters().gradient(parameter), wanted) * size / std::max(size, floor);
        EXPECT_LE(error, limit) << parameter.name;
        if (error > worst) worst = error, where = parameter.name;
    }
    EXPECT_LE(worst, limit) << where;
    std::printf("    %-28s T=%-4ld worst error %.1e of %.1e allowed (%s)\n", pattern.c_str(), long(tokens),
                worst, limit, where.c_str());
}

TEST(Model, GradientsEqualAutogradInFloat64) {
    for (const char* pattern :
         {"FS[w=4] x1", "(F[nope]S[w=16])x1", "{F:2 S[w=5]:2} x1", "F[nosink]S[base=1e3,w=1] x1"})
        for (std::int64_t tokens : {1, 17, 63}) expect_gradients(pattern, 2, tokens, at::kDouble, 1e-11);
}

TEST(Model, GradientsEqualAutogradInFloat32) {
    for (std::int64_t tokens : {63, 75, 500}) expect_gradients("FS[w=16] x1", 2, tokens, at::kFloat, 2e-5);
}

TEST(Model, GradientsAreThoseOfFiniteDifferences) {
    const ArchitectureSpec spec = architecture("FS[w=3] x1");
    const auto model = test::model(spec, at::kDouble);
    const TinyBatch data = batch(2, 9, spec.vocab);
    const auto loss = [&] {
        model->zero_gradients();
        model->forward_backward(data.tokens_BT, data.targets_BT, 1);
        return model->loss_sum().item().toDouble();
    };
    loss();
    const at::Tensor gradients = model->parameters().gradients().clone();
    for (const Parameter& parameter : model->parameters().layout().parameters) {
        const std::int64_t i = parameter.offset + parameter.size / 3;
        double* x = model->parameters().values().mutable_data_ptr<double>() + i;
        const double kept = *x, step = 1e-5;
        *x = kept + step;
        const double above = loss();
        *x = kept - step;
        const double below = loss();
        *x = kept;
        const double got = gradients[i].item().toDouble();
        EXPECT_NEAR(got, (above - below) / (2 * step), 1e-6 * std::max(1.0, std::abs(got))) << parameter.name;
    }
}

TEST(Model, MicroBatchesAddUpToTheWholeBatch) {
    const ArchitectureSpec spec = architecture("FS[w=4] x1");
    const auto model = test::model(spec, at::kDouble);
    const TinyBatch data = batch(4, 20, spec.vocab);
    model->zero_gradients();
    model->forward_backward(data.tokens_BT, data.targets_BT, 0.1);
    const at::Tensor whole = model->parameters().gradients().clone(), loss = model->loss_sum().clone();
    model->zero_gradients();
    for (std::int64_t first : {0, 2})
        model->forward_backward(data.tokens_BT.narrow(0, first, 2), data.targets_BT.narrow(0, first, 2), 0.1);
    EXPECT_LE(relative_error(model->parameters().gradients(), whole), 1e-13);
    EXPECT_LE(relative_error(model->loss_sum(), loss), 1e-13);
}

TEST(Model, AFutureTokenChangesNoEarlierLogit) {
    const ArchitectureSpec spec = architecture("FS[w=4] x2");
    const auto model = test::model(spec, at::kFloat);
    const TinyBatch data = batch(1, 75, spec.vocab);
    std::vector<std::int64_t> positions;
    for (std::int64_t t = 0; t < 50; ++t) positions.insert(positions.end(), {0, t});
    const at::Tensor early = at::tensor(positions, at::kLong).view({50, 2});
    const at::Tensor before = model->logits(data.tokens_BT, early);
    at::Tensor changed = data.tokens_BT.clone();
    changed.narrow(1, 50, 25).add_(1).remainder_(spec.vocab);
    EXPECT_TRUE(same_bytes(before, model->logits(changed, early)));
}

TEST(Model, EvaluationEqualsTheTrainingForwardAndPlainLogits) {
    const ArchitectureSpec spec = architecture("(F{F:2 S[w=5]:2})x2");
    const auto model = test::model(spec, at::kDouble);
    const TinyBatch data = batch(3, 40, spec.vocab);
    const Model::Evaluation answer = model->evaluate(data.tokens_BT, data.targets_BT);
    model->zero_gradients();
    model->forward_backward(data.tokens_BT.to(at::kInt), data.targets_BT.to(at::kInt), 1);
    EXPECT_LE(relative_error(answer.loss_BT.sum(), model->loss_sum()), 1e-13);
    const at::Tensor logits = PlainModel(spec, model->parameters()).logits(data.tokens_BT);
    EXPECT_TRUE(answer.top_BT.equal(logits.argmax(-1)));
    EXPECT_EQ(answer.loss_BT[0][6].item().toDouble(), 0);  // its target is left out
    const at::Tensor chosen = model->logits(data.tokens_BT, at::tensor({2L, 39L, 0L, 0L}).view({2, 2}));
    EXPECT_LE(relative_error(chosen[0], logits[2][39]), 1e-12);
    EXPECT_LE(relative_error(chosen[1], logits[0][0]), 1e-12);
}

TEST(Model, TwoThreadsRepeatByteForByte) {
    const Threads two(2);
    const ArchitectureSpec spec =
        architecture("FS[w=16] x2", {.d_model = 64, .ffn_width = 160, .head_dim = 16});
    const TinyBatch data = batch(4, 128, spec.vocab);
    at::Tensor first;
    for (int repeat = 0; repeat < 3; ++repeat) {
        const auto model = test::model(spec, at::kFloat);
        model->zero_gradients();
        model->forward_backward(data.tokens_BT, data.targets_BT, 1);
        if (!first.defined()) first = model->parameters().gradients().clone();
        ASSERT_TRUE(same_bytes(first, model->parameters().gradients())) << "repeat " << repeat;
    }
}

TEST(Model, AMixerWithoutModuleIsRefusedByName) {
    ArchitectureSpec spec = architecture("FS[w=4] x1");
    spec.layers[1].groups[0].mixer = "unheard-of";
    const auto made = Model::create(spec, make_cpu_ops());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::unavailable);
    EXPECT_NE(describe(made.error()).find("layers[1]"), std::string::npos) << describe(made.error());
}

// A BLAS that answers with another calling convention gives 0 here; every matrix product would be in doubt.
TEST(Blas, ComplexDotProductIsTorchsOwn) {
    const at::Tensor z = at::tensor({3.0, 4.0}, at::kDouble).to(at::kComplexDouble);
    EXPECT_EQ(at::vdot(z, z).item().toComplexDouble().real(), 25.0);
}

}  // namespace
}  // namespace braid::test
