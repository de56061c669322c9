#include "core/engine/cuda/cached_ops.h"

#include <ATen/ops/_flash_attention_forward.h>

#include <optional>

#include "core/engine/cuda/check.h"
#include "core/engine/cuda/library_attention.h"
#include "core/engine/cuda/pointers.h"
#include "kernels/cuda/cache_token.h"
#include "kernels/cuda/decode_attention.h"
#include "kernels/cuda/linear_step.h"

namespace braid {
namespace {

namespace kc = kernels::cuda;
using cuda::bf16_data;
using cuda::check;
using cuda::float_data;
using cuda::float_or_null;
using cuda::head_vectors;
using cuda::stream;

bool is_bf16(const at::Tensor& x) { return x.scalar_type() == at::kBFloat16 && x.stride(-1) == 1; }

// Heads at multiples of 16 bytes.
bool packs(const at::Tensor& x_BHK) {
    return is_bf16(x_BHK) && x_BHK.stride(0) % 8 == 0 && x_BHK.stride(1) % 8 == 0 &&
           reinterpret_cast<std::uintptr_t>(x_BHK.const_data_ptr()) % 16 == 0;
}
// The same of keys or values that lie one behind the other.
bool packs_cache(const at::Tensor& x_BGSK) {
    return packs(x_BGSK.select(2, 0)) && x_BGSK.stride(2) == x_BGSK.size(3);
}

kc::HeadVectors token_of(const at::Tensor& x_BHK) { return head_vectors(x_BHK.unsqueeze(1)); }
kc::HeadVectors cache_of(const at::Tensor& x_BGSK) { return head_vectors(x_BGSK.transpose(1, 2)); }

bool steps(const LinearInput& input, const at::Tensor& state_BSKV, const at::Tensor& o_B1RV) {
    const auto numbers = [](const at::Tensor& x) {
        return !x.defined() || (x.scalar_type() == at::kFloat && x.is_contiguous());
    };
    return is_bf16(input.q_BTHK) && is_bf16(input.k_BTGK) && is_bf16(input.v_BTJV) && is_bf16(o_B1RV) &&
           numbers(input.log_decay_BTS) && numbers(input.beta_BTS) && numbers(input.skip_S) &&
           numbers(state_BSKV) && !input.starts_BT.defined() &&
           kc::linear_step_supports(
               static_cast<int>(state_BSKV.size(1)), static_cast<int>(input.q_BTHK.size(2)),
               static_cast<int>(state_BSKV.size(2)), static_cast<int>(state_BSKV.size(3)));
}

}  // namespace

void CachedCudaOps::attention_over(const AttentionRule& rule, const at::Tensor& q_BQHK,
                                   const at::Tensor& k_BGTK, const at::Tensor& v_BGTK,
                                   const at::Tensor& sink_H, std::int64_t first_key, std::int64_t first_query,
                                   const at::Tensor& o_BQHK) {
    const std::int64_t batch = q_BQHK.size(0), queries = q_BQHK.size(1), heads = q_BQHK.size(2);
    const std::int64_t keys = k_BGTK.size(2);
    // Flash attention lets the last query see the last key: what attention behind a prefix is.
    if (plain() || !is_bf16(q_BQHK) || !cuda::flash_knows(q_BQHK.size(3)) ||
        first_key + keys != first_query + queries)
        return Ops::attention_over(rule, q_BQHK, k_BGTK, v_BGTK, sink_H, first_key, first_query, o_BQHK);
    const bool window = rule.window > 0 && rule.window < keys;
    const auto answer = at::_flash_attention_forward(
        q_BQHK, k_BGTK.transpose(1, 2), v_BGTK.transpose(1, 2), std::nullopt, std::nullopt, queries, keys,
        0.0, /*is_causal=*/!window, false, std::optional<double>(rule.scale),
        window ? std::optional(rule.window - 1) : std::nullopt,
        window ? std::optional<std::int64_t>(0) : std::nullopt);
    const at::Tensor lse_BHQ =
        scratch("prefill lse", batch * heads * queries, at::kFloat).view({batch, heads, queries});
    cuda::add_sink(std::get<0>(answer), std::get<1>(answer), sink_H, o_BQHK, lse_BHQ);
}

void CachedCudaOps::cache_token(const HeadRule& rule, const at::Tensor& q_BHK, const at::Tensor& k_BGK,
                                const at::Tensor& v_BGK, const at::Tensor& positions_B,
                                const at::Tensor& k_BGSK, const at::Tensor& v_BGSK) {
    if (plain() || !is_bf16(q_BHK) || !is_bf16(k_BGK) || !is_bf16(v_BGK) || !is_bf16(k_BGSK) ||
        !is_bf16(v_BGSK))
        return Ops::cache_token(rule, q_BHK, k_BGK, v_BGK, positions_B, k_BGSK, v_BGSK);
    const auto bias = [&](std::size_t i) {
        return rule.bias[i].defined() ? bf16_data(rule.bias[i]) : nullptr;
    };
    const RopeTable& rope = rule.rope;
    check(kc::cache_token({.q = token_of(q_BHK),
                           .k = token_of(k_BGK),
                           .v = token_of(v_BGK),
                           .k_cache = cache_of(k_BGSK),
                           .v_cache = cache_of(v_BGSK),
                           .positions = cuda::int_data(positions_B),
                           .batch = static_cast<int>(q_BHK.size(0)),
                           .head_dim = static_cast<int>(q_BHK.size(2)),
                           .slots = k_BGSK.size(2),
                           .q_bias = bias(0),
                           .k_bias = bias(1),
                           .v_bias = bias(2),
                           .q_norm = float_or_null(rule.norm_K[0]),
                           .k_norm = float_or_null(rule.norm_K[1]),
                           .cos = float_or_null(rope.cos_TK2),
                           .sin = float_or_null(rope.sin_TK2),
                           .turned = rope.cos_TK2.defined() ? static_cast<int>(2 * rope.cos_TK2.size(1)) : 0,
                           .norm_eps = static_cast<float>(rule.norm_eps),
                           .log_n = static_cast<float>(rule.log_n)},
                          stream()),
          "cache_token");
}

void CachedCudaOps::attention_step(double scale, const at::Tensor& q_BHK, const at::Tensor& k_BGSK,
                                   const at::Tensor& v_BGSK, const at::Tensor& sink_H,
                                   const at::Tensor& positions_B, const at::Tensor& o_BHK) {
    const int batch = static_cast<int>(q_BHK.size(0)), heads = static_cast<int>(q_BHK.size(1));
    const int head_dim = static_cast<int>(q_BHK.size(2)), groups = static_cast<int>(k_BGSK.size(1));
    const std::int64_t keys = k_BGSK.size(2);
    if (plain() || !kc::decode_attention_supports(head_dim) || !packs(q_BHK) || !is_bf16(o_BHK) ||
        !packs_cache(k_BGSK) || !packs_cache(v_BGSK))
        return Ops::attention_step(scale, q_BHK, k_BGSK, v_BGSK, sink_H, positions_B, o_BHK);
    const std::int64_t partial = kc::decode_attention_scratch(batch, heads, groups, head_dim, keys);
    check(kc::decode_attention({.q = token_of(q_BHK),
                                .o = token_of(o_BHK),
                                .k = cache_of(k_BGSK),
                                .v = cache_of(v_BGSK),
                                .sink = sink_H.defined() ? bf16_data(sink_H) : nullptr,
                                .positions = cuda::int_data(positions_B),
                                .batch = batch,
                                .head_dim = head_dim,
                                .keys = keys,
                                .scale = static_cast<float>(scale),
                                .partial = float_data(scratch("decoding", partial, at::kFloat))},
                               stream()),
          "decode_attention");
}

void CachedCudaOps::linear_attention_step(const LinearRule& rule, const LinearInput& input,
                                          const at::Tensor& state_BSKV, const at::Tensor& o_B1RV) {
    if (recurrence_kernel() == "reference" || !steps(input, state_BSKV, o_B1RV))
        return Ops::linear_attention_step(rule, input, state_BSKV, o_B1RV);
    check(kc::linear_step({.batch = static_cast<int>(state_BSKV.size(0)),
                           .states = static_cast<int>(state_BSKV.size(1)),
                           .key_dim = static_cast<int>(state_BSKV.size(2)),
                           .value_dim = static_cast<int>(state_BSKV.size(3)),
                           .silu = rule.silu,
                           .unit = rule.unit_qk,
                           .delta = rule.delta,
                           .scale = static_cast<float>(rule.scale),
                           .q = head_vectors(input.q_BTHK),
                           .k = head_vectors(input.k_BTGK),
                           .v = head_vectors(input.v_BTJV),
                           .o = head_vectors(o_B1RV),
                           .log_decay = float_data(input.log_decay_BTS),
                           .constant_decay = input.log_decay_BTS.dim() == 1,
                           .beta = float_or_null(input.beta_BTS),
                           .skip = float_or_null(input.skip_S),
                           .state = float_data(state_BSKV)},
                          stream()),
          "linear_step");
}

}  // namespace braid
