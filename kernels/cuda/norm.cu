#include "kernels/cuda/norm.h"

#include <algorithm>

#include "kernels/cuda/columns.h"
#include "kernels/cuda/common.cuh"

namespace braid::kernels::cuda {
namespace {

constexpr int warps_per_block = 4;

struct alignas(8) Four {
    bf16 v[4];
};
__device__ __forceinline__ float4 load_four(const bf16* p) {
    const Four x = *reinterpret_cast<const Four*>(p);
    return {to_float(x.v[0]), to_float(x.v[1]), to_float(x.v[2]), to_float(x.v[3])};
}
__device__ __forceinline__ void store_four(bf16* p, const float4& x) {
    *reinterpret_cast<Four*>(p) = {
        {from_float<bf16>(x.x), from_float<bf16>(x.y), from_float<bf16>(x.z), from_float<bf16>(x.w)}};
}

// One warp a row.
__global__ void rms_norm_kernel(RmsNorm p) {
    const std::int64_t row = std::int64_t{blockIdx.x} * warps_per_block + threadIdx.x / 32;
    if (row >= p.rows) return;
    const int lane = threadIdx.x % 32;
    const float4* x = reinterpret_cast<const float4*>(p.x + row * p.width);
    const int packs = p.width / 4;
    float sum = 0;
    for (int i = lane; i < packs; i += 32) {
        const float4 v = x[i];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    const float rstd = rsqrtf(warp_sum(sum) / static_cast<float>(p.width) + p.eps);
    if (lane == 0) p.rstd[row] = rstd;
    bf16* y = p.y + row * p.width;
    for (int i = lane; i < packs; i += 32) {
        const float4 v = x[i];
        const float4 w = reinterpret_cast<const float4*>(p.weight)[i];
        store_four(y + 4 * i, {v.x * rstd * w.x, v.y * rstd * w.y, v.z * rstd * w.z, v.w * rstd * w.w});
    }
}

// dx += rstd (dy w - xhat mean(dy w xhat)); the block's part of dweight goes to partial[block]. A warp holds
// its row, `packs` times four columns a lane, and asks for all of it at once.
template <int packs>
__global__ void __launch_bounds__(warps_per_block * 32) rms_norm_backward_kernel(RmsNormBackward p) {
    extern __shared__ float dw_shared[];  // [warps, width]
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const auto for_packs = [&](const auto& use) {
#pragma unroll
        for (int k = 0; k < packs; ++k)
            if (const int i = 4 * (32 * k + lane); i < p.width) use(k, i);
    };
    float4 dw[packs];
#pragma unroll
    for (float4& each : dw) each = {0, 0, 0, 0};
    for (std::int64_t row = std::int64_t{blockIdx.x} * warps_per_block + warp; row < p.rows;
         row += std::int64_t{gridDim.x} * warps_per_block) {
        const float rstd = p.rstd[row];
        const float* const x = p.x + row * p.width;
        const bf16* const dy = p.dy + row * p.width;
        float* const dx = p.dx + row * p.width;
        float4 v[packs], to[packs];
        Four d[packs];
        for_packs([&](int k, int i) {
            d[k] = *reinterpret_cast<const Four*>(dy + i);
            v[k] = *reinterpret_cast<const float4*>(x + i);
            to[k] = *reinterpret_cast<const float4*>(dx + i);
        });
        float dot = 0;
        for_packs([&](int k, int i) {
            const float4 w = *reinterpret_cast<const float4*>(p.weight + i), g = load_four(d[k].v);
            v[k] = {v[k].x * rstd, v[k].y * rstd, v[k].z * rstd, v[k].w * rstd};
            const float4 along = {g.x * v[k].x, g.y * v[k].y, g.z * v[k].z, g.w * v[k].w};
            dot += along.x * w.x + along.y * w.y + along.z * w.z + along.w * w.w;
            dw[k] = {dw[k].x + along.x, dw[k].y + along.y, dw[k].z + along.z, dw[k].w + along.w};
        });
        const float mean = warp_sum(dot) / static_cast<float>(p.width);
        for_packs([&](int k, int i) {
            const float4 w = *reinterpret_cast<const float4*>(p.weight + i), g = load_four(d[k].v);
            to[k].x += rstd * (g.x * w.x - v[k].x * mean);
            to[k].y += rstd * (g.y * w.y - v[k].y * mean);
            to[k].z += rstd * (g.z * w.z - v[k].z * mean);
            to[k].w += rstd * (g.w * w.w - v[k].w * mean);
            *reinterpret_cast<float4*>(dx + i) = to[k];
            if (p.rounded != nullptr) store_four(p.rounded + row * p.width + i, to[k]);
        });
    }
    for_packs([&](int k, int i) { *reinterpret_cast<float4*>(dw_shared + warp * p.width + i) = dw[k]; });
    __syncthreads();
    for (int i = threadIdx.x; i < p.width; i += blockDim.x) {
        float sum = 0;
        for (int w = 0; w < warps_per_block; ++w) sum += dw_shared[w * p.width + i];
        p.partial[std::int64_t{blockIdx.x} * p.width + i] = sum;
    }
}

// Longer rows: read twice, dweight is summed in shared memory.
__global__ void long_rms_norm_backward_kernel(RmsNormBackward p) {
    extern __shared__ float dw_shared[];  // [warps, width]
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    float* dw = dw_shared + warp * p.width;
    for (int i = lane; i < p.width; i += 32) dw[i] = 0;
    __syncwarp();
    for (std::int64_t row = std::int64_t{blockIdx.x} * warps_per_block + warp; row < p.rows;
         row += std::int64_t{gridDim.x} * warps_per_block) {
        const float* x = p.x + row * p.width;
        const bf16* dy = p.dy + row * p.width;
        float* dx = p.dx + row * p.width;
        const float rstd = p.rstd[row];
        float dot = 0;
#pragma unroll 4
        for (int i = 4 * lane; i < p.width; i += 128) {
            const float4 d = load_four(dy + i);
            const float4 w = *reinterpret_cast<const float4*>(p.weight + i);
            const float4 v = *reinterpret_cast<const float4*>(x + i);
            float4& sum = *reinterpret_cast<float4*>(dw + i);
            const float4 along = {d.x * v.x * rstd, d.y * v.y * rstd, d.z * v.z * rstd, d.w * v.w * rstd};
            dot += along.x * w.x + along.y * w.y + along.z * w.z + along.w * w.w;
            sum = {sum.x + along.x, sum.y + along.y, sum.z + along.z, sum.w + along.w};
        }
        const float mean = warp_sum(dot) / static_cast<float>(p.width) * rstd;
#pragma unroll 4
        for (int i = 4 * lane; i < p.width; i += 128) {
            const float4 d = load_four(dy + i);
            const float4 w = *reinterpret_cast<const float4*>(p.weight + i);
            const float4 v = *reinterpret_cast<const float4*>(x + i);
            float4 to = *reinterpret_cast<const float4*>(dx + i);
            to.x += rstd * (d.x * w.x - v.x * mean);
            to.y += rstd * (d.y * w.y - v.y * mean);
            to.z += rstd * (d.z * w.z - v.z * mean);
            to.w += rstd * (d.w * w.w - v.w * mean);
            *reinterpret_cast<float4*>(dx + i) = to;
            if (p.rounded != nullptr) store_four(p.rounded + row * p.width + i, to);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < p.width; i += blockDim.x) {
        float sum = 0;
        for (int w = 0; w < warps_per_block; ++w) sum += dw_shared[w * p.width + i];
        p.partial[std::int64_t{blockIdx.x} * p.width + i] = sum;
    }
}

}  // namespace

cudaError_t rms_norm(const RmsNorm& p, cudaStream_t stream) {
    rms_norm_kernel<<<ceil_div(p.rows, warps_per_block), warps_per_block * 32, 0, stream>>>(p);
    return cudaGetLastError();
}

int rms_norm_partial_rows(std::int64_t rows) {
    constexpr int most = 528;  // that fit a large GPU at once
    return static_cast<int>(std::min<std::int64_t>(ceil_div(rows, warps_per_block), most));
}

cudaError_t rms_norm_backward(const RmsNormBackward& p, cudaStream_t stream) {
    const int blocks = rms_norm_partial_rows(p.rows);
    const std::size_t shared = sizeof(float) * warps_per_block * static_cast<std::size_t>(p.width);
    const auto launch = [&](auto* kernel) {
        if (const cudaError_t status = allow_shared(kernel, shared); status != cudaSuccess) return status;
        kernel<<<blocks, warps_per_block * 32, shared, stream>>>(p);
        return cudaGetLastError();
    };
    const cudaError_t status = p.width <= 384    ? launch(rms_norm_backward_kernel<3>)
                               : p.width <= 768  ? launch(rms_norm_backward_kernel<6>)
                               : p.width <= 1280 ? launch(rms_norm_backward_kernel<10>)
                                                 : launch(long_rms_norm_backward_kernel);
    if (status != cudaSuccess) return status;
    return add_columns(p.partial, p.dweight, blocks, p.width, stream);
}

}  // namespace braid::kernels::cuda
