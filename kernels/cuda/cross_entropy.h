// Cross-entropy over a chunk of logits on CUDA; gradients are formed in the place of the logits.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace braid::kernels::cuda {

struct CrossEntropy {
    // [rows, vocab], 16-byte aligned; with gradient: becomes scale * (softmax - onehot). The up to seven
    // elements after a row that fill its last 16 bytes may be written.
    __nv_bfloat16* logits = nullptr;
    const std::int64_t* targets = nullptr;  // [rows]; below 0: left out
    float* loss = nullptr;                  // [rows]
    std::int64_t* top = nullptr;            // [rows] index of the largest logit, or null
    std::int64_t rows = 0;
    std::int64_t vocab = 0;
    std::int64_t row_stride = 0;     // elements from a row of logits to the next: a multiple of 8
    const float* weights = nullptr;  // [rows], of the gradient; null: all 1
    float scale = 1.0F;
    bool gradient = false;
};
cudaError_t cross_entropy(const CrossEntropy& p, cudaStream_t stream);

// *out += sum of values, in a fixed order.
cudaError_t add_sum(const float* values, std::int64_t n, float* out, cudaStream_t stream);

}  // namespace braid::kernels::cuda
