#include "kernels/cuda/common.cuh"
#include "kernels/cuda/pointwise.h"

namespace braid::kernels::cuda {
namespace {

constexpr int threads = 256;

// A thread rotates `Wide` neighbouring columns of one half against those of the other: 8 where rows allow
// 16-byte reads, else one.
template <int Wide>
__global__ void rope_kernel(Rope p) {
    const int half = p.head_dim / 2;
    const int packs = half / Wide;
    const std::int64_t total = p.batch * p.tokens * p.heads * packs;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < total;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        const int column = static_cast<int>(i % packs) * Wide;
        const std::int64_t head_row = i / packs;
        const std::int64_t h = head_row % p.heads;
        const std::int64_t row = head_row / p.heads;
        const std::int64_t t = row % p.tokens;
        bf16* x = p.x + row / p.tokens * p.batch_stride + t * p.row_stride + h * p.head_stride + column;
        const float* cos = p.cos + t * half + column;
        const float* sin = p.sin + t * half + column;
        const auto turn = [&](bf16& x_low, bf16& x_high, float c, float s) {
            if (p.inverse) s = -s;
            const float a = to_float(x_low), b = to_float(x_high);
            x_low = from_float<bf16>(a * c - b * s);
            x_high = from_float<bf16>(b * c + a * s);
        };
        if constexpr (Wide == 8) {
            Pack<bf16> low = load_pack(x), high = load_pack(x + half);
            const Pack<float> c[2] = {load_pack(cos), load_pack(cos + 4)},
                              s[2] = {load_pack(sin), load_pack(sin + 4)};
#pragma unroll
            for (int k = 0; k < 8; ++k) turn(low.v[k], high.v[k], c[k / 4].v[k % 4], s[k / 4].v[k % 4]);
            store_pack(x, low);
            store_pack(x + half, high);
        } else {
            turn(x[0], x[half], cos[0], sin[0]);
        }
    }
}

__global__ void swiglu_kernel(Swiglu p) {
    const int packs = p.width / Pack<bf16>::size;
    const std::int64_t total = p.rows * packs;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < total;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        const std::int64_t row = i / packs;
        const int column = static_cast<int>(i % packs) * Pack<bf16>::size;
        const Pack<bf16> gate = load_pack(p.gate_up + row * 2 * p.width + column);
        const Pack<bf16> up = load_pack(p.gate_up + row * 2 * p.width + p.width + column);
        Pack<bf16> h;
#pragma unroll
        for (int k = 0; k < Pack<bf16>::size; ++k) {
            const float g = to_float(gate.v[k]);
            h.v[k] = from_float<bf16>(g * (1.0F / (1.0F + __expf(-g))) * to_float(up.v[k]));
        }
        store_pack(p.h + row * p.width + column, h);
    }
}

__global__ void swiglu_backward_kernel(SwigluBackward p) {
    const int packs = p.width / Pack<bf16>::size;
    const std::int64_t total = p.rows * packs;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < total;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        const std::int64_t row = i / packs;
        const int column = static_cast<int>(i % packs) * Pack<bf16>::size;
        const std::int64_t at = row * 2 * p.width + column;
        const Pack<bf16> gate = load_pack(p.gate_up + at);
        const Pack<bf16> up = load_pack(p.gate_up + at + p.width);
        const Pack<bf16> dh = load_pack(p.dh + row * p.width + column);
        Pack<bf16> dgate;
        Pack<bf16> dup;
        Pack<bf16> h;
#pragma unroll
        for (int k = 0; k < Pack<bf16>::size; ++k) {
            const float g = to_float(gate.v[k]);
            const float u = to_float(up.v[k]);
            const float d = to_float(dh.v[k]);
            const float sigmoid = 1.0F / (1.0F + __expf(-g));
            const float silu = g * sigmoid;
            dgate.v[k] = from_float<bf16>(d * u * sigmoid * (1.0F + g * (1.0F - sigmoid)));
            dup.v[k] = from_float<bf16>(d * silu);
            h.v[k] = from_float<bf16>(silu * u);
        }
        store_pack(p.dgate_up + at, dgate);
        store_pack(p.dgate_up + at + p.width, dup);
        if (p.h != nullptr) store_pack(p.h + row * p.width + column, h);
    }
}

