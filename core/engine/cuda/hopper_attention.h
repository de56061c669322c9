// Our own attention kernels for compute capability 9.0 (kernels/cuda/hopper_attention.h).
#pragma once

#include "core/engine/cuda/attention_kernels.h"

namespace braid::cuda {

bool hopper_exists(int capability);
bool hopper_applies(const AttentionCase& c);
void hopper_attention(const AttentionCase& c, const AttentionForward& call, AttentionTools& tools);
void hopper_attention_backward(const AttentionCase& c, const AttentionBackward& call, AttentionTools& tools);

}  // namespace braid::cuda
