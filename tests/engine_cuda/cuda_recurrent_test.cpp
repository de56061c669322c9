// The kernels of the recurrent mixers: attention through a state, its norm and gate, the short convolution.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <array>
#include <set>
#include <string>

#include "tests/engine_cuda/cuda_test.h"

namespace braid {
namespace {

using testing::cuda_ops;
using testing::expect_close;
using testing::to_cuda;
using testing::values;

struct Case {
    const char* name;
    LinearRule rule;
    std::int64_t batch, tokens, states, q_heads, k_heads, v_heads, key_dim, value_dim;
    bool gated = false;  // decay a token, beta
    bool skip = false;
    double log_decay = -0.05;  // the mean; each is between 0 and twice it
    bool documents = false;
};

const LinearRule fixed{.silu = true};
const LinearRule delta{.silu = true, .unit_qk = true, .delta = true, .scale = 0.37};

// The mixers' shapes in small, parts of 256 (Hopper: 512) tokens and chunks of 64 (128) cut at odd places,
// gates at their ends.
std::vector<Case> cases() {
    return {{"lightning", fixed, 2, 700, 6, 6, 2, 2, 64, 64},
            {"lightning, a token", fixed, 1, 1, 6, 6, 2, 2, 64, 64},
            {"lightning, a chunk and a token", fixed, 2, 65, 4, 4, 4, 4, 64, 64},
            {"lightning, a part and a token", fixed, 1, 257, 2, 2, 1, 1, 64, 64},
            {"lightning, two chunks and a token", fixed, 2, 129, 6, 6, 2, 2, 64, 64},
            {"lightning, seven states of a head", fixed, 1, 513, 7, 7, 1, 1, 64, 64},
            {"lightning, all kept", fixed, 2, 512, 2, 2, 1, 1, 64, 64, false, false, -1e-7},
            {"lightning, documents", fixed, 2, 700, 6, 6, 2, 2, 64, 64, false, false, -0.02, true},
            {"lightning, narrow heads", fixed, 2, 300, 4, 4, 2, 2, 32, 32},
            {"lightning, odd heads", fixed, 2, 300, 4, 4, 2, 2, 23, 41},
            {"mamba", {}, 2, 700, 12, 2, 2, 12, 16, 64, true, true},
            {"mamba, a chunk less a token", {}, 1, 63, 4, 2, 2, 4, 16, 64, true, true},
            {"mamba, nothing kept", {}, 2, 300, 4, 2, 2, 4, 16, 64, true, true, -20},
            {"mamba, all kept", {}, 2, 300, 4, 2, 2, 4, 16, 64, true, true, -1e-7},
            {"mamba, documents", {}, 2, 700, 4, 1, 1, 4, 16, 64, true, true, -0.05, true},
            {"mamba, large state", {}, 2, 300, 4, 2, 2, 4, 64, 64, true, true},
            {"delta rule", delta, 2, 700, 2, 6, 2, 2, 46, 46, true},
            {"delta rule, a chunk and a token", delta, 2, 65, 2, 6, 2, 2, 46, 46, true},
            {"delta rule, narrow heads", delta, 2, 300, 2, 4, 2, 2, 16, 16, true},
            {"delta rule, nothing kept", delta, 2, 300, 2, 4, 2, 2, 46, 46, true, false, -20},
            {"delta rule, all kept", delta, 2, 300, 2, 4, 2, 2, 46, 46, true, false, -1e-7},
            {"delta rule, documents", delta, 2, 700, 2, 4, 2, 2, 46, 46, true, false, -0.05, true}};
}

// Documents of uneven lengths, some of a token, some over several chunks.
at::Tensor starts_of(std::int64_t batch, std::int64_t tokens) {
    at::Tensor starts_BT = at::zeros({batch, tokens}, at::kInt);
    for (std::int64_t b = 0; b < batch; ++b) {
        std::int64_t begin = 0, length = 3 + 40 * b;
        for (std::int64_t t = 0; t < tokens; ++t) {
            if (t - begin == length) begin = t, length = (length * 7 + 13) % 211 + 1;
            starts_BT[b][t] = begin;
        }
    }
    return starts_BT;
}

struct Problem {
    LinearInput input;
    at::Tensor dout;
};
Problem problem_of(const Case& c) {
    Problem p;
    p.input.q_BTHK = values({c.batch, c.tokens, c.q_heads, c.key_dim}, 1);
    p.input.k_BTGK = values({c.batch, c.tokens, c.k_heads, c.key_dim}, 2);
    p.input.v_BTJV = values({c.batch, c.tokens, c.v_heads, c.value_dim}, 3);
    at::Tensor decay = values({c.batch, c.tokens, c.states}, 4).abs().clamp_max(2) * c.log_decay;
    p.input.log_decay_BTS = c.gated ? decay : decay[0][0].contiguous();
    if (c.gated) p.input.beta_BTS = values({c.batch, c.tokens, c.states}, 5).abs().clamp_max(1);
    if (c.skip) p.input.skip_S = values({c.states}, 6);
    if (c.documents) p.input.starts_BT = starts_of(c.batch, c.tokens);
    p.dout = values({c.batch, c.tokens, std::max(c.states, c.q_heads), c.value_dim}, 7);
    return p;
}

struct Answer {
    at::Tensor o, last;
    std::array<at::Tensor, 6> d;
};
Answer answer(Ops& ops, const LinearRule& rule, const Problem& p) {
    const auto vectors = [&](const at::Tensor& x) { return x.to(ops.device(), ops.compute_type()); };
    const auto numbers = [&](const at::Tensor& x) {
        return x.defined() ? x.to(ops.device(), ops.statistics_type()) : x;
    };
    const LinearInput input{
        .q_BTHK = vectors(p.input.q_BTHK),
        .k_BTGK = vectors(p.input.k_BTGK),
        .v_BTJV = vectors(p.input.v_BTJV),
        .log_decay_BTS = numbers(p.input.log_decay_BTS),
        .beta_BTS = numbers(p.input.beta_BTS),
        .skip_S = numbers(p.input.skip_S),
        .starts_BT = p.input.starts_BT.defined() ? p.input.starts_BT.to(ops.device()) : at::Tensor()};
    const std::int64_t batch = input.q_BTHK.size(0), tokens = input.q_BTHK.size(1);
    const LinearShape shape{.states = input.log_decay_BTS.size(-1),
                            .readers = input.q_BTHK.size(2),
                            .key_dim = input.q_BTHK.size(3),
                            .value_dim = input.v_BTJV.size(3)};
    // What is overwritten begins as nonsense.
    const auto poison = [](const at::Tensor& x) { return at::empty_like(x).fill_(1e4); };
    Answer a{.o = poison(vectors(p.dout)),
             .last = at::empty({batch, shape.states, shape.key_dim, shape.value_dim},
                               at::TensorOptions().dtype(ops.statistics_type()).device(ops.device())),
             .d = {}};
    const at::Tensor boundaries = ops.linear_boundaries(rule, shape, batch, tokens);
    ops.linear_attention(rule, input, a.o, boundaries, a.last);
    a.d = {poison(input.q_BTHK),
           poison(input.k_BTGK),
           poison(input.v_BTJV),
           input.log_decay_BTS.dim() == 3 ? poison(input.log_decay_BTS) : at::Tensor(),
           input.beta_BTS.defined() ? poison(input.beta_BTS) : at::Tensor(),
           input.skip_S.defined() ? at::zeros_like(input.skip_S) : at::Tensor()};
    ops.linear_attention_backward(rule, input, boundaries, vectors(p.dout),
                                  {.dq_BTHK = a.d[0],
                                   .dk_BTGK = a.d[1],
                                   .dv_BTJV = a.d[2],
                                   .dlog_decay_BTS = a.d[3],
                                   .dbeta_BTS = a.d[4],
                                   .dskip_S = a.d[5]});
    return a;
}

// use(name) with each kernel that does not refuse the case.
template <class Use>
void by_every_kernel(std::set<std::string>& ran, const Use& use) {
    for (const std::string& kernel : cuda_ops()->recurrence_kernels()) {
        SCOPED_TRACE(kernel);
        cuda_ops()->set_recurrence_kernel(kernel);
        try {
            use(kernel);
            ran.insert(kernel);
        } catch (const KernelRefused& refused) {
            EXPECT_NE(kernel, "reference") << refused.what();
        }
    }
    cuda_ops()->set_recurrence_kernel("auto");
}

TEST(CudaRecurrent, AttentionThroughAStateAndItsGradients) {
    BRAID_NEEDS_CUDA();
    const auto exact_ops = make_cpu_ops(at::kDouble);
    std::set<std::string> ran;
    for (const Case& c : cases()) {
        SCOPED_TRACE(c.name);
        const Problem p = problem_of(c);
        const Answer exact = answer(*exact_ops, c.rule, p);
        by_every_kernel(ran, [&](const std::string& kernel) {
            const Answer got = answer(*cuda_ops(), c.rule, p);
            const std::string name = kernel + ", " + c.name;
            expect_close(name + ", o", got.o, exact.o, 4e-3);
            expect_close(name + ", last state", got.last, exact.last, 4e-3);
            const char* names[] = {"dq", "dk", "dv", "dlog_decay", "dbeta", "dskip"};
            for (std::size_t i = 0; i < got.d.size(); ++i) {
                if (!got.d[i].defined()) continue;
                // The gradient of a decay that keeps nothing is as small as the decay: against the terms in
                // it.
                if (i == 3 && c.log_decay < -10) {
                    const double size = (p.input.q_BTHK * exact.d[0]).norm().item().toDouble();
                    EXPECT_LE((got.d[3].to(at::kCPU, at::kDouble) - exact.d[3]).norm().item().toDouble(),
                              2e-2 * size);
                    continue;
                }
                expect_close(name + ", " + names[i], got.d[i], exact.d[i], i < 3 ? 8e-3 : 2e-2);
            }
        });
    }
    EXPECT_EQ(ran.size(), cuda_ops()->recurrence_kernels().size());
}

TEST(CudaRecurrent, AStateIsTakenUpAndHandedOn) {
    BRAID_NEEDS_CUDA();
    for (const Case& c : cases()) {
        if (c.documents || c.tokens < 300) continue;
        SCOPED_TRACE(c.name);
        const Problem p = problem_of(c);
        const Answer whole = answer(*cuda_ops(), c.rule, p);
        Ops& ops = *cuda_ops();
        const at::Tensor state = at::empty_like(whole.last);
        const at::Tensor o = at::empty_like(whole.o);
        for (const std::int64_t first : {0, 131}) {
            const std::int64_t count = first == 0 ? 131 : c.tokens - 131;
            const auto part = [&](const at::Tensor& x, at::ScalarType type) {
                return x.defined() && x.dim() > 1 ? to_cuda(x.narrow(1, first, count), type)
                       : x.defined()              ? to_cuda(x, type)
                                                  : x;
            };
            LinearInput input{.q_BTHK = part(p.input.q_BTHK, at::kBFloat16),
                              .k_BTGK = part(p.input.k_BTGK, at::kBFloat16),
                              .v_BTJV = part(p.input.v_BTJV, at::kBFloat16),
                              .log_decay_BTS = part(p.input.log_decay_BTS, at::kFloat),
                              .beta_BTS = part(p.input.beta_BTS, at::kFloat),
                              .skip_S = part(p.input.skip_S, at::kFloat)};
            if (first > 0) input.initial_BSKV = state;
            const at::Tensor o_part = at::empty_like(whole.o.narrow(1, first, count));
            ops.linear_attention(c.rule, input, o_part, {}, state);
            o.narrow(1, first, count).copy_(o_part);
        }
        expect_close(std::string(c.name) + " in two pieces", o, whole.o.to(at::kCPU, at::kDouble), 4e-3);
        expect_close(std::string(c.name) + " in two pieces, last state", state,
                     whole.last.to(at::kCPU, at::kDouble), 4e-3);
    }
}

TEST(CudaRecurrent, NormAndGate) {
    BRAID_NEEDS_CUDA();
    const auto exact_ops = make_cpu_ops(at::kDouble);
    struct Shape {
        const char* name;
        GatedNormRule rule;
        std::int64_t rows, heads, width;
        bool weight;
    };
    for (const Shape& s :
         {Shape{"lightning", {.silu = false}, 1003, 1, 384, false},
          Shape{"delta rule", {}, 1003, 6, 46, true}, Shape{"heads of 64", {}, 1003, 3, 64, true},
          Shape{"heads of 58", {}, 1003, 3, 58, true},
          Shape{"mamba", {.gate_first = true}, 1003, 1, 768, true},
          Shape{"many fours", {.silu = false}, 130, 1, 1284, true},
          Shape{"odd width", {}, 57, 3, 31, true}}) {
        SCOPED_TRACE(s.name);
        // The gate lies between other columns, as in a layer's input projection.
        const at::Tensor x = values({s.rows, s.heads, s.width}, 1),
                         dy = values({s.rows, s.heads, s.width}, 2);
        const at::Tensor wide = values({s.rows, s.heads * s.width + 14}, 3), weight = values({s.width}, 4);
        const auto run = [&](Ops& ops) {
            const auto to = [&](const at::Tensor& t) { return t.to(ops.device(), ops.compute_type()); };
            const at::Tensor gate = to(wide).narrow(1, 6, s.heads * s.width).view({s.rows, s.heads, s.width});
            const at::Tensor w = s.weight ? weight.to(ops.device(), ops.master_type()) : at::Tensor();
            std::vector<at::Tensor> all = {at::empty_like(to(x)), at::empty_like(to(x)),
                                           at::empty_like(to(x)),
                                           at::zeros_like(weight.to(ops.device(), ops.master_type()))};
            ops.gated_norm(s.rule, to(x), gate, w, all[0]);
            ops.gated_norm_backward(s.rule, to(dy), to(x), gate, w, all[1], all[2],
                                    s.weight ? all[3] : at::Tensor());
            return all;
        };
        const auto exact = run(*exact_ops), got = run(*cuda_ops());
        const char* names[] = {"y", "dx", "dgate", "dweight"};
        for (std::size_t i = 0; i < (s.weight ? 4U : 3U); ++i)
            expect_close(std::string(s.name) + ", " + names[i], got[i], exact[i], 4e-3);
    }
}

TEST(CudaRecurrent, Gates) {
    BRAID_NEEDS_CUDA();
    const auto exact_ops = make_cpu_ops(at::kDouble);
    const std::int64_t batch = 3, tokens = 201, states = 6;
    for (const bool writes : {false, true}) {
        const at::Tensor in =
            values({batch, tokens, 2 * states + 5}, 1, 12);  // softplus is straight there too
        const at::Tensor a_log = values({states}, 2, 3), bias = values({states}, 3);
        const auto run = [&](Ops& ops) {
            const at::Tensor x = in.to(ops.device(), ops.compute_type());
            const auto exactly = [&](const at::Tensor& t) { return t.to(ops.device(), ops.master_type()); };
            const auto empty = [&] {
                return at::empty({batch, tokens, states},
                                 at::TensorOptions().dtype(ops.statistics_type()).device(ops.device()));
            };
            const GateOutput to{empty(), empty(), writes ? empty() : at::Tensor()};
            ops.recurrent_gates({.raw_BTS = x.narrow(2, 3, states),
                                 .a_log_S = exactly(a_log),
                                 .bias_S = exactly(bias),
                                 .write_BTS = writes ? x.narrow(2, states + 4, states) : at::Tensor()},
                                to);
            return to;
        };
        const GateOutput exact = run(*exact_ops), got = run(*cuda_ops());
        expect_close("dt", got.dt_BTS, exact.dt_BTS, 1e-6);
        expect_close("log decay", got.log_decay_BTS, exact.log_decay_BTS, 1e-6);
        if (writes) expect_close("strength", got.strength_BTS, exact.strength_BTS, 1e-6);
        in.select(2, 4).select(1, 7).fill_(NAN);
        EXPECT_TRUE(run(*cuda_ops()).log_decay_BTS.select(1, 7).select(1, 1).isnan().all().item<bool>());
    }
}

// Token after token of every sequence, each behind what the history holds.
TEST(CudaRecurrent, ShortConvolutionOfAStep) {
    BRAID_NEEDS_CUDA();
    const auto exact_ops = make_cpu_ops(at::kDouble);
    const std::int64_t batch = 5, tokens = 6, channels = 150;
    const at::Tensor x = values({batch, tokens, channels + 10}, 1), taps = values({channels, 4}, 2);
    const at::Tensor before = values({batch, 3, channels}, 3);
    const auto run = [&](Ops& ops) {
        const auto to = [&](const at::Tensor& t) { return t.to(ops.device(), ops.compute_type()); };
        const at::Tensor y = at::empty_like(to(x).narrow(2, 0, channels).contiguous());
        const at::Tensor history = before.to(ops.device(), ops.statistics_type(), false, true);
        for (std::int64_t t = 0; t < tokens; ++t)
            ops.short_convolution({}, to(x).narrow(2, 3, channels).narrow(1, t, 1), to(taps),
                                  y.narrow(1, t, 1), history);
        return std::pair(y, history);
    };
    const auto exact = run(*exact_ops), got = run(*cuda_ops());
    expect_close("convolution of steps, y", got.first, exact.first, 4e-3);
    expect_close("convolution of steps, history", got.second, exact.second, 1e-6);
}

TEST(CudaRecurrent, ShortConvolution) {
    BRAID_NEEDS_CUDA();
    const auto exact_ops = make_cpu_ops(at::kDouble);
    for (const std::int64_t tokens : {1, 2, 63, 65, 700})
        for (const bool apart : {false, true}) {
            const std::int64_t batch = 2, channels = 150;
            const at::Tensor x = values({batch, tokens, channels + 10}, 1),
                             dy = values({batch, tokens, channels}, 2);
            const at::Tensor taps = values({channels, 4}, 3);
            const auto run = [&](Ops& ops) {
                const auto to = [&](const at::Tensor& t) { return t.to(ops.device(), ops.compute_type()); };
                Documents documents;
                if (apart) documents.starts_BT = starts_of(batch, tokens).to(ops.device());
                const at::Tensor x_BTC = to(x).narrow(2, 3, channels);
                std::vector<at::Tensor> all = {at::empty_like(to(dy)), at::empty_like(to(dy)),
                                               at::zeros_like(taps.to(ops.device(), ops.master_type()))};
                ops.short_convolution(documents, x_BTC, to(taps), all[0], {});
                ops.short_convolution_backward(documents, to(dy), x_BTC, to(taps), all[1], all[2]);
                return all;
            };
            const auto exact = run(*exact_ops), got = run(*cuda_ops());
            const char* names[] = {"y", "dx", "dtaps"};
            for (std::size_t i = 0; i < 3; ++i)
                expect_close("convolution of " + std::to_string(tokens) + (apart ? " in documents, " : ", ") +
                                 names[i],
                             got[i], exact[i], 4e-3);
        }
}

}  // namespace
}  // namespace braid
