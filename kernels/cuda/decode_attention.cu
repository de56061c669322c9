#include "kernels/cuda/decode_attention.h"

#include <algorithm>

#include "kernels/cuda/common.cuh"

namespace braid::kernels::cuda {
namespace {

constexpr int threads = 128;
constexpr int most_readers = 4;  // query heads that a block reads keys for
constexpr int most_parts = 64;
constexpr int wanted_blocks = 132 * 6;
constexpr int unroll = 4;  // keys that a thread has under way
constexpr float log2_e = 1.4426950408889634F;

// How the work is cut; follows from shapes alone.
struct Cut {
    int readers = 1;  // of a block
    int turns = 1;    // blocks that share a key/value head
    int part = 0;     // keys
    int parts = 1;
};

Cut cut_of(int batch, int heads, int groups, std::int64_t keys) {
    Cut cut;
    const int shared = heads / groups;
    cut.turns = ceil_div(shared, most_readers);
    cut.readers = ceil_div(shared, cut.turns);
    const std::int64_t blocks = static_cast<std::int64_t>(batch) * groups * cut.turns;
    const std::int64_t parts = std::clamp<std::int64_t>(ceil_div(wanted_blocks, blocks), 1, most_parts);
    cut.part = std::max(256, ceil_div(ceil_div(keys, parts), 64) * 64);
    cut.parts = ceil_div(keys, cut.part);
    return cut;
}

// A softmax under way: largest score (base 2), sum of exp2(score - largest), and the values so weighed.
template <int Readers>
struct Running {
    float most[Readers];
    float sum[Readers];
    float o[Readers][8];
};

__device__ __forceinline__ void unpack(const Pack<bf16>& pack, float* to) {
#pragma unroll
    for (int i = 0; i < 8; ++i) to[i] = to_float(pack.v[i]);
}

// Adds what the lanes `distance` apart have of the same channels.
template <int Readers>
__device__ __forceinline__ void join(Running<Readers>& own, int distance) {
#pragma unroll
    for (int r = 0; r < Readers; ++r) {
        const float other = __shfl_xor_sync(0xffffffffU, own.most[r], distance);
        const float most = fmaxf(own.most[r], other);
        // Lanes that saw no key have -infinity; so may both.
        const float mine = most == -INFINITY ? 0.0F : exp2f(own.most[r] - most);
        const float its = most == -INFINITY ? 0.0F : exp2f(other - most);
        own.most[r] = most;
        own.sum[r] = own.sum[r] * mine + __shfl_xor_sync(0xffffffffU, own.sum[r], distance) * its;
#pragma unroll
        for (int i = 0; i < 8; ++i)
            own.o[r][i] = own.o[r][i] * mine + __shfl_xor_sync(0xffffffffU, own.o[r][i], distance) * its;
    }
}

// Block (part, group and turn, sequence). Lanes of a row of `Lanes` hold eight channels of a key each. Of a
// part and head stay [K] values, the largest score and the sum.
template <int Lanes, int Readers>
__global__ void __launch_bounds__(threads) parts_kernel(DecodeAttention p, Cut cut) {
    constexpr int width = 8 * Lanes, rows = threads / Lanes, warps = threads / 32;
    const int b = blockIdx.z, group = blockIdx.y / cut.turns, turn = blockIdx.y % cut.turns;
    const std::int64_t count = p.count[b];
    const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * cut.part;
    if (begin >= count) return;
    const std::int64_t end = min(begin + cut.part, count);
    const int lane = threadIdx.x % Lanes, row = threadIdx.x / Lanes;
    const int shared = p.heads / p.groups;
    const int first = group * shared + turn * Readers;          // the block's first query head
    const int readers = min(Readers, shared - turn * Readers);  // a last turn may have fewer
    float q[Readers][8];
    Running<Readers> own;
#pragma unroll
    for (int r = 0; r < Readers; ++r) {
        own.most[r] = -INFINITY;
        own.sum[r] = 0;
        const int head = first + min(r, readers - 1);
        unpack(load_pack(p.q.data + b * p.q.batch + head * p.q.head + 8 * lane), q[r]);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            q[r][i] *= p.scale * log2_e;
            own.o[r][i] = 0;
        }
    }
    const bf16* k = p.k.data + b * p.k.batch + group * p.k.head + 8 * lane;
    const bf16* v = p.v.data + b * p.v.batch + group * p.v.head + 8 * lane;
    for (std::int64_t key = begin + row; key - row < end; key += unroll * rows) {
        Pack<bf16> keys[unroll], values[unroll];
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            const std::int64_t at = min(key + u * rows, end - 1) * width;
            keys[u] = load_pack(k + at);
            values[u] = load_pack(v + at);
        }
        float score[unroll][Readers];
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            float x[8];
            unpack(keys[u], x);
#pragma unroll
            for (int r = 0; r < Readers; ++r) {
                float dot = 0;
#pragma unroll
                for (int i = 0; i < 8; ++i) dot += q[r][i] * x[i];
#pragma unroll
                for (int offset = Lanes / 2; offset > 0; offset /= 2)
                    dot += __shfl_xor_sync(0xffffffffU, dot, offset);
                score[u][r] = key + u * rows < end ? dot : -INFINITY;
            }
        }
#pragma unroll
        for (int r = 0; r < Readers; ++r) {
            float most = own.most[r];
#pragma unroll
            for (int u = 0; u < unroll; ++u) most = fmaxf(most, score[u][r]);
            const float kept = most == -INFINITY ? 0.0F : exp2f(own.most[r] - most);
            own.most[r] = most;
            own.sum[r] *= kept;
#pragma unroll
            for (int i = 0; i < 8; ++i) own.o[r][i] *= kept;
        }
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            float x[8];
            unpack(values[u], x);
#pragma unroll
            for (int r = 0; r < Readers; ++r) {
                const float weight = score[u][r] == -INFINITY ? 0.0F : exp2f(score[u][r] - own.most[r]);
                own.sum[r] += weight;
#pragma unroll
                for (int i = 0; i < 8; ++i) own.o[r][i] += weight * x[i];
            }
        }
    }
