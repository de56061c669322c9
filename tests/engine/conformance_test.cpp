// What every registered mixer must satisfy (design: mixers, "conformance"), on the CPU: a new line of
// mixers.def is tested without a new test.
#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/mixers/builtin.h"
#include "core/mixers/torch/make_mixer.h"
#include "core/spec/cost.h"
#include "tests/engine/tiny.h"

namespace braid::test {
namespace {

// Two layers of the mixer, then one where it shares the heads with full attention.
std::vector<std::string> patterns(const MixerKind& kind) {
    const std::string letter(1, kind.description().letter);
    return {letter + " x2", "{F:2 " + letter + ":2} x1"};
}

template <class F>
void for_mixers(F&& f) {
    for (const auto& kind : builtin_mixers().all())
        for (const std::string& pattern : patterns(*kind)) {
            if (!make_mixer(architecture(pattern).layers[0].groups.back(), {})) continue;
            SCOPED_TRACE(pattern);
            f(architecture(pattern));
        }
}

TEST(EveryMixer, AllocatesWhatItsCostDeclares) {
    for_mixers([](const ArchitectureSpec& spec) {
        EXPECT_EQ(test::model(spec, at::kFloat)->parameters().layout().parameter_count(),
                  cost(spec, builtin_mixers(), 128).total_parameters);
    });
}

TEST(EveryMixer, AFutureTokenChangesNoPastOutput) {
    for_mixers([](const ArchitectureSpec& spec) {
        const auto model = test::model(spec, at::kDouble);
        const at::Tensor tokens_BT = batch(2, 63, spec.vocab).tokens_BT;
        at::Tensor changed_BT = tokens_BT.clone();
        changed_BT.narrow(1, 40, 23).add_(3).remainder_(spec.vocab);
        std::vector<std::int64_t> past, future;
        for (std::int64_t t = 0; t < 63; ++t)
            (t < 40 ? past : future).insert((t < 40 ? past : future).end(), {1, t});
        const auto logits = [&](const at::Tensor& tokens, const std::vector<std::int64_t>& positions) {
            return model->logits(tokens, at::tensor(positions, at::kLong).view({-1, 2}));
        };
        EXPECT_TRUE(logits(tokens_BT, past).equal(logits(changed_BT, past)));
        EXPECT_FALSE(logits(tokens_BT, future).equal(logits(changed_BT, future)));
    });
}

TEST(EveryMixer, GradientsAreThoseOfFiniteDifferences) {
    for_mixers([](const ArchitectureSpec& spec) {
        const auto model = test::model(spec, at::kDouble);
        const TinyBatch data = batch(2, 13, spec.vocab);
        const auto loss = [&] {
            model->zero_gradients();
            model->forward_backward(data.tokens_BT, data.targets_BT, 1);
            return model->loss_sum().item().toDouble();
        };
        loss();
        const at::Tensor gradients = model->parameters().gradients().clone();
        for (const Parameter& parameter : model->parameters().layout().parameters)
            for (std::int64_t i : {parameter.offset, parameter.offset + parameter.size / 2}) {
                double* x = model->parameters().values().mutable_data_ptr<double>() + i;
                const double kept = *x, step = 1e-5;
                *x = kept + step;
                const double above = loss();
                *x = kept - step;
                const double below = loss();
                *x = kept;
                const double got = gradients.const_data_ptr<double>()[i];
                EXPECT_NEAR(got, (above - below) / (2 * step), 1e-6 * std::max(1.0, std::abs(got)))
                    << parameter.name;
            }
    });
}

TEST(EveryMixer, OddLengthsAgreeWithTheirPrefixes) {
    for_mixers([](const ArchitectureSpec& spec) {
        const auto model = test::model(spec, at::kFloat);
        const at::Tensor tokens_BT = batch(2, 500, spec.vocab).tokens_BT;
        const at::Tensor place = at::tensor({0L, 62L, 1L, 30L}).view({2, 2});
        const at::Tensor whole = model->logits(tokens_BT, place);
        EXPECT_TRUE(whole.isfinite().all().item().toBool());
        for (std::int64_t tokens : {63, 75})
            EXPECT_LE(relative_error(model->logits(tokens_BT.narrow(1, 0, tokens), place), whole), 1e-5)
                << tokens;
    });
}

TEST(EveryMixer, LargeWeightsStayFinite) {
    for_mixers([](const ArchitectureSpec& spec) {
        const auto model = test::model(spec, at::kFloat);
        model->parameters().values().mul_(30);
        const TinyBatch data = batch(2, 75, spec.vocab);
        model->zero_gradients();
        model->forward_backward(data.tokens_BT, data.targets_BT, 1);
        EXPECT_TRUE(model->loss_sum().isfinite().item().toBool());
        EXPECT_TRUE(model->parameters().gradients().isfinite().all().item().toBool());
    });
}

}  // namespace
}  // namespace braid::test
