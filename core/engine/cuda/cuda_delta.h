// The gated delta rule by kernels/cuda/delta_rule.h: what Ops::linear_attention() and its backward pass do
// where rule.delta is set, for the shapes of delta_supported().
#pragma once

#include "core/mixers/torch/linear_attention.h"

namespace braid::cuda {

// Even dimensions up to 64, query heads a multiple of the states. Such a rule's k and v have a head for each
// state, and all heads are bfloat16 at even places.
bool delta_supported(const LinearRule& rule, const LinearShape& shape);

// The states before each chunk: what a forward pass leaves for the backward pass.
at::Tensor delta_boundaries(const LinearShape& shape, std::int64_t batch, std::int64_t tokens,
                            at::Device device);

// Bytes that a pass writes over.
std::int64_t delta_scratch_bytes(const LinearShape& shape, std::int64_t batch, std::int64_t tokens,
                                 bool backward);

// Boundaries and last state may be undefined. Scratch: at least delta_scratch_bytes().
void delta_forward(const LinearRule& rule, const LinearInput& input, const at::Tensor& o_BTRV,
                   const at::Tensor& boundaries, const at::Tensor& last_BSKV, const at::Tensor& scratch);
void delta_backward(const LinearRule& rule, const LinearInput& input, const at::Tensor& boundaries,
                    const at::Tensor& do_BTRV, const LinearGradient& gradient, const at::Tensor& scratch);

}  // namespace braid::cuda