#pragma unroll
    for (int distance = Lanes; distance < 32; distance *= 2) join(own, distance);

    __shared__ float most[warps][Readers], sum[warps][Readers];
    __shared__ float o[warps][Readers][width];
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 < Lanes) {
#pragma unroll
        for (int r = 0; r < Readers; ++r) {
            most[warp][r] = own.most[r];
            sum[warp][r] = own.sum[r];
#pragma unroll
            for (int i = 0; i < 8; ++i) o[warp][r][8 * lane + i] = own.o[r][i];
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < readers * width; i += threads) {
        const int r = i / width, channel = i % width;
        float top = most[0][r];
#pragma unroll
        for (int w = 1; w < warps; ++w) top = fmaxf(top, most[w][r]);
        float value = 0, weight = 0;
#pragma unroll
        for (int w = 0; w < warps; ++w) {
            const float share = most[w][r] == -INFINITY ? 0.0F : exp2f(most[w][r] - top);
            value += share * o[w][r][channel];
            weight += share * sum[w][r];
        }
        const std::int64_t place =
            (static_cast<std::int64_t>(b) * p.heads + first + r) * cut.parts + blockIdx.x;
        float* to = p.partial + place * (width + 2);
        to[channel] = value;
        if (channel == 0) to[width] = top;
        if (channel == 1) to[width + 1] = weight;
    }
}

// Block (head, sequence), a thread a channel.
__global__ void join_kernel(DecodeAttention p, Cut cut) {
    const int head = blockIdx.x, b = blockIdx.y, channel = threadIdx.x, width = p.head_dim;
    const int parts = static_cast<int>((p.count[b] + cut.part - 1) / cut.part);
    const float* from = p.partial + (static_cast<std::int64_t>(b) * p.heads + head) * cut.parts * (width + 2);
    float top = p.sink != nullptr ? to_float(p.sink[head]) * log2_e : -INFINITY;
    const float sink = top;
    for (int i = 0; i < parts; ++i) top = fmaxf(top, from[i * (width + 2) + width]);
    float value = 0, sum = p.sink != nullptr ? exp2f(sink - top) : 0.0F;
    for (int i = 0; i < parts; ++i) {
        const float* part = from + i * (width + 2);
        const float share = exp2f(part[width] - top);
        value += share * part[channel];
        sum += share * part[width + 1];
    }
    p.o.data[b * p.o.batch + head * p.o.head + channel] = from_float<bf16>(value / sum);
}

template <int Lanes>
void launch_parts(const DecodeAttention& p, const Cut& cut, cudaStream_t stream) {
    const dim3 blocks(cut.parts, p.groups * cut.turns, p.batch);
    switch (cut.readers) {
        case 1:
            parts_kernel<Lanes, 1><<<blocks, threads, 0, stream>>>(p, cut);
            break;
        case 2:
            parts_kernel<Lanes, 2><<<blocks, threads, 0, stream>>>(p, cut);
            break;
        case 3:
            parts_kernel<Lanes, 3><<<blocks, threads, 0, stream>>>(p, cut);
            break;
        default:
            parts_kernel<Lanes, 4><<<blocks, threads, 0, stream>>>(p, cut);
    }
}

}  // namespace

bool decode_attention_supports(int head_dim) { return head_dim == 32 || head_dim == 64 || head_dim == 128; }

std::int64_t decode_attention_scratch(int batch, int heads, int groups, int head_dim, std::int64_t keys) {
    return static_cast<std::int64_t>(batch) * heads * cut_of(batch, heads, groups, keys).parts *
           (head_dim + 2);
}

cudaError_t decode_attention(const DecodeAttention& p, cudaStream_t stream) {
    if (!decode_attention_supports(p.head_dim) || p.keys < 1) return cudaErrorInvalidValue;
    const Cut cut = cut_of(p.batch, p.heads, p.groups, p.keys);
    if (p.head_dim == 32)
        launch_parts<4>(p, cut, stream);
    else if (p.head_dim == 64)
        launch_parts<8>(p, cut, stream);
    else
        launch_parts<16>(p, cut, stream);
    join_kernel<<<dim3(p.heads, p.batch), p.head_dim, 0, stream>>>(p, cut);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
