// Embedding on CUDA. The gradient sums rows of equal tokens in a fixed order: equal bits from run to run.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace braid::kernels::cuda {

struct Embedding {
    const __nv_bfloat16* weight = nullptr;  // [vocab, width]
    const std::int64_t* tokens = nullptr;   // [rows]
    float* x = nullptr;                     // [rows, width]
    std::int64_t rows = 0;
    int width = 0;
};
cudaError_t embedding(const Embedding& p, cudaStream_t stream);

struct EmbeddingBackward {
    const std::int64_t* sorted_tokens = nullptr;  // [rows]
    const std::int64_t* order = nullptr;          // [rows]: row of dx of each sorted token
    const float* dx = nullptr;                    // [rows, width]
    float* dweight = nullptr;                     // [vocab, width], accumulates
    float* edges = nullptr;  // scratch of embedding_tiles(rows) x 2 x width: sums of runs that leave a tile
    std::int64_t rows = 0;
    int width = 0;
};
std::int64_t embedding_tiles(std::int64_t rows);
cudaError_t embedding_backward(const EmbeddingBackward& p, cudaStream_t stream);

}  // namespace braid::kernels::cuda
