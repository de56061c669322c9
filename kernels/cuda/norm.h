// RMSNorm on CUDA; the residual stream and the weights are float32, outputs bfloat16. Weights begin at 1,
// where bfloat16 knows only steps of 1/128: what the first updates do would be lost.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace braid::kernels::cuda {

struct RmsNorm {
    const float* x = nullptr;       // [rows, width]
    const float* weight = nullptr;  // [width]
    __nv_bfloat16* y = nullptr;     // [rows, width]
    float* rstd = nullptr;          // [rows]
    std::int64_t rows = 0;
    int width = 0;  // a multiple of 4
    float eps = 1e-6F;
};
cudaError_t rms_norm(const RmsNorm& p, cudaStream_t stream);

struct RmsNormBackward {
    const __nv_bfloat16* dy = nullptr;  // [rows, width]
    const float* x = nullptr;
    const float* weight = nullptr;
    const float* rstd = nullptr;
    float* dx = nullptr;               // accumulates
    __nv_bfloat16* rounded = nullptr;  // dx once more, or null
    float* dweight = nullptr;          // [width], accumulates
    float* partial = nullptr;          // scratch of rms_norm_partial_rows(rows) x width
    std::int64_t rows = 0;
    int width = 0;
};
// Blocks that share the rows of a backward pass; fixed by the shape, so that sums have one order.
int rms_norm_partial_rows(std::int64_t rows);
cudaError_t rms_norm_backward(const RmsNormBackward& p, cudaStream_t stream);

}  // namespace braid::kernels::cuda
