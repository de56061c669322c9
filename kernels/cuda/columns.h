// Sums of columns on CUDA: the last step of every gradient that many rows share.
#pragma once

#include <cuda_runtime.h>

namespace braid::kernels::cuda {

// out[j] += the sum of column j of partial [rows, width], added in an order that only rows decides.
cudaError_t add_columns(const float* partial, float* out, int rows, int width, cudaStream_t stream);

}  // namespace braid::kernels::cuda
