// Attention by kernels that LibTorch has: they know no sink, which is added through the log-sum-exp.
#pragma once

#include "core/engine/cuda/attention_kernels.h"

namespace braid::cuda {

// o and lse of a softmax with the sink (undefined: none) from those of one without.
void add_sink(const at::Tensor& o0_BTHK, const at::Tensor& lse0_BHT, const at::Tensor& sink_H,
              const at::Tensor& o_BTHK, const at::Tensor& lse_BHT);

inline bool flash_knows(std::int64_t head_dim) { return head_dim % 8 == 0 && head_dim <= 256; }

void cudnn_attention(const AttentionCase& c, const AttentionForward& call, AttentionTools& tools);
void cudnn_attention_backward(const AttentionCase& c, const AttentionBackward& call, AttentionTools& tools);

void flash_attention(const AttentionCase& c, const AttentionForward& call, AttentionTools& tools);
void flash_attention_backward(const AttentionCase& c, const AttentionBackward& call, AttentionTools& tools);

}  // namespace braid::cuda
