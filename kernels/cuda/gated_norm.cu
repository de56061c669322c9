#include "kernels/cuda/gated_norm.h"

#include <algorithm>

#include "kernels/cuda/columns.h"
#include "kernels/cuda/common.cuh"

namespace braid::kernels::cuda {
namespace {

constexpr int warps = 8;  // of a block
constexpr int blocks_backward = 528;

// `team` neighbouring lanes take a row of a head, which stays in their registers: `packs` times `vec`
// elements of a lane each. Short rows share a warp.
template <int team_, int vec_, int packs_>
struct Held {
    static constexpr int team = team_, vec = vec_, packs = packs_;
    static constexpr int rows = 32 / team;  // of a warp
};

template <int vec>
struct alignas(2 * vec) Vector {
    bf16 v[vec];
};

__device__ __forceinline__ bf16* at(const HeadRows& x, unsigned index, int heads) {
    return x.data + index / heads * x.row + index % heads * x.head;
}
// use(pack, place in the row)
template <class H, class Use>
__device__ __forceinline__ void for_packs(int width, const Use& use) {
#pragma unroll
    for (int k = 0; k < H::packs; ++k)
        if (const int i = (k * H::team + static_cast<int>(threadIdx.x) % H::team) * H::vec; i < width)
            use(k, i);
}
template <class H>
__device__ __forceinline__ float team_sum(float x) {
#pragma unroll
    for (int offset = H::team / 2; offset > 0; offset /= 2) x += __shfl_xor_sync(~0U, x, offset);
    return x;
}
template <class H>
using Row = Vector<H::vec>[H::packs];
template <class H>
__device__ __forceinline__ void load(const bf16* from, int width, Row<H>& to) {
    for_packs<H>(width, [&](int k, int i) { to[k] = *reinterpret_cast<const Vector<H::vec>*>(from + i); });
}

__device__ __forceinline__ float logistic(float g) { return __fdividef(1.0F, 1.0F + __expf(-g)); }
// act(g) and its derivative, from the logistic function of g.
__device__ __forceinline__ float act(float g, float s, bool silu) { return silu ? g * s : s; }
__device__ __forceinline__ float slope(float g, float s, bool silu) {
    return silu ? s * (1.0F + g * (1.0F - s)) : s * (1.0F - s);
}
__device__ __forceinline__ float weight_at(const GatedNorm& p, int i) {
    return p.weight != nullptr ? p.weight[i] : 1.0F;
}

template <class H>
__global__ void __launch_bounds__(warps * 32) gated_norm_kernel(GatedNorm p, HeadRows y) {
    const unsigned index = (blockIdx.x * warps * 32 + threadIdx.x) / H::team;
    const bool inside = index < static_cast<unsigned>(p.rows * p.heads);
    const int width = inside ? p.width : 0;
    Row<H> x, gate;
    load<H>(at(p.x, index, p.heads), width, x);
    load<H>(at(p.gate, index, p.heads), width, gate);
    float z[H::packs][H::vec], squares = 0;
    for_packs<H>(width, [&](int k, int) {
#pragma unroll
        for (int e = 0; e < H::vec; ++e) {
            z[k][e] = to_float(x[k].v[e]);
            const float g = to_float(gate[k].v[e]);
            const float a = act(g, logistic(g), p.silu);
            const float normed = p.gate_first ? z[k][e] * a : z[k][e];
            squares += normed * normed;
            z[k][e] *= a;
        }
    });
    const float rstd = rsqrtf(team_sum<H>(squares) / static_cast<float>(p.width) + p.eps);
    bf16* const to = at(y, index, p.heads);
    for_packs<H>(width, [&](int k, int i) {
        Vector<H::vec> out;
#pragma unroll
        for (int e = 0; e < H::vec; ++e) out.v[e] = from_float<bf16>(z[k][e] * rstd * weight_at(p, i + e));
        *reinterpret_cast<Vector<H::vec>*>(to + i) = out;
    });
}

template <class H>
__global__ void __launch_bounds__(warps * 32) gated_norm_backward_kernel(GatedNormBackward b) {
    extern __shared__ float shared_dweight[];  // [warps, width], with weight
    const GatedNorm& p = b.forward;
    const auto all = static_cast<unsigned>(p.rows * p.heads);
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float dweight[H::packs][H::vec] = {};
    for (unsigned first = (blockIdx.x * warps + warp) * H::rows; first < all;
         first += gridDim.x * warps * H::rows) {
        const unsigned index = first + lane / H::team;
        const int width = index < all ? p.width : 0;
        Row<H> x, gate, dy;
        load<H>(at(p.x, index, p.heads), width, x);
        load<H>(at(p.gate, index, p.heads), width, gate);
        load<H>(at(b.dy, index, p.heads), width, dy);
        // z is what is normalised, du the gradient of the normalised value behind its weight.
        float s[H::packs][H::vec], squares = 0, along = 0;
        const auto z_of = [&](float xi, float a) { return p.gate_first ? xi * a : xi; };
        const auto du_of = [&](float dyi, float a, float w) { return (p.gate_first ? dyi : dyi * a) * w; };
        for_packs<H>(width, [&](int k, int i) {
#pragma unroll
            for (int e = 0; e < H::vec; ++e) {
                const float g = to_float(gate[k].v[e]);
                s[k][e] = logistic(g);
                const float a = act(g, s[k][e], p.silu), z = z_of(to_float(x[k].v[e]), a);
                squares += z * z;
                along += du_of(to_float(dy[k].v[e]), a, weight_at(p, i + e)) * z;
            }
        });
        const auto count = static_cast<float>(p.width);
        const float rstd = rsqrtf(team_sum<H>(squares) / count + p.eps);
        const float shift = team_sum<H>(along) / count * rstd * rstd;
        bf16 *const dx = at(b.dx, index, p.heads), *const dgate = at(b.dgate, index, p.heads);
        for_packs<H>(width, [&](int k, int i) {
            Vector<H::vec> dx_out, dgate_out;
#pragma unroll
            for (int e = 0; e < H::vec; ++e) {
                const float xi = to_float(x[k].v[e]), dyi = to_float(dy[k].v[e]);
                const float g = to_float(gate[k].v[e]), w = weight_at(p, i + e);
                const float a = act(g, s[k][e], p.silu), z = z_of(xi, a);
                const float dz = (du_of(dyi, a, w) - z * shift) * rstd;
                dx_out.v[e] = from_float<bf16>(p.gate_first ? dz * a : dz);
                dgate_out.v[e] = from_float<bf16>((p.gate_first ? dz * xi : dyi * z * rstd * w) *
                                                  slope(g, s[k][e], p.silu));
                dweight[k][e] += (p.gate_first ? dyi : dyi * a) * z * rstd;
            }
            *reinterpret_cast<Vector<H::vec>*>(dx + i) = dx_out;
            *reinterpret_cast<Vector<H::vec>*>(dgate + i) = dgate_out;
        });
    }
    if (b.dweight == nullptr) return;
#pragma unroll
    for (int k = 0; k < H::packs; ++k)
#pragma unroll
        for (int e = 0; e < H::vec; ++e)
#pragma unroll
            for (int offset = H::team; offset < 32; offset *= 2)
                dweight[k][e] += __shfl_xor_sync(~0U, dweight[k][e], offset);
    for_packs<H>(lane < H::team ? p.width : 0, [&](int k, int i) {
#pragma unroll
        for (int e = 0; e < H::vec; ++e) shared_dweight[warp * p.width + i + e] = dweight[k][e];
    });
    __syncthreads();
    for (int i = threadIdx.x; i < p.width; i += blockDim.x) {
        float sum = 0;
        for (int w = 0; w < warps; ++w) sum += shared_dweight[w * p.width + i];
        b.partial[static_cast<std::int64_t>(blockIdx.x) * p.width + i] = sum;
    }
}

bool by_fours(const HeadRows& x) {
    return (x.row | x.head) % 4 == 0 && reinterpret_cast<std::uintptr_t>(x.data) % 8 == 0;
}
// launch(Held) with the least that holds a row.
template <class Launch>
cudaError_t hold(int width, bool fours, const Launch& launch) {
    if (width > gated_norm_most_width) return cudaErrorInvalidValue;
    if (!fours || width % 4 != 0) {
        if (width <= 48) return launch(Held<8, 2, 3>{});
        if (width <= 64) return launch(Held<8, 2, 4>{});
        if (width <= 512) return launch(Held<32, 2, 8>{});
        return launch(Held<32, 2, 64>{});
    }
    if (width <= 64) return launch(Held<8, 4, 2>{});
    if (width <= 128) return launch(Held<8, 4, 4>{});
    if (width <= 384) return launch(Held<32, 4, 3>{});
    if (width <= 768) return launch(Held<32, 4, 6>{});
    if (width <= 1280) return launch(Held<32, 4, 10>{});
    return launch(Held<32, 4, 32>{});
}

}  // namespace

int gated_norm_partial_rows() { return blocks_backward; }

cudaError_t gated_norm(const GatedNorm& p, const HeadRows& y, cudaStream_t stream) {
    return hold(p.width, by_fours(p.x) && by_fours(p.gate) && by_fours(y), [&](auto held) {
        using H = decltype(held);
        const int blocks = ceil_div(p.rows * p.heads, warps * H::rows);
        gated_norm_kernel<H><<<blocks, warps * 32, 0, stream>>>(p, y);
        return cudaGetLastError();
    });
}

cudaError_t gated_norm_backward(const GatedNormBackward& b, cudaStream_t stream) {
    const GatedNorm& p = b.forward;
    const bool fours =
        by_fours(p.x) && by_fours(p.gate) && by_fours(b.dy) && by_fours(b.dx) && by_fours(b.dgate);
    return hold(p.width, fours, [&](auto held) {
        using H = decltype(held);
        const std::size_t shared = b.dweight != nullptr ? warps * p.width * sizeof(float) : 0;
        if (const cudaError_t status = allow_shared(gated_norm_backward_kernel<H>, shared);
            status != cudaSuccess)
            return status;
        gated_norm_backward_kernel<H><<<blocks_backward, warps * 32, shared, stream>>>(b);
        if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess || b.dweight == nullptr)
            return status;
        return add_columns(b.partial, b.dweight, blocks_backward, p.width, stream);
    });
}

}  // namespace braid::kernels::cuda
