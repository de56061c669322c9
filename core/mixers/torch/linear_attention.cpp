// The scalar-decay recurrence in chunks. With b the cumulative log-decay of a chunk and S the state before
// it,
//
//   o_i = sum_{j <= i} exp(b_i - b_j) (q_i.k_j) v_j + exp(b_i) S^T q_i
//   S'  = exp(b_C) S + sum_j exp(b_C - b_j) k_j v_j^T,
//
// all products of matrices; the states before the chunks are one more product, of the decays between chunks
// with what each chunk writes.
#include <ATen/TensorOperators.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "core/mixers/torch/linear_chunks.h"
#include "core/mixers/torch/ops.h"

namespace braid {
namespace linear {
namespace {

// Everything of a segment that both passes need.
struct Chunked {
    std::int64_t batch = 0, states = 0, chunks = 0, chunk = 0, key_dim = 0, value_dim = 0;
    Read q = {}, k = {}, v = {};
    at::Tensor q_NCK = {}, k_NCK = {}, v_BSLV = {}, w_NCV = {};  // w = beta v
    at::Tensor beta_BSL1 = {};                                   // undefined: 1
    Decay decay = {};
    at::Tensor links = {};         // [., S, n+1, n+1] exp of the decay from chunk to chunk
    at::Tensor states_BSmKV = {};  // m = n + 1: before each chunk, and after the last

