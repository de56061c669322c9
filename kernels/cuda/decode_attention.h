// Softmax attention of one query a sequence and head to the keys and values of a cache, on CUDA. The keys are
// cut into parts that blocks read side by side (split-KV); a second kernel puts the parts together and gives
// the sink its share. A key is read once for the query heads that share it, up to sixteen: they are the rows
// of products on tensor cores (sm_80 and later).
//
// Shape letters as in core/mixers/torch/ops.h.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/head_vectors.h"

namespace braid::kernels::cuda {

struct DecodeAttention {
    HeadVectors q, o;                     // of one row; q at multiples of 16 bytes
    HeadVectors k, v;                     // rows are keys, `head_dim` elements apart; 16 bytes likewise
    const __nv_bfloat16* sink = nullptr;  // [H]; null: none
    // [B]: tokens before the query, whose own key is there too; more than `keys` have gone round a ring.
    const std::int64_t* positions = nullptr;
    int batch = 0;
    int head_dim = 0;
    std::int64_t keys = 0;  // S
    float scale = 1;
    float* partial = nullptr;  // scratch of decode_attention_scratch() elements
};

bool decode_attention_supports(int head_dim);  // 32, 64, 128
std::int64_t decode_attention_scratch(int batch, int heads, int groups, int head_dim, std::int64_t keys);
// Nothing of the launch follows from `positions`: it can be recorded once for all of them.
cudaError_t decode_attention(const DecodeAttention& p, cudaStream_t stream);

}  // namespace braid::kernels::cuda
