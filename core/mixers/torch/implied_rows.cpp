// B sequences, r rows, S keys, K key dimension.
#include "core/mixers/torch/implied_rows.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace braid {
namespace {

constexpr std::int64_t block = 64;  // keys that the delta rule solves for at once
constexpr double unit_eps = 1e-6;   // as the recurrence has it (linear_chunks.cpp)

// Head `head` of [B, T, X, K] up to token `end`, as the rule reads it.
at::Tensor read(const at::Tensor& x_BTXK, std::int64_t head, std::int64_t end, bool silu, bool unit) {
    at::Tensor x = x_BTXK.select(2, head).narrow(1, 0, end).to(at::kDouble);
    if (silu) x = at::silu(x);
    if (unit) x = x * x.square().sum(-1, true).add(unit_eps).rsqrt();
    return x;
}

// Scalars of one state, [B, end] or [1, end].
at::Tensor scalars(const at::Tensor& x, std::int64_t state, std::int64_t end) {
    if (x.dim() == 1) return x[state].to(at::kDouble).expand({1, end});
    return x.select(2, state).narrow(1, 0, end).to(at::kDouble);
}

// Which state, key head and query head an output head is about.
struct Place {
    std::int64_t state, key, query;
};
Place place_of(const LinearInput& input, std::int64_t head) {
    const std::int64_t states = input.log_decay_BTS.size(-1), readers = input.q_BTHK.size(2);
    const std::int64_t outputs = std::max(states, readers), state = head / (outputs / states);
    return {
        .state = state, .key = state / (states / input.k_BTGK.size(2)), .query = head / (outputs / readers)};
}

// X of X (I + A) = R, from the last block of keys to the first: what later keys ask of earlier ones goes
// through one [B, r, K] tensor.
at::Tensor solve(const at::Tensor& right_BrS, const at::Tensor& k_BSK, const at::Tensor& b_BS,
                 const at::Tensor& beta_BS) {
    const std::int64_t keys = k_BSK.size(1);
    at::Tensor x_BrS = right_BrS.clone();
    at::Tensor later_BrK =
        at::zeros({right_BrS.size(0), right_BrS.size(1), k_BSK.size(2)}, right_BrS.options());
    for (std::int64_t begin = (keys - 1) / block * block; begin >= 0; begin -= block) {
        const std::int64_t size = std::min(block, keys - begin);
        const auto part = [&](const at::Tensor& x) { return x.narrow(1, begin, size); };
        const at::Tensor k = part(k_BSK), b = part(b_BS);
        const at::Tensor b_end = b.select(1, size - 1).unsqueeze(1);
        // later_BrK is sum_i x_i beta_i exp(b_i - b of this block's end) k_i.
        const at::Tensor asked = at::bmm(later_BrK, k.transpose(1, 2)) * (b_end - b).exp().unsqueeze(1);
        const at::Tensor within = (b.unsqueeze(2) - b.unsqueeze(1)).exp().mul(part(beta_BS).unsqueeze(2)) *
                                  at::bmm(k, k.transpose(1, 2));
        const at::Tensor x =
            at::linalg_solve_triangular(within.tril(-1).transpose(1, 2),
                                        (x_BrS.narrow(2, begin, size) - asked).transpose(1, 2),
                                        /*upper=*/true, /*left=*/true, /*unitriangular=*/true)
                .transpose(1, 2);
        x_BrS.narrow(2, begin, size).copy_(x);
        if (begin == 0) break;
        const at::Tensor before = b_BS.select(1, begin - 1).unsqueeze(1);  // the end of the next block
        const at::Tensor strength = (part(beta_BS) * (b - before).exp()).unsqueeze(1);
        later_BrK = later_BrK * (b_end - before).exp().unsqueeze(1) + at::bmm(x * strength, k);
    }
    return x_BrS * beta_BS.unsqueeze(1);
}

}  // namespace

AttentionRows implied_rows(const LinearRule& rule, const LinearInput& input, std::int64_t head,
                           std::int64_t first, std::int64_t count, at::ScalarType type) {
    const Place place = place_of(input, head);
    const std::int64_t state = place.state, end = first + count;
    const std::int64_t value_head = state / (input.log_decay_BTS.size(-1) / input.v_BTJV.size(2));
    const at::Tensor q_BrK =
        read(input.q_BTHK, place.query, end, rule.silu, rule.unit_qk).narrow(1, first, count);
    const at::Tensor k_BSK = read(input.k_BTGK, place.key, end, rule.silu, rule.unit_qk);
    const at::Tensor b_BS = scalars(input.log_decay_BTS, state, end).cumsum(1);
    const auto places = at::TensorOptions().dtype(at::kLong).device(q_BrK.device());
    const at::Tensor rows = at::arange(first, end, places).unsqueeze(1), keys = at::arange(end, places);
    at::Tensor weights = at::bmm(q_BrK, k_BSK.transpose(1, 2)).mul_(rule.scale);
    // Keys behind a row are masked before exp(), which would overflow there.
    const at::Tensor decay = (b_BS.narrow(1, first, count).unsqueeze(2) - b_BS.unsqueeze(1))
                                 .masked_fill(keys.gt(rows), -1e300)
                                 .exp_();
    weights = weights * decay;
    const at::Tensor beta_BS = input.beta_BTS.defined() ? scalars(input.beta_BTS, state, end) : at::Tensor();
    if (rule.delta)
        weights = solve(weights, k_BSK, b_BS.expand({k_BSK.size(0), end}), beta_BS);
    else if (beta_BS.defined())
        weights = weights * beta_BS.unsqueeze(1);
    if (input.skip_S.defined())
        weights = weights + keys.eq(rows).to(at::kDouble) * input.skip_S[state].to(at::kDouble);
    AttentionRows answer;
    answer.weights_BrS = weights.to(type);
    answer.values_BSV = read(input.v_BTJV, value_head, end, rule.silu, false).to(type);
    return answer;
}

AttentionFactors implied_factors(const LinearRule& rule, const LinearInput& input, std::int64_t head,
                                 at::ScalarType type) {
    const Place place = place_of(input, head);
    const std::int64_t tokens = input.q_BTHK.size(1);
    const at::Tensor q_BTK = read(input.q_BTHK, place.query, tokens, rule.silu, rule.unit_qk).mul(rule.scale);
    at::Tensor k_BTK = read(input.k_BTGK, place.key, tokens, rule.silu, rule.unit_qk);
    if (input.beta_BTS.defined()) k_BTK = k_BTK * scalars(input.beta_BTS, place.state, tokens).unsqueeze(-1);
    AttentionFactors factors{
        .q_BTK = q_BTK.to(type),
        .k_BTK = k_BTK.to(type),
        .offset_BT =
            scalars(input.log_decay_BTS, place.state, tokens).cumsum(1).expand({q_BTK.size(0), tokens}),
        .implied = true};
    if (input.skip_S.defined()) factors.diagonal = input.skip_S[place.state].to(type);
    return factors;
}

}  // namespace braid
