// Norm and gate of a recurrent mixer's output on CUDA (GatedNormRule in core/mixers/torch/ops.h): with
// rstd = (mean(.^2) + eps)^-1/2 over the width, y = x rstd weight act(gate), or, gate first, z = x act(gate),
// y = z rstd weight.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace braid::kernels::cuda {

// Wider rows do not fit the registers of a warp.
inline constexpr int gated_norm_most_width = 4096;

// Element i of head h of row n is at data[n row + h head + i]; strides are even, data is aligned to 4 bytes.
struct HeadRows {
    __nv_bfloat16* data = nullptr;
    std::int64_t row = 0;
    std::int64_t head = 0;
};

struct GatedNorm {
    HeadRows x, gate;
    const float* weight = nullptr;  // [width]; null: 1
    std::int64_t rows = 0;
    int heads = 0;
    int width = 0;  // even, gated_norm_most_width at most
    float eps = 1e-6F;
    bool gate_first = false;
    bool silu = true;  // act; else the logistic function
};
cudaError_t gated_norm(const GatedNorm& p, const HeadRows& y, cudaStream_t stream);

struct GatedNormBackward {
    GatedNorm forward;
    HeadRows dy;
    HeadRows dx, dgate;        // overwritten; dx may be x
    float* dweight = nullptr;  // [width], accumulates; null without weight
    float* partial = nullptr;  // scratch of gated_norm_partial_rows() x width; with dweight
};
int gated_norm_partial_rows();
cudaError_t gated_norm_backward(const GatedNormBackward& p, cudaStream_t stream);

}  // namespace braid::kernels::cuda
