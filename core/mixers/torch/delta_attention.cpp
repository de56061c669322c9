// The gated delta rule in chunks. With b the cumulative log-decay of a chunk and S the state before it, what
// each token writes solves a unit lower triangular system (the WY form):
//
//   u_i = beta_i (v_i - exp(b_i) S^T k_i - sum_{j < i} exp(b_i - b_j) (k_i.k_j) u_j)
//   (I + A) U = diag(beta) (V - diag(exp b) K S),   A_ij = beta_i exp(b_i - b_j) (k_i.k_j), i > j
//   o_i = sum_{j <= i} exp(b_i - b_j) (q_i.k_j) u_j + exp(b_i) S^T q_i
//   S'  = exp(b_C) S + sum_j exp(b_C - b_j) k_j u_j^T
//
// One solve gives U = V' - W S with W = (I + A)^-1 diag(beta exp b) K; only U and S' go from chunk to chunk.
#include <ATen/TensorOperators.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linalg_solve_triangular.h>

#include <vector>

#include "core/mixers/torch/linear_chunks.h"

namespace braid::linear {
namespace {

struct Chunked {
    std::int64_t batch = 0, states = 0, readers = 1, chunks = 0, chunk = 0, key_dim = 0, value_dim = 0;
    Read q = {}, k = {}, v = {};
    at::Tensor q_NrK = {};  // r = readers of a state x C rows
    at::Tensor k_NCK = {}, v_NCV = {}, beta_NC1 = {};
    Decay decay = {};
    at::Tensor within_NCC = {}, before_NC1 = {}, after_NC1 = {},
               total_ns = {};    // decay without its leading dimensions; [n, B*S]
    at::Tensor gram_NCC = {};    // exp(b_i - b_j) (k_i.k_j), i >= j
    at::Tensor system_NCC = {};  // beta_i gram_ij: A below the diagonal
    at::Tensor solved_NCE = {};  // [W, V'], E = K + V
    at::Tensor kept_NCK = {};    // exp(b_C - b_j) k_j
    at::Tensor write_NCV = {};   // U
    at::Tensor state_NKV = {};   // before each chunk

