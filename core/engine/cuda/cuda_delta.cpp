#include "core/engine/cuda/cuda_delta.h"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>

#include <limits>

#include "core/engine/cuda/check.h"
#include "kernels/cuda/delta_rule.h"

namespace braid::cuda {
namespace {

namespace kc = kernels::cuda;

kc::DeltaShape shape_of(const LinearShape& shape, std::int64_t batch, std::int64_t tokens) {
    return {.batch = static_cast<int>(batch),
            .tokens = static_cast<int>(tokens),
            .states = static_cast<int>(shape.states),
            .readers = static_cast<int>(shape.readers / shape.states),
            .key_dim = static_cast<int>(shape.key_dim),
            .value_dim = static_cast<int>(shape.value_dim)};
}
kc::DeltaShape shape_of(const LinearInput& input) {
    return shape_of({.states = input.k_BTGK.size(2),
                     .readers = input.q_BTHK.size(2),
                     .key_dim = input.k_BTGK.size(3),
                     .value_dim = input.v_BTJV.size(3)},
                    input.q_BTHK.size(0), input.q_BTHK.size(1));
}

bool readable(const at::Tensor& x_BTXK) {
    return x_BTXK.scalar_type() == at::kBFloat16 && x_BTXK.stride(3) == 1 && x_BTXK.stride(0) % 2 == 0 &&
           x_BTXK.stride(1) % 2 == 0 && x_BTXK.stride(2) % 2 == 0 &&
           reinterpret_cast<std::uintptr_t>(x_BTXK.const_data_ptr()) % 4 == 0;
}

template <class T>
kc::DeltaHeads<T> heads(const at::Tensor& x_BTXK) {
    if (!readable(x_BTXK)) throw std::runtime_error("delta rule: a head of no supported type or place");
    return {.data = static_cast<T*>(x_BTXK.mutable_data_ptr()),
            .batch = x_BTXK.stride(0),
            .row = x_BTXK.stride(1),
            .head = x_BTXK.stride(2)};
}
template <class T>
T* data_or_null(const at::Tensor& tensor) {
    return tensor.defined() ? static_cast<T*>(tensor.mutable_data_ptr()) : nullptr;
}

kc::DeltaRule rule_of(const LinearRule& rule, const LinearInput& input, const at::Tensor& kept,
                      const at::Tensor& scratch) {
    const bool constant = input.log_decay_BTS.dim() == 1;
    return {.shape = shape_of(input),
            .silu = rule.silu,
            .unit = rule.unit_qk,
            .scale = static_cast<float>(rule.scale),
            .q = heads<const __nv_bfloat16>(input.q_BTHK),
            .k = heads<const __nv_bfloat16>(input.k_BTGK),
            .v = heads<const __nv_bfloat16>(input.v_BTJV),
            .log_decay = data_or_null<const float>(input.log_decay_BTS),
            .decay_batch = constant ? 0 : input.log_decay_BTS.stride(0),
            .decay_row = constant ? 0 : input.log_decay_BTS.stride(1),
            .beta = data_or_null<const float>(input.beta_BTS),
            .initial = data_or_null<const float>(input.initial_BSKV),
            .starts = data_or_null<const std::int32_t>(input.starts_BT),
            .kept = data_or_null<__nv_bfloat16>(kept),
            .scratch = scratch.mutable_data_ptr()};
}

}  // namespace

bool delta_supported(const LinearRule& rule, const LinearInput& input) {
    const std::int64_t states = input.log_decay_BTS.size(-1);
    const std::int64_t largest = std::numeric_limits<int>::max();
    return rule.delta && !input.skip_S.defined() && input.beta_BTS.defined() &&
           input.k_BTGK.size(2) == states && input.v_BTJV.size(2) == states &&
           input.q_BTHK.size(2) % states == 0 &&
           input.q_BTHK.size(0) * input.q_BTHK.size(1) * states <= largest && readable(input.q_BTHK) &&
           readable(input.k_BTGK) && readable(input.v_BTJV) && kc::delta_rule_supports(shape_of(input));
}

at::Tensor delta_boundaries(const LinearShape& shape, std::int64_t batch, std::int64_t tokens,
                            at::Device device) {
    return at::empty({kc::delta_rule_kept_elements(shape_of(shape, batch, tokens))},
                     at::dtype(at::kBFloat16).device(device));
}

std::int64_t delta_scratch_bytes(const LinearShape& shape, std::int64_t batch, std::int64_t tokens,
                                 bool backward) {
    return kc::delta_rule_scratch_bytes(shape_of(shape, batch, tokens), backward);
}

void delta_forward(const LinearRule& rule, const LinearInput& input, const at::Tensor& o_BTRV,
                   const at::Tensor& boundaries, const at::Tensor& last_BSKV, const at::Tensor& scratch) {
    const at::Tensor kept = boundaries.defined() ? boundaries
                                                 : at::empty({kc::delta_rule_kept_elements(shape_of(input))},
                                                             input.q_BTHK.options());
    check(kc::delta_rule(rule_of(rule, input, kept, scratch),
                         {.o = heads<__nv_bfloat16>(o_BTRV), .last = data_or_null<float>(last_BSKV)},
                         c10::cuda::getCurrentCUDAStream()),
          "delta_rule");
}

void delta_backward(const LinearRule& rule, const LinearInput& input, const at::Tensor& boundaries,
                    const at::Tensor& do_BTRV, const LinearGradient& gradient, const at::Tensor& scratch) {
    check(kc::delta_rule_backward(rule_of(rule, input, boundaries, scratch),
                                  {.d_o = heads<const __nv_bfloat16>(do_BTRV),
                                   .dq = heads<__nv_bfloat16>(gradient.dq_BTHK),
                                   .dk = heads<__nv_bfloat16>(gradient.dk_BTGK),
                                   .dv = heads<__nv_bfloat16>(gradient.dv_BTJV),
                                   .dlog_decay = data_or_null<float>(gradient.dlog_decay_BTS),
                                   .dbeta = data_or_null<float>(gradient.dbeta_BTS)},
                                  c10::cuda::getCurrentCUDAStream()),
          "delta_rule_backward");
}

}  // namespace braid::cuda
