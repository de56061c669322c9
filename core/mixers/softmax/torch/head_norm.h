// RMSNorm of each head's query or key (Qwen3; Henry et al., 2020): y = x rstd weight over the channels of a
// head, rstd = (mean(x^2) + eps)^-1/2. Made of ATen operations, for any device and type.
#pragma once

#include <ATen/core/Tensor.h>

namespace braid {

// In place, of any strides.
void head_norm(const at::Tensor& x_BTHK, const at::Tensor& weight_K, double eps);
// x as it was before the norm. d_BTHK: gradient of y on entry, of x on return; dweight_K accumulates.
void head_norm_backward(const at::Tensor& x_BTHK, const at::Tensor& weight_K, double eps,
                        const at::Tensor& d_BTHK, const at::Tensor& dweight_K);

}  // namespace braid