// head_dim / 8 threads a (b, t, h).
__global__ void sink_forward_kernel(SinkForward p) {
    const int packs = p.head_dim / Pack<bf16>::size;
    const std::int64_t total = p.batch * p.tokens * p.heads * packs;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < total;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        const int pack = static_cast<int>(i % packs);
        const std::int64_t head_row = i / packs;
        const std::int64_t h = head_row % p.heads;
        const std::int64_t row = head_row / p.heads;
        const std::int64_t b = row / p.tokens;
        const std::int64_t t = row % p.tokens;
        const std::int64_t at = (b * p.heads + h) * p.tokens + t;
        const float lse0 = p.lse0[at];
        float lse = lse0;
        if (p.sink != nullptr) {
            const float s = to_float(p.sink[h]);
            const float high = fmaxf(lse0, s);
            lse = high + log1pf(__expf(fminf(lse0, s) - high));
        }
        const float factor = __expf(lse0 - lse);
        Pack<bf16> v = load_pack(p.o0 + b * p.o0_batch_stride + t * p.o0_row_stride + h * p.o0_head_stride +
                                 pack * Pack<bf16>::size);
#pragma unroll
        for (int k = 0; k < Pack<bf16>::size; ++k) v.v[k] = from_float<bf16>(to_float(v.v[k]) * factor);
        store_pack(
            p.o + b * p.o_batch_stride + t * p.o_row_stride + h * p.o_head_stride + pack * Pack<bf16>::size,
            v);
        if (pack == 0) p.lse[at] = lse;
    }
}

constexpr int sink_rows = 512;  // tokens a block

__global__ void sink_backward_kernel(SinkBackward p) {
    const std::int64_t bh = blockIdx.y;
    const std::int64_t b = bh / p.heads;
    const std::int64_t h = bh % p.heads;
    const float s = to_float(p.sink[h]);
    float sum = 0;
    for (int r = threadIdx.x; r < sink_rows; r += blockDim.x) {
        const std::int64_t t = std::int64_t{blockIdx.x} * sink_rows + r;
        if (t >= p.tokens) break;
        const bf16* o = p.o + b * p.o_batch_stride + t * p.o_row_stride + h * p.o_head_stride;
        const bf16* d = p.d_o + b * p.do_batch_stride + t * p.do_row_stride + h * p.do_head_stride;
        float dot = 0;
        for (int k = 0; k < p.head_dim; k += Pack<bf16>::size) {
            const Pack<bf16> ov = load_pack(o + k);
            const Pack<bf16> dv = load_pack(d + k);
#pragma unroll
            for (int j = 0; j < Pack<bf16>::size; ++j) dot += to_float(ov.v[j]) * to_float(dv.v[j]);
        }
        sum += __expf(s - p.lse[bh * p.tokens + t]) * dot;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) p.partial[bh * gridDim.x + blockIdx.x] = sum;
}

__global__ void sink_sum_kernel(SinkBackward p, std::int64_t blocks) {
    const std::int64_t h = blockIdx.x;
    float sum = 0;
    for (std::int64_t i = threadIdx.x; i < p.batch * blocks; i += blockDim.x)
        sum += p.partial[(i / blocks * p.heads + h) * blocks + i % blocks];
    sum = block_sum(sum);
    if (threadIdx.x == 0) p.dsink[h] -= sum;
}

int grid_for(std::int64_t total) {
    const std::int64_t blocks = (total + threads - 1) / threads;
    return static_cast<int>(blocks < 132 * 64 ? blocks : 132 * 64);
}

}  // namespace

cudaError_t rope(const Rope& p, cudaStream_t stream) {
    const std::int64_t pairs = p.batch * p.tokens * p.heads * (p.head_dim / 2);
    const bool wide = (p.head_dim / 2 | p.batch_stride | p.row_stride | p.head_stride) % 8 == 0 &&
                      reinterpret_cast<std::uintptr_t>(p.x) % 16 == 0;
    if (wide)
        rope_kernel<8><<<grid_for(pairs / 8), threads, 0, stream>>>(p);
    else
        rope_kernel<1><<<grid_for(pairs), threads, 0, stream>>>(p);
    return cudaGetLastError();
}

cudaError_t swiglu(const Swiglu& p, cudaStream_t stream) {
    swiglu_kernel<<<grid_for(p.rows * p.width / 8), threads, 0, stream>>>(p);
    return cudaGetLastError();
}

cudaError_t swiglu_backward(const SwigluBackward& p, cudaStream_t stream) {
    swiglu_backward_kernel<<<grid_for(p.rows * p.width / 8), threads, 0, stream>>>(p);
    return cudaGetLastError();
}

cudaError_t sink_forward(const SinkForward& p, cudaStream_t stream) {
    sink_forward_kernel<<<grid_for(p.batch * p.tokens * p.heads * p.head_dim / 8), threads, 0, stream>>>(p);
    return cudaGetLastError();
}

std::int64_t sink_blocks(std::int64_t tokens) { return (tokens + sink_rows - 1) / sink_rows; }

cudaError_t sink_backward(const SinkBackward& p, cudaStream_t stream) {
    const std::int64_t blocks = sink_blocks(p.tokens);
    const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(p.batch * p.heads));
    sink_backward_kernel<<<grid, 128, 0, stream>>>(p);
    sink_sum_kernel<<<static_cast<unsigned>(p.heads), 128, 0, stream>>>(p, blocks);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
