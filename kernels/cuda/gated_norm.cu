#include "kernels/cuda/gated_norm.h"

#include <algorithm>

#include "kernels/cuda/columns.h"
#include "kernels/cuda/common.cuh"

namespace braid::kernels::cuda {
namespace {

constexpr int warps = 8;  // of a block; each takes rows of its own
constexpr int blocks_backward = 528;

__device__ __forceinline__ float2 load2(const bf16* p) {
    return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(p));
}
__device__ __forceinline__ void store2(bf16* p, float2 x) {
    *reinterpret_cast<__nv_bfloat162*>(p) = __floats2bfloat162_rn(x.x, x.y);
}
__device__ __forceinline__ bf16* at(const HeadRows& x, std::int64_t index, int heads) {
    return x.data + index / heads * x.row + index % heads * x.head;
}

// act(g) and its derivative.
struct Act {
    float value;
    float slope;
};
__device__ __forceinline__ Act act(float g, bool silu) {
    const float s = 1.0F / (1.0F + __expf(-g));
    return silu ? Act{g * s, s * (1.0F + g * (1.0F - s))} : Act{s, s * (1.0F - s)};
}

__device__ __forceinline__ float2 weights_at(const GatedNorm& p, int i) {
    return p.weight != nullptr ? *reinterpret_cast<const float2*>(p.weight + i) : float2{1, 1};
}

__global__ void __launch_bounds__(warps * 32) gated_norm_kernel(GatedNorm p, HeadRows y) {
    const int lane = threadIdx.x % 32;
    const std::int64_t all = p.rows * p.heads;
    for (std::int64_t index = blockIdx.x * static_cast<std::int64_t>(warps) + threadIdx.x / 32; index < all;
         index += gridDim.x * static_cast<std::int64_t>(warps)) {
        const bf16* x = at(p.x, index, p.heads);
        const bf16* gate = at(p.gate, index, p.heads);
        bf16* to = at(y, index, p.heads);
        float squares = 0;
        for (int i = 2 * lane; i < p.width; i += 64) {
            float2 z = load2(x + i);
            if (p.gate_first) {
                const float2 g = load2(gate + i);
                z.x *= act(g.x, p.silu).value;
                z.y *= act(g.y, p.silu).value;
            }
            squares += z.x * z.x + z.y * z.y;
        }
        const float rstd = rsqrtf(warp_sum(squares) / p.width + p.eps);
        for (int i = 2 * lane; i < p.width; i += 64) {
            const float2 z = load2(x + i), g = load2(gate + i);
            const float2 w = weights_at(p, i);
            store2(to + i,
                   {z.x * rstd * w.x * act(g.x, p.silu).value, z.y * rstd * w.y * act(g.y, p.silu).value});
        }
    }
}

__global__ void __launch_bounds__(warps * 32) gated_norm_backward_kernel(GatedNormBackward b) {
    extern __shared__ float dweight[];  // [warps, width], with weight
    const GatedNorm& p = b.forward;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float* const mine = dweight + warp * p.width;
    if (b.dweight != nullptr)
        for (int i = 2 * lane; i < p.width; i += 64) mine[i] = mine[i + 1] = 0;
    const std::int64_t all = p.rows * p.heads;
    for (std::int64_t index = blockIdx.x * static_cast<std::int64_t>(warps) + warp; index < all;
         index += gridDim.x * static_cast<std::int64_t>(warps)) {
        const bf16* x = at(p.x, index, p.heads);
        const bf16* gate = at(p.gate, index, p.heads);
        const bf16* dy = at(b.dy, index, p.heads);
        bf16* dx = at(b.dx, index, p.heads);
        bf16* dgate = at(b.dgate, index, p.heads);
        // z is what is normalised, du the gradient of the normalised value behind its weight.
        float squares = 0, along = 0;
        for (int i = 2 * lane; i < p.width; i += 64) {
            const float2 x2 = load2(x + i), g2 = load2(gate + i), dy2 = load2(dy + i);
            const float2 w = weights_at(p, i);
            const float a = act(g2.x, p.silu).value, c = act(g2.y, p.silu).value;
            const float zx = p.gate_first ? x2.x * a : x2.x, zy = p.gate_first ? x2.y * c : x2.y;
            const float dux = p.gate_first ? dy2.x * w.x : dy2.x * a * w.x;
            const float duy = p.gate_first ? dy2.y * w.y : dy2.y * c * w.y;
            squares += zx * zx + zy * zy;
            along += dux * zx + duy * zy;
        }
        const float rstd = rsqrtf(warp_sum(squares) / p.width + p.eps);
        const float shift = warp_sum(along) / p.width * rstd * rstd;
        for (int i = 2 * lane; i < p.width; i += 64) {
            const float2 x2 = load2(x + i), g2 = load2(gate + i), dy2 = load2(dy + i);
            const float2 w = weights_at(p, i);
            float2 dx2, dgate2;
            const auto one = [&](float xi, float gi, float dyi, float wi, float& dxi, float& dgi) -> float {
                const Act f = act(gi, p.silu);
                const float z = p.gate_first ? xi * f.value : xi;
                const float du = p.gate_first ? dyi * wi : dyi * f.value * wi;
                const float dz = (du - z * shift) * rstd;
                dxi = p.gate_first ? dz * f.value : dz;
                dgi = (p.gate_first ? dz * xi : dyi * z * rstd * wi) * f.slope;
                return (p.gate_first ? dyi : dyi * f.value) * z * rstd;
            };
            const float dwx = one(x2.x, g2.x, dy2.x, w.x, dx2.x, dgate2.x);
            const float dwy = one(x2.y, g2.y, dy2.y, w.y, dx2.y, dgate2.y);
            store2(dx + i, dx2);
            store2(dgate + i, dgate2);
            if (b.dweight != nullptr) {
                mine[i] += dwx;
                mine[i + 1] += dwy;
            }
        }
    }
    if (b.dweight == nullptr) return;
    __syncthreads();
    for (int i = threadIdx.x; i < p.width; i += blockDim.x) {
        float sum = 0;
        for (int w = 0; w < warps; ++w) sum += dweight[w * p.width + i];
        b.partial[static_cast<std::int64_t>(blockIdx.x) * p.width + i] = sum;
    }
}

}  // namespace

int gated_norm_partial_rows() { return blocks_backward; }

cudaError_t gated_norm(const GatedNorm& p, const HeadRows& y, cudaStream_t stream) {
    const int blocks = static_cast<int>(std::min<std::int64_t>(ceil_div(p.rows * p.heads, warps), 132 * 16));
    gated_norm_kernel<<<blocks, warps * 32, 0, stream>>>(p, y);
    return cudaGetLastError();
}

cudaError_t gated_norm_backward(const GatedNormBackward& b, cudaStream_t stream) {
    const int width = b.forward.width;
    const std::size_t shared = b.dweight != nullptr ? warps * width * sizeof(float) : 0;
    if (const cudaError_t status = allow_shared(gated_norm_backward_kernel, shared); status != cudaSuccess)
        return status;
    gated_norm_backward_kernel<<<blocks_backward, warps * 32, shared, stream>>>(b);
    if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess || b.dweight == nullptr)
        return status;
    return add_columns(b.partial, b.dweight, blocks_backward, width, stream);
}

}  // namespace braid::kernels::cuda
