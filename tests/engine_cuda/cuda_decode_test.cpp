// Prefill behind a prefix and decoding: the kernels against float64, and what a model writes against its
// training form.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <cstdio>

#include "core/engine/inference.h"
#include "core/engine/init.h"
#include "core/engine/model.h"
#include "core/mixers/builtin.h"
#include "core/spec/shorthand.h"
#include "tests/engine_cuda/cuda_test.h"

namespace braid {
namespace {

using testing::cuda_ops;
using testing::expect_close;
using testing::indices;
using testing::relative_rms;
using testing::to_cuda;
using testing::values;

struct Cache {
    std::int64_t batch, heads, groups, head_dim, keys;
    bool sink;
    std::int64_t least = 1;  // keys that a sequence has had
    std::int64_t most = 0;   // more than `keys`: a ring has lost some; 0: keys
};

TEST(CudaDecode, AttentionOfAStepAgainstFloat64AndPlainBfloat16) {
    BRAID_NEEDS_CUDA();
    const auto exact_ops = make_cpu_ops(at::kDouble);
    for (const Cache& c :
         {Cache{8, 12, 2, 64, 3000, true}, Cache{1, 6, 2, 64, 1, true}, Cache{3, 6, 2, 64, 257, false, 256},
          Cache{2, 20, 2, 64, 700, true}, Cache{2, 4, 1, 32, 129, true},
          Cache{1, 2, 2, 128, 2049, true, 2000}, Cache{5, 10, 2, 64, 64, true},
          Cache{1, 12, 2, 64, 20'000, true, 19'999}, Cache{3, 40, 2, 32, 500, true},
          Cache{2, 24, 2, 128, 300, true}, Cache{6, 12, 2, 64, 512, true, 400, 700}}) {
        const std::string name = std::to_string(c.batch) + " x " + std::to_string(c.keys) + " keys, " +
                                 std::to_string(c.heads) + "/" + std::to_string(c.groups) + " heads of " +
                                 std::to_string(c.head_dim);
        SCOPED_TRACE(name);
        // q between other columns, as in a layer's projection; keys of a longer cache.
        const at::Tensor wide = values({c.batch, c.heads + 3, c.head_dim}, 1);
        const at::Tensor k = values({c.batch, c.groups, c.keys + 5, c.head_dim}, 2);
        const at::Tensor v = values({c.batch, c.groups, c.keys + 5, c.head_dim}, 3);
        const at::Tensor sink = c.sink ? values({c.heads}, 4) : at::Tensor();
        const std::int64_t most = std::max(c.most, c.keys);
        const at::Tensor positions = indices({c.batch}, most - c.least + 1, 5).add(c.least - 1);
        const at::Tensor count = (positions + 1).clamp_max(c.keys);
        const double scale = 1 / std::sqrt(double(c.head_dim));
        const auto run = [&](Ops& ops) {
            const auto to = [&](const at::Tensor& x) {
                return x.defined() ? x.to(ops.device(), ops.compute_type()) : x;
            };
            const at::Tensor o =
                at::zeros({c.batch, c.heads, c.head_dim},
                          at::TensorOptions().dtype(ops.compute_type()).device(ops.device()));
            ops.attention_step(scale, to(wide).narrow(1, 2, c.heads), to(k).narrow(2, 0, c.keys),
                               to(v).narrow(2, 0, c.keys), to(sink), positions.to(ops.device()), o);
            return o;
        };
        const at::Tensor exact = run(*exact_ops), got = run(*cuda_ops());
        expect_close(name, got, exact, 5e-3);
        cuda_ops()->set_attention_kernel("reference");
        const at::Tensor slow = run(*cuda_ops());
        cuda_ops()->set_attention_kernel("auto");
        expect_close(name + ", reference", slow, exact, 5e-3);
        // Plain torch, all of it rounded to bfloat16.
        const std::int64_t readers = c.heads / c.groups;
        const auto shared = [&](const at::Tensor& x) {
            return to_cuda(x, at::kBFloat16).narrow(2, 0, c.keys).repeat_interleave(readers, 1);
        };
        at::Tensor scores = to_cuda(wide, at::kBFloat16)
                                .narrow(1, 2, c.heads)
                                .unsqueeze(2)
                                .matmul(shared(k).transpose(2, 3))
                                .mul(scale);
        const at::Tensor hidden = at::arange(c.keys, at::TensorOptions().dtype(at::kLong))
                                      .ge(count.unsqueeze(1))
                                      .view({c.batch, 1, 1, c.keys})
                                      .to(cuda_ops()->device());
        scores = scores.masked_fill(hidden, -INFINITY);
        if (c.sink)
            scores = at::cat(
                {scores,
                 to_cuda(sink, at::kBFloat16).view({1, c.heads, 1, 1}).expand({c.batch, c.heads, 1, 1})},
                3);
        const at::Tensor plain = at::softmax(scores, 3).narrow(3, 0, c.keys).matmul(shared(v)).squeeze(2);
        const double ours = relative_rms(got, exact), theirs = relative_rms(plain, exact);
        std::printf("    %-44s ours %.2e, plain bfloat16 %.2e, ratio %.2f\n", "", ours, theirs,
                    ours / theirs);
        EXPECT_LT(ours, 2 * theirs);
    }
}

// All that a token's queries, keys and values go through before attention, by one kernel and by the
// operations that it stands for.
TEST(CudaDecode, ATokenIntoItsCacheAgainstFloat64) {
    BRAID_NEEDS_CUDA();
    struct Case {
        const char* name;
        std::int64_t batch, heads, groups, head_dim, slots, turned;
        bool bias, norm;
        std::int64_t log_n;
    };
    const auto exact_ops = make_cpu_ops(at::kDouble);
    constexpr std::int64_t positions = 300;
    for (const Case& c : {Case{"RoPE", 8, 12, 2, 64, positions, 64, false, false, 0},
                          Case{"RoPE, ring", 5, 6, 2, 64, 24, 64, false, false, 0},
                          Case{"no position", 3, 4, 4, 32, positions, 0, false, false, 0},
                          Case{"log-n", 3, 4, 1, 64, positions, 0, false, false, 16},
                          Case{"biases, RoPE in part", 2, 6, 2, 80, 100, 20, true, false, 0},
                          Case{"norms, RoPE", 4, 16, 8, 128, positions, 128, false, true, 0},
                          Case{"all of it, odd width", 3, 5, 5, 31, 77, 30, true, true, 16}}) {
        const at::Tensor in = values({c.batch, c.heads + 2 * c.groups + 1, c.head_dim}, 1);
        const at::Tensor k = values({c.batch, c.groups, c.slots, c.head_dim}, 2);
        const at::Tensor v = values({c.batch, c.groups, c.slots, c.head_dim}, 3);
        const at::Tensor bias = values({(c.heads + 2 * c.groups) * c.head_dim}, 4);
        const at::Tensor norm = values({2, c.head_dim}, 5).add(1);
        const at::Tensor positions_B = indices({c.batch}, positions, 6);
        const auto run = [&](Ops& ops) {
            const auto to = [&](const at::Tensor& x) {
                return x.to(ops.device(), ops.compute_type(), false, true);
            };
            const std::int64_t q_width = c.heads * c.head_dim, k_width = c.groups * c.head_dim;
            HeadRule rule{.log_n = c.log_n};
            if (c.bias)
                rule.bias = {to(bias).narrow(0, 0, q_width), to(bias).narrow(0, q_width, k_width),
                             to(bias).narrow(0, q_width + k_width, k_width)};
            if (c.norm)
                for (std::int64_t i = 0; i < 2; ++i)
                    rule.norm_K[std::size_t(i)] = norm[i].to(ops.device(), ops.master_type()).contiguous();
            if (c.turned > 0) rule.rope = ops.rope_table({.rotary_dim = c.turned}, positions);
            const at::Tensor x = to(in);
            std::vector<at::Tensor> all = {x.narrow(1, 0, c.heads), to(k), to(v)};
            ops.cache_token(rule, all[0], x.narrow(1, c.heads, c.groups),
                            x.narrow(1, c.heads + c.groups, c.groups), positions_B.to(ops.device()), all[1],
                            all[2]);
            return all;
        };
        const auto exact = run(*exact_ops), got = run(*cuda_ops());
        cuda_ops()->set_attention_kernel("reference");
        const auto slow = run(*cuda_ops());
        cuda_ops()->set_attention_kernel("auto");
        const char* names[] = {"q", "k", "v"};
        for (std::size_t i = 0; i < exact.size(); ++i) {
            const std::string name = std::string(c.name) + ", " + names[i];
            expect_close(name, got[i], exact[i], 4e-3);
            const double ours = relative_rms(got[i], exact[i]), theirs = relative_rms(slow[i], exact[i]);
            std::printf("    %-44s ours %.2e, operation by operation %.2e, ratio %.2f\n", "", ours, theirs,
                        theirs > 0 ? ours / theirs : 1.0);
            EXPECT_LE(ours, 1.1 * theirs);
        }
    }
}

TEST(CudaDecode, AttentionBehindAPrefixAgainstFloat64) {
    BRAID_NEEDS_CUDA();
    struct Case {
        std::int64_t batch, heads, groups, head_dim, first_key, first_query, queries, window;
        bool sink;
    };
    const auto exact_ops = make_cpu_ops(at::kDouble);
    for (const Case& c : {Case{2, 6, 2, 64, 0, 130, 65, 0, true}, Case{1, 12, 2, 64, 0, 700, 300, 0, true},
                          Case{2, 6, 2, 64, 93, 130, 65, 38, true}, Case{1, 4, 1, 64, 0, 1, 1, 0, false},
                          Case{2, 2, 2, 32, 100, 227, 500, 128, true}}) {
        const std::int64_t keys = c.first_query + c.queries - c.first_key;
        const at::Tensor q = values({c.batch, c.queries, c.heads + 2, c.head_dim}, 1);
        const at::Tensor k = values({c.batch, c.groups, keys, c.head_dim}, 2);
        const at::Tensor v = values({c.batch, c.groups, keys, c.head_dim}, 3);
        const at::Tensor sink = c.sink ? values({c.heads}, 4) : at::Tensor();
        const auto run = [&](Ops& ops) {
            const auto to = [&](const at::Tensor& x) {
                return x.defined() ? x.to(ops.device(), ops.compute_type()) : x;
            };
            const at::Tensor o =
                at::zeros({c.batch, c.queries, c.heads, c.head_dim},
                          at::TensorOptions().dtype(ops.compute_type()).device(ops.device()));
            ops.attention_over({.window = c.window, .scale = 1 / std::sqrt(double(c.head_dim))},
                               to(q).narrow(2, 1, c.heads), to(k), to(v), to(sink), c.first_key,
                               c.first_query, o);
            return o;
        };
        expect_close("queries " + std::to_string(c.first_query) + " to " +
                         std::to_string(c.first_query + c.queries) + ", window " + std::to_string(c.window),
                     run(*cuda_ops()), run(*exact_ops), 5e-3);
    }
}

TEST(CudaDecode, ATokenThroughAStateAgainstFloat64) {
    BRAID_NEEDS_CUDA();
    struct Case {
        const char* name;
        LinearRule rule;
        std::int64_t batch, states, q_heads, k_heads, v_heads, key_dim, value_dim;
        bool gated, skip;
    };
    const auto exact_ops = make_cpu_ops(at::kDouble);
    for (const Case& c : {Case{"lightning", {.silu = true}, 3, 6, 6, 2, 2, 64, 64, false, false},
                          Case{"mamba2", {}, 2, 6, 2, 2, 6, 16, 64, true, true},
                          Case{"gdn",
                               {.silu = true, .unit_qk = true, .delta = true, .scale = 0.15},
                               8,
                               2,
                               12,
                               2,
                               2,
                               46,
                               46,
                               true,
                               false}}) {
        SCOPED_TRACE(c.name);
        const auto tokens = [&](std::int64_t heads, std::int64_t width, std::uint64_t seed) {
            return values({c.batch, 1, heads + 1, width}, seed).narrow(2, 0, heads);
        };
        const at::Tensor q = tokens(c.q_heads, c.key_dim, 1), k = tokens(c.k_heads, c.key_dim, 2),
                         v = tokens(c.v_heads, c.value_dim, 3);
        const at::Tensor decay = values({c.batch, 1, c.states}, 4).abs() * -0.3;
        const at::Tensor beta = values({c.batch, 1, c.states}, 5).sigmoid();
        const at::Tensor skip = values({c.states}, 6);
        const at::Tensor before = values({c.batch, c.states, c.key_dim, c.value_dim}, 7);
        const auto run = [&](Ops& ops) {
            const auto vectors = [&](const at::Tensor& x) { return x.to(ops.device(), ops.compute_type()); };
            const auto numbers = [&](const at::Tensor& x) {
                return x.to(ops.device(), ops.statistics_type(), false, true).contiguous();
            };
            const at::Tensor state = numbers(before);
            const at::Tensor o = vectors(at::zeros({c.batch, 1, std::max(c.states, c.q_heads), c.value_dim},
                                                   at::TensorOptions(at::kDouble)));
            ops.linear_attention_step(c.rule,
                                      {.q_BTHK = vectors(q),
                                       .k_BTGK = vectors(k),
                                       .v_BTJV = vectors(v),
                                       .log_decay_BTS = numbers(c.gated ? decay : decay[0][0]),
                                       .beta_BTS = c.gated ? numbers(beta) : at::Tensor(),
                                       .skip_S = c.skip ? numbers(skip) : at::Tensor()},
                                      state, o);
            return std::pair(o, state);
        };
        const auto exact = run(*exact_ops), got = run(*cuda_ops());
        expect_close(std::string(c.name) + ", o", got.first, exact.first, 4e-3);
        expect_close(std::string(c.name) + ", state", got.second, exact.second, 1e-5);
    }
}

// A model of every mixer with sinks, grouped heads of 64 and a window, prefilled in pieces and decoded far
// enough that its steps are recorded: logits and choices are those of the whole text at once.
TEST(CudaDecode, WhatIsDecodedFollowsTheTrainingForm) {
    BRAID_NEEDS_CUDA();
    Scale scale = *find_scale("S1");
    scale.layers = 2;
    scale.vocab = 97;
    constexpr std::int64_t batch = 2, prompt = 150, steps = 40;
    for (const char* pattern : {"F x2", "S[w=24]F x1", "F[bias,qknorm,rotary=0.5]F[nope,logn=16] x1", "LF x1",
                                "MF x1", "GF x1", "M[conv]G[conv] x1"}) {
        SCOPED_TRACE(pattern);
        const ArchitectureSpec spec = instantiate(parse_pattern(pattern, builtin_mixers()).value(), scale);
        const std::unique_ptr<Model> model = Model::create(spec, cuda_ops()).value();
        initialise(model->parameters(), "fan_in", 1);
        const at::Tensor tokens = indices({batch, prompt}, 97, 1);
        Generator generator(*model, 64);
        InferenceState state = generator.start(batch, prompt + steps);
        const at::Tensor behind = generator.prefill(state, tokens.to(cuda_ops()->device()));
        const at::Tensor first_B = behind.argmax(-1);
        const at::Tensor found_nB = generator.greedy(state, first_B, steps - 1);
        const at::Tensor text =
            at::cat({tokens, first_B.to(at::kCPU).unsqueeze(1), found_nB.t()}, 1).contiguous();
        double worst = 0, lost = 0;
        for (std::int64_t b = 0; b < batch; ++b)
            for (std::int64_t t = prompt - 1; t + 1 < text.size(1); ++t) {
                const at::Tensor whole_V =
                    model->logits(text, at::tensor({b, t}).view({1, 2})).to(at::kCPU, at::kDouble)[0];
                const double chosen = whole_V[text[b][t + 1].item().toLong()].item().toDouble();
                lost = std::max(lost, whole_V.max().item().toDouble() - chosen);
                if (t == prompt - 1) worst = relative_rms(behind[b], whole_V);
            }
        std::printf("    %-44s prefill error %.2e; chosen logits at most %.3f below the largest\n", pattern,
                    worst, lost);
        EXPECT_LT(worst, 3e-2);
        EXPECT_LT(lost, 0.05);
        // The same tokens given one by one: the logits of plain and of recorded steps.
        InferenceState again = generator.start(batch, prompt + steps);
        generator.prefill(again, tokens.to(cuda_ops()->device()));
        for (std::int64_t t = prompt; t + 1 < text.size(1); ++t) {
            const at::Tensor got =
                generator.step(again, text.select(1, t).to(cuda_ops()->device())).to(at::kCPU);
            const at::Tensor places = at::tensor({std::int64_t{0}, t, std::int64_t{1}, t}).view({batch, 2});
            worst = std::max(worst, relative_rms(got, model->logits(text, places)));
        }
        std::printf("    %-44s logits of steps, largest error %.2e\n", pattern, worst);
        EXPECT_LT(worst, 3e-2);
    }
}

}  // namespace
}  // namespace braid
