#include "core/engine/cuda/cuda_delta.h"

#include <ATen/ops/empty.h>

#include <cstdint>
#include <stdexcept>

#include "core/engine/cuda/check.h"
#include "core/engine/cuda/pointers.h"
#include "kernels/cuda/delta_rule.h"

namespace braid::cuda {
namespace {

namespace kc = kernels::cuda;

kc::DeltaShape delta_shape(const LinearShape& shape, std::int64_t batch, std::int64_t tokens) {
    return {.batch = static_cast<int>(batch),
            .tokens = static_cast<int>(tokens),
            .states = static_cast<int>(shape.states),
            .readers = static_cast<int>(shape.readers / shape.states),
            .key_dim = static_cast<int>(shape.key_dim),
            .value_dim = static_cast<int>(shape.value_dim)};
}
kc::DeltaShape delta_shape(const LinearInput& input) {
    return delta_shape(shape_of(input), input.q_BTHK.size(0), input.q_BTHK.size(1));
}

template <class T>
kc::DeltaHeads<T> heads(const at::Tensor& x_BTXK, std::int64_t count) {
    const bool right = x_BTXK.scalar_type() == at::kBFloat16 && x_BTXK.size(2) == count &&
                       x_BTXK.stride(3) == 1 && x_BTXK.stride(0) % 2 == 0 && x_BTXK.stride(1) % 2 == 0 &&
                       x_BTXK.stride(2) % 2 == 0 &&
                       reinterpret_cast<std::uintptr_t>(x_BTXK.const_data_ptr()) % 4 == 0;
    if (!right)
        throw std::invalid_argument("delta rule: heads of a type, number or place that it does not know");
    return {.data = bf16_data(x_BTXK),
            .batch = x_BTXK.stride(0),
            .row = x_BTXK.stride(1),
            .head = x_BTXK.stride(2)};
}
kc::DeltaRule rule_of(const LinearRule& rule, const LinearInput& input, const at::Tensor& kept,
                      const at::Tensor& scratch) {
    const std::int64_t states = input.log_decay_BTS.size(-1), readers = input.q_BTHK.size(2);
    const bool constant = input.log_decay_BTS.dim() == 1;
    return {.shape = delta_shape(input),
            .silu = rule.silu,
            .unit = rule.unit_qk,
            .scale = static_cast<float>(rule.scale),
            .q = heads<const __nv_bfloat16>(input.q_BTHK, readers),
            .k = heads<const __nv_bfloat16>(input.k_BTGK, states),
            .v = heads<const __nv_bfloat16>(input.v_BTJV, states),
            .log_decay = float_or_null(input.log_decay_BTS),
            .decay_batch = constant ? 0 : input.log_decay_BTS.stride(0),
            .decay_row = constant ? 0 : input.log_decay_BTS.stride(1),
            .beta = float_or_null(input.beta_BTS),
            .initial = float_or_null(input.initial_BSKV),
            .starts = int32_or_null(input.starts_BT),
            .kept = bf16_data(kept),
            .scratch = scratch.mutable_data_ptr()};
}

}  // namespace

bool delta_supported(const LinearRule& rule, const LinearShape& shape) {
    return rule.delta && shape.readers % shape.states == 0 &&
           kc::delta_rule_supports(delta_shape(shape, 1, 1));
}

at::Tensor delta_boundaries(const LinearShape& shape, std::int64_t batch, std::int64_t tokens,
                            at::Device device) {
    return at::empty({kc::delta_rule_kept_elements(delta_shape(shape, batch, tokens))},
                     at::dtype(at::kBFloat16).device(device));
}

std::int64_t delta_scratch_bytes(const LinearShape& shape, std::int64_t batch, std::int64_t tokens,
                                 bool backward) {
    return kc::delta_rule_scratch_bytes(delta_shape(shape, batch, tokens), backward);
}

void delta_forward(const LinearRule& rule, const LinearInput& input, const at::Tensor& o_BTRV,
                   const at::Tensor& boundaries, const at::Tensor& last_BSKV, const at::Tensor& scratch) {
    const at::Tensor kept =
        boundaries.defined()
            ? boundaries
            : at::empty({kc::delta_rule_kept_elements(delta_shape(input))}, input.q_BTHK.options());
    check(kc::delta_rule(
              rule_of(rule, input, kept, scratch),
              {.o = heads<__nv_bfloat16>(o_BTRV, input.q_BTHK.size(2)), .last = float_or_null(last_BSKV)},
              stream()),
          "delta_rule");
}

void delta_backward(const LinearRule& rule, const LinearInput& input, const at::Tensor& boundaries,
                    const at::Tensor& do_BTRV, const LinearGradient& gradient, const at::Tensor& scratch) {
    const std::int64_t states = input.log_decay_BTS.size(-1), readers = input.q_BTHK.size(2);
    check(kc::delta_rule_backward(rule_of(rule, input, boundaries, scratch),
                                  {.d_o = heads<const __nv_bfloat16>(do_BTRV, readers),
                                   .dq = heads<__nv_bfloat16>(gradient.dq_BTHK, readers),
                                   .dk = heads<__nv_bfloat16>(gradient.dk_BTGK, states),
                                   .dv = heads<__nv_bfloat16>(gradient.dv_BTJV, states),
                                   .dlog_decay = float_or_null(gradient.dlog_decay_BTS),
                                   .dbeta = float_or_null(gradient.dbeta_BTS)},
                                  stream()),
          "delta_rule_backward");
}

}  // namespace braid::cuda
