// What is kept for the backward pass under a limit of memory, and that it changes no bit of the gradients.
#include "core/engine/activations.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "core/mixers/builtin.h"
#include "tests/engine/tiny.h"

namespace braid::test {
namespace {

const std::vector<LayerBytes> layers_of_two_kinds = {
    {.input = 10, .between = 40, .gate_up = 30, .hidden = 15, .mixers = 2, .kind = 0},
    {.input = 10, .between = 44, .gate_up = 30, .hidden = 15, .mixers = 8, .kind = 1},
    {.input = 10, .between = 40, .gate_up = 30, .hidden = 15, .mixers = 2, .kind = 0},
};

TEST(ActivationPlan, TakesWhatFitsAndComputesNoMoreAgainThanItMust) {
    const std::int64_t all = activation_bytes(layers_of_two_kinds, std::vector(3, Kept::everything), 100);
    EXPECT_EQ(all, 100 + 3 * 55 + 124 + 12);
    const auto plan = [&](std::int64_t limit) {
        return plan_activations(layers_of_two_kinds, 100, limit, Kept::everything);
    };
    EXPECT_EQ(plan(no_limit).kept, std::vector(3, Kept::everything));
    EXPECT_EQ(plan(all).kept, std::vector(3, Kept::everything));
    // One hidden layer that is shared saves nothing; two do.
    EXPECT_EQ(plan(all - 1).kept,
              (std::vector{Kept::all_but_hidden, Kept::all_but_hidden, Kept::everything}));
    EXPECT_EQ(plan(all - 15 - 15 - 1).kept,
              (std::vector{Kept::all_but_ffn, Kept::all_but_ffn, Kept::all_but_hidden}));
    const ActivationPlan least = plan(0);
    EXPECT_EQ(least.kept, std::vector(3, Kept::input));
    EXPECT_EQ(least.bytes, 100 + 3 * 10 + 44 + 30 + 15 + 2 + 8) << "mixers of each kind are shared";
    // Less memory is never less computing, and every limit that can be kept is kept.
    std::vector<Kept> before = plan(all).kept;
    for (std::int64_t limit = all; limit >= 0; --limit) {
        const ActivationPlan now = plan(limit);
        EXPECT_TRUE(now.bytes <= limit || now.kept == least.kept) << limit;
        EXPECT_EQ(now.bytes, activation_bytes(layers_of_two_kinds, now.kept, 100));
        EXPECT_TRUE(std::equal(before.begin(), before.end(), now.kept.begin(), std::less_equal<>())) << limit;
        before = now.kept;
    }
}

TEST(ActivationPlan, SaysWhatIsComputedAgain) {
    const auto text = [](std::vector<Kept> kept) {
        return ActivationPlan{.kept = std::move(kept), .bytes = 3 << 20}.text();
    };
    EXPECT_EQ(text({Kept::everything, Kept::all_but_hidden}), "3 MiB; all are kept");
    EXPECT_EQ(text({Kept::all_but_ffn, Kept::everything}),
              "3 MiB; computed again: the FFNs of 1 of 2 layers");
    EXPECT_EQ(text({Kept::input, Kept::all_but_ffn, Kept::all_but_ffn}),
              "3 MiB; computed again: the FFNs of 2 of 3 layers, 1 of 3 whole layers");
}

// Bytes of the storages behind all tensors, each counted once.
std::int64_t bytes_allocated(const Activations& a) {
    std::map<const void*, std::int64_t> storages;
    const auto add = [&storages](const at::Tensor& t) {
        if (t.defined()) storages[t.storage().data()] = static_cast<std::int64_t>(t.storage().nbytes());
    };
    for (const at::Tensor& t : {a.last_ND, a.rstd_N, a.y_ND, a.dx_ND, a.dy_ND, a.rounded_dx_ND}) add(t);
    for (const LayerActivations& layer : a.layers) {
        for (const at::Tensor& t :
             {layer.x_ND, layer.rstd_N, layer.y_ND, layer.in_NC, layer.out_NO, layer.din_NC, layer.dout_NO,
              layer.ffn.x_ND, layer.ffn.rstd_N, layer.ffn.y_ND, layer.ffn.gate_up_N2F, layer.ffn.h_NF,
              layer.dffn.dh_NF, layer.dffn.dgate_up_N2F})
            add(t);
        for (const MixerMemory& memory : layer.mixers)
            for (const at::Tensor& t : memory.tensors) add(t);
    }
    std::int64_t bytes = 0;
    for (const auto& [place, size] : storages) bytes += size;
    return bytes;
}

// Every mixer, documents included: whatever is computed again is what it was.
TEST(Activations, ALimitChangesNoBitOfAnyGradient) {
    for (const char* pattern : {"FS[w=4]LMG x1", "{F:2 S[w=5]:2}FF x1", "F[qknorm,bias]F[bias]F x1"}) {
        SCOPED_TRACE(pattern);
        const ArchitectureSpec spec = architecture(pattern);
        const auto model = test::model(spec, at::kFloat);
        const TinyBatch data = batch(2, 70, spec.vocab);
        at::Tensor starts_BT = at::zeros({2, 70}, at::kInt);
        starts_BT.narrow(1, 41, 29).fill_(41);
        const auto gradients = [&](const at::Tensor& starts) {
            model->zero_gradients();
            model->forward_backward(data.tokens_BT, data.targets_BT, 0.01, {}, starts);
            return model->parameters().gradients().clone();
        };
        const at::Tensor expected = gradients({}), expected_apart = gradients(starts_BT);
        const std::int64_t all = model->activation_plan()->bytes;
        EXPECT_EQ(model->activation_plan()->text().find("computed again"), std::string::npos);
        std::set<Kept> seen;
        for (const double share : {0.95, 0.85, 0.7, 0.6, 0.5, 0.0}) {
            model->limit_activations(std::max<std::int64_t>(1, std::llround(share * double(all))));
            EXPECT_EQ(model->activation_plan(), nullptr);
            const at::Tensor got = gradients({}), got_apart = gradients(starts_BT);
            const ActivationPlan& plan = *model->activation_plan();
            seen.insert(plan.kept.begin(), plan.kept.end());
            std::printf("    %-20s at most %3.0f %%: %s\n", pattern, 100 * share, plan.text().c_str());
            EXPECT_TRUE(at::equal(got, expected)) << share;
            EXPECT_TRUE(at::equal(got_apart, expected_apart)) << share;
        }
        EXPECT_EQ(seen.size(), 3U) << "all but the hidden layer, all but the FFN, the input alone";
    }
}

TEST(Activations, ThePlanCountsWhatIsAllocated) {
    const ArchitectureSpec spec = architecture("FS[w=4]LMGF x2");
    const auto model = test::model(spec, at::kFloat);
    std::int64_t last = no_limit;
    for (const double share : {1.0, 0.8, 0.6, 0.4, 0.0}) {
        const auto planned = [&](std::int64_t limit) {
            return allocate_training(model->ops(), model->parameters().layout(), model->mixers(), spec.layers,
                                     2, 200, limit);
        };
        const std::int64_t all = planned(no_limit).plan.bytes;
        const Activations a = planned(std::max<std::int64_t>(1, std::llround(share * double(all))));
        const std::int64_t bytes = bytes_allocated(a);
        std::printf("    %s, %.3f of it allocated\n", a.plan.text().c_str(),
                    double(bytes) / double(a.plan.bytes));
        EXPECT_NEAR(double(bytes), double(a.plan.bytes), 0.02 * double(a.plan.bytes));
        EXPECT_LE(bytes, last);
        last = bytes;
    }
}

}  // namespace
}  // namespace braid::test
