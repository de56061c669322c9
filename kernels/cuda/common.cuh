// Helpers of the CUDA kernels: conversions, warp and block reductions, 16-byte loads.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace braid::kernels::cuda {

using bf16 = __nv_bfloat16;

template <class T>
struct alignas(16) Pack {
    static constexpr int size = 16 / sizeof(T);
    T v[size];
};

template <class T>
__device__ __forceinline__ Pack<T> load_pack(const T* p) {
    return *reinterpret_cast<const Pack<T>*>(p);
}
template <class T>
__device__ __forceinline__ void store_pack(T* p, const Pack<T>& pack) {
    *reinterpret_cast<Pack<T>*>(p) = pack;
}

__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(bf16 x) { return __bfloat162float(x); }
template <class T>
__device__ __forceinline__ T from_float(float x);
template <>
__device__ __forceinline__ float from_float<float>(float x) {
    return x;
}
template <>
__device__ __forceinline__ bf16 from_float<bf16>(float x) {
    return __float2bfloat16(x);
}

constexpr float log2_e = 1.4426950408889634F;
// To 2^-22 of itself; results below the smallest normal number are 0.
__device__ __forceinline__ float power_of_2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffffU, x, offset);
    return x;
}
__device__ __forceinline__ float warp_max(float x) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffU, x, offset));
    return x;
}

// Sum over the block, in every thread; the order of additions is fixed. blockDim.x is a multiple of 32.
__device__ __forceinline__ float block_sum(float x) {
    __shared__ float partial[32];
    const int warp = threadIdx.x / 32;
    const int warps = blockDim.x / 32;
    x = warp_sum(x);
    __syncthreads();  // partial may still be read by an earlier call
    if (threadIdx.x % 32 == 0) partial[warp] = x;
    __syncthreads();
    x = threadIdx.x % 32 < warps ? partial[threadIdx.x % 32] : 0.0F;
    return warp_sum(x);
}
__device__ __forceinline__ float block_max(float x) {
    __shared__ float partial[32];
    const int warp = threadIdx.x / 32;
    const int warps = blockDim.x / 32;
    x = warp_max(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0) partial[warp] = x;
    __syncthreads();
    x = threadIdx.x % 32 < warps ? partial[threadIdx.x % 32] : -INFINITY;
    return warp_max(x);
}

// Before a launch with so much dynamic shared memory.
template <class Kernel>
cudaError_t allow_shared(Kernel kernel, std::size_t bytes) {
    return bytes <= 48 * 1024 ? cudaSuccess
                              : cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                     static_cast<int>(bytes));
}

inline int ceil_div(std::int64_t a, std::int64_t b) { return static_cast<int>((a + b - 1) / b); }

}  // namespace braid::kernels::cuda
