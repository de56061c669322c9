// Softmax attention by matrix products and a softmax written out, in the statistics type, a block of queries
// at a time: the reference on a device that kernels/ref cannot reach. Works on every device.
#pragma once

#include "core/mixers/torch/ops.h"

namespace braid {

// As Ops::attention().
void plain_attention(const AttentionRule& rule, const at::Tensor& q_BTHK, const at::Tensor& k_BTGK,
                     const at::Tensor& v_BTGK, const at::Tensor& sink_H, const at::Tensor& o_BTHK,
                     const at::Tensor& lse_BHT);
// As Ops::attention_backward(); rule.turned is left to the caller.
void plain_attention_backward(const AttentionRule& rule, const at::Tensor& do_BTHK, const at::Tensor& q_BTHK,
                              const at::Tensor& k_BTGK, const at::Tensor& v_BTGK, const at::Tensor& sink_H,
                              const at::Tensor& o_BTHK, const at::Tensor& lse_BHT, const at::Tensor& dq_BTHK,
                              const at::Tensor& dk_BTGK, const at::Tensor& dv_BTGK,
                              const at::Tensor& dsink_H);

}  // namespace braid