    at::Tensor rows(const at::Tensor& x) const {  // [B, S, L, K] or [B, S, n, C, K] to [N, C, K]
        return x.reshape({batch * states * chunks, chunk, x.size(-1)});
    }
    at::Tensor heads(const at::Tensor& x_NCK) const {
        return x_NCK.view({batch, states, chunks, chunk, x_NCK.size(2)});
    }
    at::Tensor tokens(const at::Tensor& x_NCK) const {
        return x_NCK.view({batch, states, chunks * chunk, x_NCK.size(2)});
    }
    at::Tensor before_chunks() const {  // [N, K, V]
        return states_BSmKV.narrow(2, 0, chunks).reshape({batch * states * chunks, key_dim, value_dim});
    }
};

Chunked chunked(const LinearRule& rule, const LinearInput& input, const Segment& segment,
                const at::Tensor& state_BSKV, bool keep) {
    const LinearShape shape = shape_of(input);
    const at::ScalarType type = state_BSKV.scalar_type();
    Chunked c{.batch = input.q_BTHK.size(0),
              .states = shape.states,
              .chunks = segment.chunks,
              .chunk = segment.chunk,
              .key_dim = shape.key_dim,
              .value_dim = shape.value_dim};
    const ReadRule plain{.silu = rule.silu, .keep = keep};
    c.q = read(input.q_BTHK, segment, {rule.silu, rule.unit_qk, rule.scale, keep}, type);
    c.k = read(input.k_BTGK, segment, {rule.silu, rule.unit_qk, 1, keep}, type);
    c.v = read(input.v_BTJV, segment, plain, type);
    c.q_NCK = c.rows(to_states(c.q.value_BXLK, c.states));
    c.k_NCK = c.rows(to_states(c.k.value_BXLK, c.states));
    c.v_BSLV = to_states(c.v.value_BXLK, c.states);
    if (input.beta_BTS.defined())
        c.beta_BSL1 = read_scalars(input.beta_BTS, segment, type).flatten(2).unsqueeze(-1);
    c.w_NCV = c.rows(c.beta_BSL1.defined() ? c.v_BSLV * c.beta_BSL1 : c.v_BSLV);
    c.decay = decay_of(input, segment, type);

    const at::Tensor kept = c.rows(c.heads(c.k_NCK) * c.decay.after);
    const at::Tensor written =
        at::bmm(kept.transpose(1, 2), c.w_NCV).view({c.batch, c.states, c.chunks, c.key_dim, c.value_dim});
    const auto from_zero = [](const at::Tensor& x) {
        return at::cat({at::zeros_like(x.narrow(-1, 0, 1)), x.cumsum(-1)}, -1);
    };
    const at::Tensor place = from_zero(c.decay.total);
    c.links = (place.unsqueeze(-1) - place.unsqueeze(-2)).exp_().tril_();
    if (c.decay.begun.defined()) {
        const at::Tensor begun = from_zero(c.decay.begun);
        c.links = c.links * begun.unsqueeze(-1).eq(begun.unsqueeze(-2));
    }
    const at::Tensor sources = at::cat({state_BSKV.unsqueeze(2), written}, 2).flatten(3);
    c.states_BSmKV =
        at::matmul(c.links, sources).view({c.batch, c.states, c.chunks + 1, c.key_dim, c.value_dim});
    return c;
}

}  // namespace

void forward(const LinearRule& rule, const LinearInput& input, const Segment& segment,
             const at::Tensor& state_BSKV, const at::Tensor& o_BTRV) {
    const Chunked c = chunked(rule, input, segment, state_BSKV, false);
    const at::Tensor scores = at::bmm(c.q_NCK, c.k_NCK.transpose(1, 2));
    c.heads(scores).mul_(c.decay.within);
    at::Tensor o_NCV = at::bmm(scores, c.w_NCV);
    o_NCV.baddbmm_(c.rows(c.heads(c.q_NCK) * c.decay.before), c.before_chunks());
    at::Tensor o_BSLV = c.tokens(o_NCV);
    if (input.skip_S.defined()) o_BSLV.addcmul_(c.v_BSLV, input.skip_S.view({1, c.states, 1, 1}));
    write_tokens(o_BSLV, segment, o_BTRV);
    state_BSKV.copy_(c.states_BSmKV.select(2, c.chunks));
}

void backward(const LinearRule& rule, const LinearInput& input, const Segment& segment,
              const at::Tensor& boundary_BSKV, const at::Tensor& do_BTRV, const at::Tensor& dstate_BSKV,
              const LinearGradient& gradient) {
    const Chunked c = chunked(rule, input, segment, boundary_BSKV, true);
    const at::ScalarType type = boundary_BSKV.scalar_type();
    const at::Tensor do_BSLV = read(do_BTRV, segment, {}, type).value_BXLK;
    const at::Tensor do_NCV = c.rows(do_BSLV);
    const at::Tensor scores = at::bmm(c.q_NCK, c.k_NCK.transpose(1, 2));
    const at::Tensor dscores = at::bmm(do_NCV, c.w_NCV.transpose(1, 2));
    c.heads(scores).mul_(c.decay.within);
    c.heads(dscores).mul_(c.decay.within);

    // Through the states: what the outputs ask of each, then back along the links to what each chunk wrote.
    const at::Tensor asked = at::bmm(c.rows(c.heads(c.q_NCK) * c.decay.before).transpose(1, 2), do_NCV)
                                 .view({c.batch, c.states, c.chunks, c.key_dim * c.value_dim});
    const at::Tensor dsources =
        at::matmul(c.links.transpose(-1, -2), at::cat({asked, dstate_BSKV.flatten(2).unsqueeze(2)}, 2))
            .view({c.batch, c.states, c.chunks + 1, c.key_dim, c.value_dim});
    const at::Tensor dwritten_BSnKV = dsources.narrow(2, 1, c.chunks);
    const at::Tensor dwritten = dwritten_BSnKV.reshape({-1, c.key_dim, c.value_dim});

    at::Tensor dq = at::bmm(do_NCV, c.before_chunks().transpose(1, 2));
    c.heads(dq).mul_(c.decay.before);
    dq.baddbmm_(dscores, c.k_NCK);
    at::Tensor dk = at::bmm(c.w_NCV, dwritten.transpose(1, 2));
    c.heads(dk).mul_(c.decay.after);
    dk.baddbmm_(dscores.transpose(1, 2), c.q_NCK);
    at::Tensor dw = at::bmm(scores.transpose(1, 2), do_NCV);
    dw.baddbmm_(c.rows(c.heads(c.k_NCK) * c.decay.after), dwritten);

    if (gradient.dlog_decay_BTS.defined()) {
        // Every use of b_i is beside q_i, every use of -b_j beside k_j, and b_C scales the state after the
        // chunk.
        at::Tensor db =
            ((c.q_NCK * dq).sum(-1) - (c.k_NCK * dk).sum(-1)).view({c.batch, c.states, c.chunks, c.chunk});
        const at::Tensor behind = (c.states_BSmKV.narrow(2, 1, c.chunks) * dwritten_BSnKV).flatten(3).sum(-1);
        db.select(-1, c.chunk - 1).add_(behind);
        write_scalars(decay_gradient(db), segment, gradient.dlog_decay_BTS);
    }
    at::Tensor dv = c.tokens(dw);
    if (c.beta_BSL1.defined()) {
        if (gradient.dbeta_BTS.defined())
            write_scalars((dv * c.v_BSLV).sum(-1).view({c.batch, c.states, c.chunks, c.chunk}), segment,
                          gradient.dbeta_BTS);
        dv.mul_(c.beta_BSL1);
    }
    if (input.skip_S.defined()) {
        gradient.dskip_S.add_((do_BSLV * c.v_BSLV).sum(-1).sum(2).sum(0));
        dv.addcmul_(do_BSLV, input.skip_S.view({1, c.states, 1, 1}));
    }
    write_gradient(c.q, from_states(c.tokens(dq), input.q_BTHK.size(2)), segment, gradient.dq_BTHK);
    write_gradient(c.k, from_states(c.tokens(dk), input.k_BTGK.size(2)), segment, gradient.dk_BTGK);
    write_gradient(c.v, from_states(dv, input.v_BTJV.size(2)), segment, gradient.dv_BTJV);
    dstate_BSKV.copy_(dsources.select(2, 0));
}

}  // namespace linear

namespace {

at::Tensor zero_state(const LinearShape& shape, std::int64_t batch, at::TensorOptions options) {
    return at::zeros({batch, shape.states, shape.key_dim, shape.value_dim}, options);
}

}  // namespace

at::Tensor Ops::linear_boundaries(const LinearRule&, const LinearShape& shape, std::int64_t batch,
                                  std::int64_t tokens) {
    const auto count = std::int64_t(linear::segments(shape, batch, tokens, device()).size());
    return at::zeros({count, batch, shape.states, shape.key_dim, shape.value_dim},
                     at::TensorOptions().dtype(statistics_type()).device(device()));
}

void Ops::linear_attention(const LinearRule& rule, const LinearInput& input, const at::Tensor& o_BTRV,
                           const at::Tensor& boundaries, const at::Tensor& last_BSKV) {
    const LinearShape shape = linear::shape_of(input);
    const std::int64_t batch = input.q_BTHK.size(0);
    at::Tensor state =
        last_BSKV.defined()
            ? last_BSKV
            : zero_state(shape, batch, at::TensorOptions().dtype(statistics_type()).device(device()));
    if (!input.initial_BSKV.defined())
        state.zero_();
    else if (!state.is_same(input.initial_BSKV))
        state.copy_(input.initial_BSKV);
    std::int64_t index = 0;
    for (const linear::Segment& segment : linear::segments(shape, batch, input.q_BTHK.size(1), device())) {
        if (boundaries.defined()) boundaries.select(0, index++).copy_(state);
        (rule.delta ? linear::forward_delta : linear::forward)(rule, input, segment, state, o_BTRV);
    }
}

void Ops::linear_attention_backward(const LinearRule& rule, const LinearInput& input,
                                    const at::Tensor& boundaries, const at::Tensor& do_BTRV,
                                    const LinearGradient& gradient) {
    const LinearShape shape = linear::shape_of(input);
    const std::int64_t batch = input.q_BTHK.size(0);
    const auto segments = linear::segments(shape, batch, input.q_BTHK.size(1), device());
    const at::Tensor dstate = zero_state(shape, batch, boundaries.options());
    for (std::int64_t i = std::int64_t(segments.size()); i-- > 0;)
        (rule.delta ? linear::backward_delta : linear::backward)(
            rule, input, segments[std::size_t(i)], boundaries.select(0, i), do_BTRV, dstate, gradient);
    if (!input.starts_BT.defined() || !gradient.dlog_decay_BTS.defined()) return;
    // Nothing reaches across a beginning: what rounding left there is no gradient.
    gradient.dlog_decay_BTS.masked_fill_(linear::beginnings(input.starts_BT).unsqueeze(-1), 0);
}

void Ops::linear_attention_step(const LinearRule& rule, const LinearInput& input,
                                const at::Tensor& state_BSKV, const at::Tensor& o_B1RV) {
    const LinearShape shape = linear::shape_of(input);
    const at::ScalarType type = state_BSKV.scalar_type();
    const linear::Segment one{.first = 0, .tokens = 1, .chunks = 1, .chunk = 1};
    const std::int64_t rows = state_BSKV.size(0) * shape.states;
    const at::Tensor state = state_BSKV.view({rows, shape.key_dim, shape.value_dim});
    const at::Tensor q =
        linear::read(input.q_BTHK, one, {rule.silu, rule.unit_qk, rule.scale}, type).value_BXLK;
    const at::Tensor k = linear::to_states(
        linear::read(input.k_BTGK, one, {rule.silu, rule.unit_qk}, type).value_BXLK, shape.states);
    const at::Tensor v =
        linear::to_states(linear::read(input.v_BTJV, one, {rule.silu}, type).value_BXLK, shape.states);
    const at::Tensor k_n1K = k.reshape({rows, 1, shape.key_dim});
    at::Tensor write = v.reshape({rows, 1, shape.value_dim});
    state_BSKV.mul_(linear::read_scalars(input.log_decay_BTS, one, type).exp_());
    if (rule.delta) write = at::baddbmm(write, k_n1K, state, 1, -1);
    if (input.beta_BTS.defined())
        write = write * linear::read_scalars(input.beta_BTS, one, type).view({rows, 1, 1});
    state.baddbmm_(k_n1K.transpose(1, 2), write);
    const at::Tensor q_nRK = (shape.readers < shape.states ? linear::to_states(q, shape.states) : q)
                                 .reshape({rows, -1, shape.key_dim});
    at::Tensor o = at::bmm(q_nRK, state).view({state_BSKV.size(0), -1, 1, shape.value_dim});
    if (input.skip_S.defined()) o.addcmul_(v, input.skip_S.view({1, shape.states, 1, 1}));
    linear::write_tokens(o, one, o_B1RV);
}

}  // namespace braid
