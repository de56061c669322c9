// Causal softmax attention with a learnable sink, grouped key/value heads, an optional window and documents
// (kernels/attention.h has the equations) for Hopper (compute capability 9.0) and heads of 64: products of
// warpgroups (wgmma) on tiles that the tensor copy engine (TMA) brings, o and lse with the sink in one
// kernel.
//
// 64 rows of a warpgroup are a "unit": tokens of one query head, or fewer tokens of 2, 4 or 8 heads that read
// the same keys, so that a window of few tokens wastes little and keys are read once for those heads.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/head_vectors.h"

namespace braid::kernels::cuda {

// Data and strides of all vectors at multiples of 16 bytes; a head's 64 elements one behind the other.
struct HopperAttention {
    int batch = 0;
    int tokens = 0;
    int heads = 0;
    int kv_heads = 0;  // divides heads
    int window = 0;    // keys [t-window+1, t]; 0: all of [0, t]
    float scale = 1;
    HeadVectors q, k, v;
    const __nv_bfloat16* sink = nullptr;  // [heads]; null: no sink
    // Documents, or null: [batch, tokens] where in its sequence the document of a token begins, and
    // [documents + 1] the first of the batch * tokens rows of each, then batch * tokens.
    const std::int32_t* starts = nullptr;
    const std::int32_t* bounds = nullptr;
    int documents = 0;
};

struct HopperAttentionForward {
    HopperAttention call;
    HeadVectors o;
    float* lse = nullptr;  // [batch, heads, tokens], natural logarithm, with the sink
};

struct HopperAttentionBackward {
    HopperAttention call;
    HeadVectors o, d_o;
    const float* lse = nullptr;
    HeadVectors dq, dk, dv;  // overwritten
    // [tokens, 32] of RoPE that has turned q and k by halves, or null: dq and dk are gradients of what they
    // were before.
    const float *cos = nullptr, *sin = nullptr;
    float* dsink = nullptr;    // [heads], added to; null without a sink
    float* scratch = nullptr;  // [hopper_attention_scratch(call)]
};
std::int64_t hopper_attention_scratch(const HopperAttention&);

// cudaErrorInvalidValue where data or strides do not fit.
cudaError_t hopper_attention(const HopperAttentionForward&, cudaStream_t);
// The parts of dq of different keys are added in no fixed order: two calls differ by float32 rounding.
cudaError_t hopper_attention_backward(const HopperAttentionBackward&, cudaStream_t);

}  // namespace braid::kernels::cuda