    std::int64_t rows() const { return batch * states * chunks; }
    at::Tensor flat(const at::Tensor& x) const { return x.reshape({rows(), chunk, x.size(-1)}); }
    at::Tensor tokens(const at::Tensor& x_NCK) const {
        return x_NCK.view({batch, states, chunks * chunk, x_NCK.size(2)});
    }
    // Chunk c of every state, of a tensor that begins with N.
    at::Tensor at_chunk(const at::Tensor& x_N, std::int64_t c) const {
        return x_N.view({batch * states, chunks, x_N.size(1), x_N.size(2)}).select(1, c);
    }
    // [B, S*r, L, K] to [N, r*C, K] and back.
    at::Tensor by_state(const at::Tensor& x_BHLK) const {
        return x_BHLK.view({batch, states, readers, chunks, chunk, x_BHLK.size(3)})
            .transpose(2, 3)
            .reshape({rows(), readers * chunk, x_BHLK.size(3)});
    }
    at::Tensor by_head(const at::Tensor& x_NrK) const {
        return x_NrK.view({batch, states, chunks, readers, chunk, x_NrK.size(2)})
            .transpose(2, 3)
            .reshape({batch, states * readers, chunks * chunk, x_NrK.size(2)});
    }
    at::Tensor per_reader(const at::Tensor& x_NrK) const {  // [N, r, C, K]
        return x_NrK.view({rows(), readers, chunk, x_NrK.size(2)});
    }
};

at::Tensor solve(const at::Tensor& system, const at::Tensor& right, bool transposed) {
    // The answer comes by columns.
    return at::linalg_solve_triangular(transposed ? system.transpose(1, 2) : system, right, transposed,
                                       /*left=*/true, /*unitriangular=*/true)
        .contiguous();
}

Chunked chunked(const LinearRule& rule, const LinearInput& input, const Segment& segment,
                const at::Tensor& state_BSKV, bool keep) {
    const LinearShape shape = shape_of(input);
    const at::ScalarType type = state_BSKV.scalar_type();
    Chunked c{.batch = input.q_BTHK.size(0),
              .states = shape.states,
              .readers = shape.readers > shape.states ? shape.readers / shape.states : 1,
              .chunks = segment.chunks,
              .chunk = segment.chunk,
              .key_dim = shape.key_dim,
              .value_dim = shape.value_dim};
    c.q = read(input.q_BTHK, segment, {rule.silu, rule.unit_qk, rule.scale, keep}, type);
    c.k = read(input.k_BTGK, segment, {rule.silu, rule.unit_qk, 1, keep}, type);
    c.v = read(input.v_BTJV, segment, {.silu = rule.silu, .keep = keep}, type);
    c.q_NrK = c.by_state(to_states(c.q.value_BXLK, c.states * c.readers));
    c.k_NCK = c.flat(to_states(c.k.value_BXLK, c.states));
    c.v_NCV = c.flat(to_states(c.v.value_BXLK, c.states));
    c.beta_NC1 = read_scalars(input.beta_BTS, segment, type).view({c.rows(), c.chunk, 1});
    c.decay = decay_of(input, segment, type);
    const auto of_all = [&c](const at::Tensor& x) {  // a constant decay is given once for all sequences
        std::vector<std::int64_t> sizes = x.sizes().vec();
        sizes[0] = c.batch;
        return x.expand(sizes);
    };
    c.within_NCC = c.flat(of_all(c.decay.within));
    c.before_NC1 = c.flat(of_all(c.decay.before));
    c.after_NC1 = c.flat(of_all(c.decay.after));
    at::Tensor total = c.decay.total.exp();
    if (c.decay.begun.defined()) total = total * c.decay.begun.eq(0);
    total = of_all(total).reshape({c.batch * c.states, c.chunks});

    c.gram_NCC = at::bmm(c.k_NCK, c.k_NCK.transpose(1, 2)).mul_(c.within_NCC);
    c.system_NCC = c.gram_NCC * c.beta_NC1;
    c.solved_NCE =
        solve(c.system_NCC, at::cat({c.k_NCK * (c.beta_NC1 * c.before_NC1), c.v_NCV * c.beta_NC1}, 2), false);
    c.kept_NCK = c.k_NCK * c.after_NC1;
    const at::Tensor w_NCK = c.solved_NCE.narrow(2, 0, c.key_dim);
    const at::Tensor v_NCV = c.solved_NCE.narrow(2, c.key_dim, c.value_dim);
    c.write_NCV = at::empty({c.rows(), c.chunk, c.value_dim}, state_BSKV.options());
    c.state_NKV = at::empty({c.rows(), c.key_dim, c.value_dim}, state_BSKV.options());
    c.total_ns = total.transpose(0, 1).contiguous();
    at::Tensor state = state_BSKV.flatten(0, 1);
    const std::int64_t groups = c.batch * c.states;
    const auto whole = [&](const at::Tensor& x) { return x.view({groups, c.chunks, x.size(1), x.size(2)}); };
    const at::Tensor w4 = w_NCK.unflatten(0, {groups, c.chunks}), v4 = v_NCV.unflatten(0, {groups, c.chunks});
    const at::Tensor write4 = whole(c.write_NCV), state4 = whole(c.state_NKV), kept4 = whole(c.kept_NCK);
    for (std::int64_t i = 0; i < c.chunks; ++i) {
        state4.select(1, i).copy_(state);
        const at::Tensor u = at::baddbmm(v4.select(1, i), w4.select(1, i), state, 1, -1);
        write4.select(1, i).copy_(u);
        state =
            at::baddbmm(state * c.total_ns[i].view({groups, 1, 1}), kept4.select(1, i).transpose(1, 2), u);
    }
    if (!keep) state_BSKV.flatten(0, 1).copy_(state);
    c.decay.total = state;  // the state after the last chunk, for the backward pass
    return c;
}

}  // namespace

void forward_delta(const LinearRule& rule, const LinearInput& input, const Segment& segment,
                   const at::Tensor& state_BSKV, const at::Tensor& o_BTRV) {
    const Chunked c = chunked(rule, input, segment, state_BSKV, false);
    const at::Tensor scores = at::bmm(c.q_NrK, c.k_NCK.transpose(1, 2));
    c.per_reader(scores).mul_(c.within_NCC.unsqueeze(1));
    at::Tensor o_NrV = at::bmm(scores, c.write_NCV);
    const at::Tensor q = (c.per_reader(c.q_NrK) * c.before_NC1.unsqueeze(1)).view(c.q_NrK.sizes());
    o_NrV.baddbmm_(q, c.state_NKV);
    write_tokens(c.by_head(o_NrV), segment, o_BTRV);
}

void backward_delta(const LinearRule& rule, const LinearInput& input, const Segment& segment,
                    const at::Tensor& boundary_BSKV, const at::Tensor& do_BTRV, const at::Tensor& dstate_BSKV,
                    const LinearGradient& gradient) {
    const Chunked c = chunked(rule, input, segment, boundary_BSKV, true);
    const at::Tensor do_NrV = c.by_state(read(do_BTRV, segment, {}, boundary_BSKV.scalar_type()).value_BXLK);
    const at::Tensor before = c.before_NC1.unsqueeze(1), within = c.within_NCC.unsqueeze(1);
    const at::Tensor scores = at::bmm(c.q_NrK, c.k_NCK.transpose(1, 2));
    const at::Tensor dscores = at::bmm(do_NrV, c.write_NCV.transpose(1, 2));
    c.per_reader(scores).mul_(within);
    c.per_reader(dscores).mul_(within);

    // Back along the chunks: the gradient of the state after each, and of what each wrote.
    const std::int64_t groups = c.batch * c.states;
    const at::Tensor q = (c.per_reader(c.q_NrK) * before).view(c.q_NrK.sizes());
    const at::Tensor asked = at::bmm(q.transpose(1, 2), do_NrV);
    const at::Tensor dwrite = at::bmm(scores.transpose(1, 2), do_NrV);
    const at::Tensor dafter = at::empty_like(c.state_NKV);
    const at::Tensor w = c.solved_NCE.narrow(2, 0, c.key_dim).unflatten(0, {groups, c.chunks});
    at::Tensor dstate = dstate_BSKV.flatten(0, 1);
    for (std::int64_t i = c.chunks; i-- > 0;) {
        c.at_chunk(dafter, i).copy_(dstate);
        at::Tensor du = c.at_chunk(dwrite, i);
        du.copy_(at::baddbmm(du, c.at_chunk(c.kept_NCK, i), dstate));
        dstate = at::baddbmm(c.at_chunk(asked, i) + dstate * c.total_ns[i].view({groups, 1, 1}),
                             w.select(1, i).transpose(1, 2), du, 1, -1);
    }

    // Through the triangular system: X = (I + A)^-1 Y, so dY = (I + A)^-T dX and dA = -dY X^T below the
    // diagonal.
    const at::Tensor dw = at::bmm(dwrite, c.state_NKV.transpose(1, 2)).neg_();
    const at::Tensor dright = solve(c.system_NCC, at::cat({dw, dwrite}, 2), true);
    const at::Tensor dright_k = dright.narrow(2, 0, c.key_dim),
                     dright_v = dright.narrow(2, c.key_dim, c.value_dim);
    const at::Tensor dsystem = at::bmm(dright, c.solved_NCE.transpose(1, 2)).neg_().tril_(-1);
    const at::Tensor dgram = dsystem * c.within_NCC * c.beta_NC1;

    at::Tensor dq = at::bmm(do_NrV, c.state_NKV.transpose(1, 2));
    c.per_reader(dq).mul_(before);
    dq.baddbmm_(dscores, c.k_NCK);
    // Uses of k_i beside exp(b_i), and beside exp(-b_i).
    const at::Tensor dk_plus = at::bmm(dgram, c.k_NCK).add_(dright_k * (c.beta_NC1 * c.before_NC1));
    at::Tensor dk_minus = at::bmm(c.write_NCV, dafter.transpose(1, 2)).mul_(c.after_NC1);
    dk_minus.baddbmm_(dgram.transpose(1, 2), c.k_NCK).baddbmm_(dscores.transpose(1, 2), c.q_NrK);

    if (gradient.dlog_decay_BTS.defined()) {
        at::Tensor db = c.per_reader((c.q_NrK * dq).sum(-1, true)).sum(1).squeeze(-1) +
                        (c.k_NCK * (dk_plus - dk_minus)).sum(-1);
        // The state after a chunk is the state before the next one.
        const at::Tensor states = c.state_NKV.view({groups, c.chunks, c.key_dim, c.value_dim});
        const at::Tensor after = at::cat({states.narrow(1, 1, c.chunks - 1), c.decay.total.unsqueeze(1)}, 1);
        const at::Tensor behind = (after * dafter.view(states.sizes())).flatten(2).sum(-1);
        db.select(1, c.chunk - 1).add_(behind.view({c.rows()}));
        write_scalars(decay_gradient(db.view({c.batch, c.states, c.chunks, c.chunk})), segment,
                      gradient.dlog_decay_BTS);
    }
    if (gradient.dbeta_BTS.defined()) {
        const at::Tensor dbeta = (dsystem * c.gram_NCC).sum(-1) +
                                 (dright_k * c.k_NCK * c.before_NC1).sum(-1) + (dright_v * c.v_NCV).sum(-1);
        write_scalars(dbeta.view({c.batch, c.states, c.chunks, c.chunk}), segment, gradient.dbeta_BTS);
    }
    write_gradient(c.q, from_states(c.by_head(dq), input.q_BTHK.size(2)), segment, gradient.dq_BTHK);
    write_gradient(c.k, from_states(c.tokens(dk_plus + dk_minus), input.k_BTGK.size(2)), segment,
                   gradient.dk_BTGK);
    write_gradient(c.v, from_states(c.tokens(dright_v * c.beta_NC1), input.v_BTJV.size(2)), segment,
                   gradient.dv_BTJV);
    dstate_BSKV.flatten(0, 1).copy_(dstate);
}

}  // namespace braid::linear
