// Attention through a state that decays by a scalar: what Ops::linear_attention() and its backward pass do
// for the rules and shapes of scan_supported(), by kernels/cuda/hopper_scan.h and by
// kernels/cuda/linear_scan.h.
#pragma once

#include "core/engine/cuda/scratch.h"
#include "core/mixers/torch/linear_attention.h"

namespace braid::cuda {

// All heads are bfloat16 with a vector's elements side by side.
bool scan_supported(const LinearRule& rule, const LinearShape& shape);

// States before chunks or parts of the sequence: what a forward pass leaves for the backward pass.
at::Tensor hopper_scan_boundaries(const LinearRule& rule, const LinearShape& shape, std::int64_t batch,
                                  std::int64_t tokens, at::Device device);
at::Tensor portable_scan_boundaries(const LinearRule& rule, const LinearShape& shape, std::int64_t batch,
                                    std::int64_t tokens, at::Device device);

// Boundaries and last state may be undefined.
void hopper_scan_forward(const LinearRule& rule, const LinearInput& input, const at::Tensor& o_BTRV,
                         const at::Tensor& boundaries, const at::Tensor& last_BSKV, Scratch& scratch);
void portable_scan_forward(const LinearRule& rule, const LinearInput& input, const at::Tensor& o_BTRV,
                           const at::Tensor& boundaries, const at::Tensor& last_BSKV, Scratch& scratch);
void hopper_scan_backward(const LinearRule& rule, const LinearInput& input, const at::Tensor& boundaries,
                          const at::Tensor& do_BTRV, const LinearGradient& gradient, Scratch& scratch);
void portable_scan_backward(const LinearRule& rule, const LinearInput& input, const at::Tensor& boundaries,
                            const at::Tensor& do_BTRV, const LinearGradient& gradient, Scratch& scratch);

}  // namespace braid::cuda
