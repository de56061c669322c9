// What decoding does to one token of every sequence before softmax attention, on CUDA, in one pass: biases,
// RMSNorm of queries and keys, RoPE at the token's own position, log-n scaling of queries; queries in place,
// keys and values into their caches (HeadRule in core/mixers/torch/ops.h).
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/head_vectors.h"

namespace braid::kernels::cuda {

struct CacheToken {
    HeadVectors q, k, v;                      // of one row; k and v have as many heads as their caches
    HeadVectors k_cache, v_cache;             // row t mod slots is token t
    const std::int64_t* positions = nullptr;  // [batch]
    int batch = 0;
    int head_dim = 0;
    std::int64_t slots = 0;
    // Null: left out.
    const __nv_bfloat16 *q_bias = nullptr, *k_bias = nullptr, *v_bias = nullptr;  // [heads, head_dim]
    const float *q_norm = nullptr, *k_norm = nullptr;                             // [head_dim]
    const float *cos = nullptr, *sin = nullptr;                                   // [positions, turned / 2]
    int turned = 0;  // channels, the first of a head; even
    float norm_eps = 1e-6F;
    float log_n = 0;  // 0: left out
};
cudaError_t cache_token(const CacheToken& p, cudaStream_t stream);

}  // namespace braid::kernels::cuda
