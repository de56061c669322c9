// The chunked and the recurrent form of attention through a state, and their gradients, against the loops of
// kernels/ref in float64.
#include "kernels/linear_attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "core/base/random.h"
#include "core/engine/ops.h"
#include "tests/engine/tiny.h"

namespace braid::test {
namespace {

struct Case {
    const char* name;
    kernels::LinearAttentionShape shape;
    bool beta = false, skip = false;
    double log_decay = -0.1;  // the mean; each is between 0 and twice it
};

std::vector<Case> cases() {
    using Shape = kernels::LinearAttentionShape;
    const Shape lightning{.batch = 2,
                          .tokens = 75,
                          .states = 6,
                          .q_heads = 6,
                          .k_heads = 2,
                          .v_heads = 2,
                          .key_dim = 8,
                          .value_dim = 8,
                          .silu = true};
    const Shape mamba{.batch = 2,
                      .tokens = 130,
                      .states = 6,
                      .q_heads = 2,
                      .k_heads = 2,
                      .v_heads = 6,
                      .key_dim = 5,
                      .value_dim = 8};
    Shape gdn{.batch = 2,
              .tokens = 130,
              .states = 2,
              .q_heads = 6,
              .k_heads = 2,
              .v_heads = 2,
              .key_dim = 7,
              .value_dim = 9,
              .silu = true,
              .unit_qk = true,
              .delta = true,
              .scale = 0.37};
    const auto with = [](Shape shape, std::int64_t batch, std::int64_t tokens) {
        shape.batch = batch, shape.tokens = tokens;
        return shape;
    };
    Shape shared = gdn;
    shared.states = 4, shared.q_heads = 2, shared.v_heads = 4, shared.k_heads = 1;
    return {{"decay", lightning},
            {"decay, a token", with(lightning, 1, 1)},
            {"decay, several segments", with(lightning, 5, 500)},
            {"decay and dt", mamba, true, true},
            {"decay and dt, a chunk", with(mamba, 1, 64), true, true},
            {"decay and dt, nothing kept", mamba, true, true, -50},
            {"decay and dt, all kept", mamba, true, true, -1e-9},
            {"delta rule", gdn, true},
            {"delta rule, two tokens", with(gdn, 1, 2), true},
            {"delta rule, several segments", with(gdn, 5, 500), true},
            {"delta rule, heads shared", shared, true},
            {"delta rule, nothing kept", gdn, true, false, -50},
            {"delta rule, all kept", gdn, true, false, -1e-9}};
}

at::Tensor random(const std::vector<std::int64_t>& shape, const char* stream) {
    at::Tensor x = at::empty(shape, at::kDouble);
    Random from(1, stream);
    for (std::int64_t i = 0; i < x.numel(); ++i) x.mutable_data_ptr<double>()[i] = from.normal();
    return x;
}

struct Problem {
    explicit Problem(const Case& c) : s(c.shape) {
        q = random({s.batch, s.tokens, s.q_heads, s.key_dim}, "q");
        k = random({s.batch, s.tokens, s.k_heads, s.key_dim}, "k");
        v = random({s.batch, s.tokens, s.v_heads, s.value_dim}, "v");
        decay = random({s.batch, s.tokens, s.states}, "decay").abs().clamp_max(2) * c.log_decay;
        if (c.beta) beta = random({s.batch, s.tokens, s.states}, "beta").abs().clamp_max(1);
        if (c.skip) skip = random({s.states}, "skip");
        dout = random({s.batch, s.tokens, s.outputs(), s.value_dim}, "dout");
        o = at::zeros_like(dout), last = at::zeros({s.batch, s.states, s.key_dim, s.value_dim}, at::kDouble);
        for (const at::Tensor& each : {q, k, v, decay, beta, skip})
            d.push_back(each.defined() ? at::zeros_like(each) : at::Tensor());
    }
    void reference() {
        const auto data = [](const at::Tensor& x) {
            return x.defined() ? x.mutable_data_ptr<double>() : nullptr;
        };
        const kernels::LinearAttentionArgs forward{.shape = s,
                                                   .q = data(q),
                                                   .k = data(k),
                                                   .v = data(v),
                                                   .log_decay = data(decay),
                                                   .beta = data(beta),
                                                   .skip = data(skip),
                                                   .o = data(o),
                                                   .last = data(last)};
        kernels::ref::linear_attention(forward);
        kernels::ref::linear_attention_backward({.forward = forward,
                                                 .d_o = data(dout),
                                                 .dq = data(d[0]),
                                                 .dk = data(d[1]),
                                                 .dv = data(d[2]),
                                                 .dlog_decay = data(d[3]),
                                                 .dbeta = data(d[4]),
                                                 .dskip = data(d[5])});
    }
    LinearRule rule() const {
        return {.silu = s.silu, .unit_qk = s.unit_qk, .delta = s.delta, .scale = s.scale};
    }
    LinearInput input(at::ScalarType type) const {
        const auto cast = [&](const at::Tensor& x) { return x.defined() ? x.to(type) : x; };
        return {.q_BTHK = cast(q),
                .k_BTGK = cast(k),
                .v_BTJV = cast(v),
                .log_decay_BTS = cast(decay),
                .beta_BTS = cast(beta),
                .skip_S = cast(skip)};
    }
    kernels::LinearAttentionShape s;
    at::Tensor q, k, v, decay, beta, skip, dout, o, last;
    std::vector<at::Tensor> d;
};

TEST(LinearAttention, ChunksAndTheirGradientsAreTheLoops) {
    for (const Case& c : cases()) {
        SCOPED_TRACE(c.name);
        Problem p(c);
        p.reference();
        for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
            const auto ops = make_cpu_ops(type);
            const LinearInput input = p.input(type);
            const at::Tensor boundaries = ops->linear_boundaries(
                p.rule(), {p.s.states, p.s.q_heads, p.s.key_dim, p.s.value_dim}, p.s.batch, p.s.tokens);
            const at::Tensor o = at::empty_like(p.o, at::TensorOptions(type)),
                             last = at::empty_like(p.last, at::TensorOptions(type));
            ops->linear_attention(p.rule(), input, o, boundaries, last);
            std::vector<at::Tensor> d;
            for (const at::Tensor& each : p.d)
                d.push_back(each.defined() ? at::zeros_like(each, at::TensorOptions(type)) : each);
            ops->linear_attention_backward(p.rule(), input, boundaries, p.dout.to(type),
                                           {.dq_BTHK = d[0],
                                            .dk_BTGK = d[1],
                                            .dv_BTJV = d[2],
                                            .dlog_decay_BTS = d[3],
                                            .dbeta_BTS = d[4],
                                            .dskip_S = d[5]});
            // Logarithms of thousands leave their differences fewer digits.
            const double limit = type == at::kDouble ? 1e-12 : c.log_decay < -10 ? 2e-5 : 5e-6;
            double worst = std::max(relative_error(o, p.o), relative_error(last, p.last));
            EXPECT_LE(worst, limit);
            const char* names[] = {"dq", "dk", "dv", "dlog_decay", "dbeta", "dskip"};
            // Where nothing is kept, the gradient of a decay is as small as the decay itself: held against
            // the size of the terms that cancel in it.
            const double size =
                (p.q * p.d[0]).norm().item().toDouble() + (p.k * p.d[1]).norm().item().toDouble();
            for (std::size_t i = 0; i < d.size(); ++i) {
                if (!d[i].defined()) continue;
                const double error = (d[i].to(at::kDouble) - p.d[i]).norm().item().toDouble() /
                                     std::max(p.d[i].norm().item().toDouble(), i == 3 ? size : 1e-30);
                EXPECT_LE(error, limit) << names[i];
                worst = std::max(worst, error);
            }
            std::printf("    %-30s %s error %.1e\n", c.name, type == at::kDouble ? "float64" : "float32",
                        worst);
        }
    }
}

TEST(LinearAttention, StepsAreTheLoops) {
    for (const Case& c : cases()) {
        SCOPED_TRACE(c.name);
        Problem p(c);
        p.reference();
        const auto ops = make_cpu_ops(at::kDouble);
        const at::Tensor state = at::zeros_like(p.last), o = at::empty_like(p.o);
        const LinearInput all = p.input(at::kDouble);
        const auto at_token = [](const at::Tensor& x, std::int64_t t) {
            return x.defined() ? x.narrow(1, t, 1) : x;
        };
        for (std::int64_t t = 0; t < p.s.tokens; ++t)
            ops->linear_attention_step(p.rule(),
                                       {.q_BTHK = at_token(all.q_BTHK, t),
                                        .k_BTGK = at_token(all.k_BTGK, t),
                                        .v_BTJV = at_token(all.v_BTJV, t),
                                        .log_decay_BTS = at_token(all.log_decay_BTS, t),
                                        .beta_BTS = at_token(all.beta_BTS, t),
                                        .skip_S = all.skip_S},
                                       state, o.narrow(1, t, 1));
        EXPECT_LE(relative_error(o, p.o), 1e-12);
        EXPECT_LE(relative_error(state, p.last), 1e-12);
    }
}

}  // namespace
}  // namespace braid::test
