#include "kernels/cuda/columns.h"

#include "kernels/cuda/common.cuh"

namespace braid::kernels::cuda {
namespace {

// The warps of a block share the rows of 32 neighbouring columns.
constexpr int warps = 32;
__global__ void add_columns_kernel(const float* partial, float* out, int rows, int width) {
    __shared__ float tile[warps][32];
    const int column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    if (column < width)
        for (int r = threadIdx.y; r < rows; r += warps) sum += partial[std::int64_t{r} * width + column];
    tile[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && column < width) {
        for (int r = 1; r < warps; ++r) sum += tile[r][threadIdx.x];
        out[column] += sum;
    }
}

}  // namespace

cudaError_t add_columns(const float* partial, float* out, int rows, int width, cudaStream_t stream) {
    add_columns_kernel<<<ceil_div(width, 32), dim3(32, warps), 0, stream>>>(partial, out, rows, width);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
