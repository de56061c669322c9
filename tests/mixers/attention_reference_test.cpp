// The slow forms of attention that kernels.attention=reference takes: kernels/ref on the CPU,
// plain_attention() elsewhere. They and the fast CPU kernels are three ways to the same numbers.
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "core/engine/device.h"
#include "core/engine/ops.h"
#include "core/mixers/torch/plain_attention.h"
#include "tests/engine/tiny.h"

namespace braid::test {
namespace {

struct Case {
    std::int64_t batch, tokens, heads, kv_heads, head_dim, window;
    bool sink, documents;
};

struct Tensors {
    at::Tensor q, k, v, sink, d_o;
    AttentionRule rule;
};

struct Answer {
    at::Tensor o, lse, dq, dk, dv, dsink;
};

Tensors tensors_of(const Case& c) {
    const auto normal = [](at::IntArrayRef shape) { return at::randn(shape, at::kDouble); };
    Tensors t{.q = normal({c.batch, c.tokens, c.heads, c.head_dim}),
              .k = normal({c.batch, c.tokens, c.kv_heads, c.head_dim}),
              .v = normal({c.batch, c.tokens, c.kv_heads, c.head_dim}),
              .sink = c.sink ? normal({c.heads}) : at::Tensor(),
              .d_o = normal({c.batch, c.tokens, c.heads, c.head_dim}),
              .rule = {.window = c.window, .scale = 1 / std::sqrt(double(c.head_dim))}};
    if (!c.documents) return t;
    t.rule.documents.starts_BT = at::zeros({c.batch, c.tokens}, at::kInt);
    for (std::int64_t at = c.tokens / 3; at < c.tokens; ++at)
        t.rule.documents.starts_BT.select(1, at).fill_(c.tokens / 3);
    return t;
}

Answer room_for(const Tensors& t) {
    const at::Tensor nan = at::full({1}, std::nan(""), at::kDouble);
    const auto like = [&](const at::Tensor& x) { return nan.expand(x.sizes()).contiguous(); };
    const std::int64_t batch = t.q.size(0), tokens = t.q.size(1), heads = t.q.size(2);
    return {.o = like(t.q),
            .lse = nan.expand({batch, heads, tokens}).contiguous(),
            .dq = like(t.q),
            .dk = like(t.k),
            .dv = like(t.v),
            .dsink = t.sink.defined() ? at::zeros({heads}, at::kDouble) : at::Tensor()};
}

Answer by_ops(const Tensors& t, const std::string& kernel) {
    const auto ops = make_cpu_ops(at::kDouble);
    ops->set_attention_kernel(kernel);
    Answer a = room_for(t);
    ops->attention(t.rule, t.q, t.k, t.v, t.sink, a.o, a.lse);
    ops->attention_backward(t.rule, t.d_o, t.q, t.k, t.v, t.sink, a.o, a.lse, a.dq, a.dk, a.dv, a.dsink);
    EXPECT_EQ(ops->kernels_used().size(), 1U);
    EXPECT_EQ(ops->kernels_used()[0].kernel == "reference", kernel == "reference");
    return a;
}

Answer by_products(const Tensors& t) {
    Answer a = room_for(t);
    plain_attention(t.rule, t.q, t.k, t.v, t.sink, a.o, a.lse);
    plain_attention_backward(t.rule, t.d_o, t.q, t.k, t.v, t.sink, a.o, a.lse, a.dq, a.dk, a.dv, a.dsink);
    return a;
}

double worst_of(const Answer& a, const Answer& b) {
    double worst = 0;
    for (const auto& [x, y] : {std::pair(a.o, b.o), std::pair(a.lse, b.lse), std::pair(a.dq, b.dq),
                               std::pair(a.dk, b.dk), std::pair(a.dv, b.dv), std::pair(a.dsink, b.dsink)})
        if (x.defined()) worst = std::max(worst, relative_error(x, y));
    return worst;
}

TEST(AttentionReference, AllFormsAgreeInFloat64) {
    for (const Case& c : {Case{2, 33, 4, 2, 8, 0, true, false}, Case{1, 40, 6, 2, 16, 7, true, false},
                          Case{2, 21, 2, 1, 4, 2, false, false}, Case{2, 30, 4, 4, 8, 0, true, true},
                          Case{1, 50, 4, 2, 8, 9, true, true}, Case{1, 12, 2, 2, 8, 64, false, false}}) {
        const Tensors t = tensors_of(c);
        const Answer reference = by_ops(t, "reference");
        const double products = worst_of(by_products(t), reference);
        const double fast = worst_of(by_ops(t, "auto"), reference);
        std::printf("    T %ld, window %ld, sink %d, documents %d: products %.1e, fast %.1e\n", c.tokens,
                    c.window, c.sink, c.documents, products, fast);
        EXPECT_LT(products, 1e-13);
        EXPECT_LT(fast, 1e-13);
    }
}

TEST(AttentionReference, GradientsAreTurnedBackToWhatWasTurned) {
    const Case c{2, 33, 4, 2, 8, 0, true, false};
    Tensors t = tensors_of(c);
    const Answer expected = by_ops(t, "auto");
    const auto ops = make_cpu_ops(at::kDouble);
    const RopeTable table = ops->rope_table({.rotary_dim = 4}, c.tokens);
    for (const at::Tensor& d : {expected.dq, expected.dk}) ops->rope(d.narrow(3, 0, 4), table, true);
    t.rule.turned = table;
    for (const char* kernel : {"auto", "reference"}) EXPECT_LT(worst_of(by_ops(t, kernel), expected), 1e-13);
}

TEST(AttentionReference, AKernelOfAnotherDeviceIsRefused) {
    const auto ops = make_cpu_ops();
    EXPECT_TRUE(use_kernels(*ops, {}, "here"));
    EXPECT_TRUE(use_kernels(*ops, {.attention = "reference", .recurrence = "reference"}, "here"));
    const Result<void> refused = use_kernels(*ops, {.attention = "cudnn", .recurrence = "hopper"}, "here");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_input);
    EXPECT_NE(
        refused.error().message.find("here.kernels.attention: must be a kernel of cpu: auto, reference"),
        std::string::npos)
        << refused.error().message;
    EXPECT_NE(refused.error().message.find("cudnn"), std::string::npos);
    EXPECT_NE(
        refused.error().message.find("here.kernels.recurrence: must be a kernel of cpu: auto, reference"),
        std::string::npos)
        << refused.error().message;
}

}  // namespace
}  // namespace braid::test
