// Gradients in three steps: what each row of queries needs (o.do, log-sum-exp), then the products
// (hopper_attention_gradient.cu), then dq rounded to where it belongs.
#include "kernels/cuda/hopper_attention_tile.cuh"

namespace braid::kernels::cuda {
namespace hopper {
namespace {

struct Row {
    int sequence, head, token;
};
// Row r of a unit.
__device__ __forceinline__ Row row_of(const Units& u, std::int64_t unit, int r) {
    const int token_unit = static_cast<int>(unit % u.token_units);
    const int head_unit = static_cast<int>(unit / u.token_units % u.head_units);
    const int chain = static_cast<int>(unit / u.token_units / u.head_units);
    return {chain / u.kv_heads, u.first_head(chain % u.kv_heads, head_unit) + (r >> u.token_shift),
            (token_unit << u.token_shift) + (r & u.token_mask())};
}
__device__ __forceinline__ bf16* element(const HeadVectors& x, const Row& row) {
    return x.data + row.sequence * x.batch + row.token * x.row + row.head * x.head;
}

struct Prepare {
    Units units;
    HeadVectors o, d_o;
    const float* lse;
    const bf16* sink;
    float *statistics, *dq;
    float* dsink_parts;  // [units, heads_each]
};

// A block a unit: o.do of its rows, their log-sum-exp, their part of dsink, and dq set to zero.
__global__ void __launch_bounds__(256) prepare_kernel(Prepare p) {
    __shared__ float of_sink[unit_rows];
    const Units& u = p.units;
    const std::int64_t unit = blockIdx.x;
    const int piece = threadIdx.x % 8;
#pragma unroll
    for (int r = threadIdx.x / 8; r < unit_rows; r += 32) {
        const Row row = row_of(u, unit, r);
        const bool inside = row.token < u.tokens;
        float dot = 0;
        if (inside) {
            const Pack<bf16> o = load_pack(element(p.o, row) + piece * 8);
            const Pack<bf16> d_o = load_pack(element(p.d_o, row) + piece * 8);
#pragma unroll
            for (int i = 0; i < 8; ++i) dot += to_float(o.v[i]) * to_float(d_o.v[i]);
        }
#pragma unroll
        for (int offset = 4; offset > 0; offset /= 2) dot += __shfl_xor_sync(~0U, dot, offset);
        if (piece != 0) continue;
        // Rows past the end get probability 0.
        const float lse =
            inside
                ? p.lse[(static_cast<std::int64_t>(row.sequence) * u.heads + row.head) * u.tokens + row.token]
                : CUDART_INF_F;
        float* const to = p.statistics + unit * statistics + r / 2 * 4 + r % 2;
        to[0] = lse * log2_e;
        to[2] = dot;
        of_sink[r] = p.sink == nullptr ? 0 : __expf(to_float(p.sink[row.head]) - lse) * dot;
    }
    float4* const dq = reinterpret_cast<float4*>(p.dq + unit * unit_values);
#pragma unroll
    for (int i = threadIdx.x; i < unit_values / 4; i += 256) dq[i] = make_float4(0, 0, 0, 0);
    if (p.sink == nullptr) return;
    __syncthreads();
    if (threadIdx.x >= u.heads_each) return;
    float sum = 0;
    for (int r = 0; r <= u.token_mask(); ++r) sum += of_sink[(threadIdx.x << u.token_shift) + r];
    p.dsink_parts[unit * u.heads_each + threadIdx.x] = sum;
}

// A block a head, in a fixed order.
__global__ void sink_kernel(Units u, const float* parts, float* dsink) {
    const int group = u.heads / u.kv_heads, head = blockIdx.x;
    const int kv_head = head / group, head_unit = head % group / u.heads_each, within = head % u.heads_each;
    float sum = 0;
    for (std::int64_t i = threadIdx.x; i < static_cast<std::int64_t>(u.batch) * u.token_units;
         i += blockDim.x) {
        const std::int64_t sequence = i / u.token_units, token_unit = i % u.token_units;
        const std::int64_t chain = sequence * u.kv_heads + kv_head;
        sum +=
            parts[((chain * u.head_units + head_unit) * u.token_units + token_unit) * u.heads_each + within];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) dsink[head] -= sum;
}

// A block a unit: dq scaled, rounded, row by row, turned back.
__global__ void __launch_bounds__(warpgroup)
    finish_kernel(const __grid_constant__ GradientParameters p, HeadVectors to) {
    __shared__ alignas(128) unsigned char tile[unit_bytes];
    const Units& u = p.units;
    const std::int64_t unit = blockIdx.x;
    const float4* const from = reinterpret_cast<const float4*>(p.dq + unit * unit_values) + threadIdx.x;
    std::uint32_t rounded[16];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        const float4 x = from[j * warpgroup];
        rounded[2 * j] = pack_pair(x.x * p.scale, x.y * p.scale);
        rounded[2 * j + 1] = pack_pair(x.z * p.scale, x.w * p.scale);
    }
    store_columns(tile, threadIdx.x, rounded);
    __syncthreads();
    constexpr int half = head_dim / 2, pieces = half / 8;
#pragma unroll
    for (int i = threadIdx.x; i < unit_rows * pieces; i += warpgroup) {
        const int r = i / pieces, c = i % pieces;
        const Row row = row_of(u, unit, r);
        if (row.token >= u.tokens) continue;
        const auto piece = [&](int at) {
            return *reinterpret_cast<const Pack<bf16>*>(tile + r * row_bytes + (at ^ r % 8) * 16);
        };
        Pack<bf16> low = piece(c), high = piece(c + pieces);
        if (p.cos != nullptr) {
            const int at = row.token * half + c * 8;
            const Pack<float> cos[2] = {load_pack(p.cos + at), load_pack(p.cos + at + 4)},
                              sin[2] = {load_pack(p.sin + at), load_pack(p.sin + at + 4)};
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                float x = to_float(low.v[k]), y = to_float(high.v[k]);
                turn_pair_back(x, y, cos[k / 4].v[k % 4], sin[k / 4].v[k % 4]);
                low.v[k] = from_float<bf16>(x);
                high.v[k] = from_float<bf16>(y);
            }
        }
        bf16* const out = element(to, row) + c * 8;
        store_pack(out, low);
        store_pack(out + half, high);
    }
}

std::int64_t units_in(const Units& u) {
    return static_cast<std::int64_t>(u.batch) * u.kv_heads * u.head_units * u.token_units;
}

}  // namespace
}  // namespace hopper

