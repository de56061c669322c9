// Attention by kernels that LibTorch has: they know no sink, which is added through the log-sum-exp.
#pragma once

#include "core/engine/cuda/attention_kernels.h"

namespace braid::cuda {

void cudnn_attention(const AttentionCase& c, const AttentionForward& call, AttentionTools& tools);
void cudnn_attention_backward(const AttentionCase& c, const AttentionBackward& call, AttentionTools& tools);

void flash_attention(const AttentionCase& c, const AttentionForward& call, AttentionTools& tools);
void flash_attention_backward(const AttentionCase& c, const AttentionBackward& call, AttentionTools& tools);

}  // namespace braid::cuda