std::int64_t hopper_attention_scratch(const HopperAttention& a) {
    const hopper::Units u = hopper::units_of(a);
    return hopper::units_in(u) * (hopper::unit_values + hopper::statistics + u.heads_each);
}

cudaError_t hopper_attention_backward(const HopperAttentionBackward& b, cudaStream_t stream) {
    using namespace hopper;
    const HopperAttention& a = b.call;
    GradientParameters p{};
    p.units = units_of(a);
    p.scale = a.scale;
    p.scale_log2 = a.scale * log2_e;
    p.cos = b.cos;
    p.sin = b.sin;
    const std::int64_t units = units_in(p.units);
    p.dq = b.scratch;
    float* const unit_statistics = p.dq + units * unit_values;
    p.statistics = unit_statistics;
    float* const dsink_parts = unit_statistics + units * statistics;
    const int unit_tokens = 1 << p.units.token_shift;
    const auto map = [&](const HeadVectors& x, int tokens, int heads, CUtensorMap* to) {
        return tensor_map(x, a.batch, a.tokens, tokens, heads, to);
    };
    cudaError_t error = map(a.q, unit_tokens, p.units.heads_each, &p.q);
    if (error == cudaSuccess) error = map(b.d_o, unit_tokens, p.units.heads_each, &p.d_o);
    if (error == cudaSuccess) error = map(a.k, unit_rows, 1, &p.k);
    if (error == cudaSuccess) error = map(a.v, unit_rows, 1, &p.v);
    if (error == cudaSuccess) error = map(b.dk, unit_rows, 1, &p.dk);
    if (error == cudaSuccess) error = map(b.dv, unit_rows, 1, &p.dv);
    if (error != cudaSuccess) return error;
    const int unit_blocks = static_cast<int>(units);
    prepare_kernel<<<unit_blocks, 256, 0, stream>>>(
        {p.units, b.o, b.d_o, b.lse, a.sink, unit_statistics, p.dq, dsink_parts});
    if (a.sink != nullptr) sink_kernel<<<a.heads, 256, 0, stream>>>(p.units, dsink_parts, b.dsink);
    error = attention_gradient(p, stream);
    if (error != cudaSuccess) return error;
    finish_kernel<<<unit_blocks, warpgroup, 0, stream>>>(p, b.dq);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
