#include "kernels/cuda/decode_attention.h"

#include <algorithm>

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/mma_tile.cuh"

namespace braid::kernels::cuda {
namespace {

constexpr int warps = 4;
constexpr int threads = 32 * warps;
constexpr int most_readers = 16;  // query heads that a block reads keys for: rows of a product
constexpr int few_readers = 8;    // so many leave rows free
constexpr int wanted_blocks = 132 * 2;
constexpr int most_parts = 64;
constexpr int least_part = 64;  // keys
constexpr int most_width = 128;
constexpr int join_threads = 256;

// How the work is cut; follows from shapes alone.
struct Cut {
    int readers = 1;  // of a block
    int turns = 1;    // blocks that share a key/value head
    int parts = 1;    // of a sequence, at most
};

Cut cut_of(int batch, int heads, int groups, std::int64_t keys) {
    Cut cut;
    const int shared = heads / groups;
    cut.turns = ceil_div(shared, most_readers);
    cut.readers = ceil_div(shared, cut.turns);
    const std::int64_t blocks = static_cast<std::int64_t>(batch) * groups * cut.turns;
    const std::int64_t parts = std::clamp<std::int64_t>(wanted_blocks / blocks, 1, most_parts);
    cut.parts = static_cast<int>(std::min<std::int64_t>(parts, ceil_div(keys, least_part)));
    return cut;
}

__device__ __forceinline__ std::int64_t count_of(const DecodeAttention& p, int b) {
    return min(p.positions[b] + 1, p.keys);
}

// Parts that a sequence of so many keys is read in: equal ones, also where the cache has room for many more.
__device__ __forceinline__ int parts_of(const Cut& cut, std::int64_t count) {
    return static_cast<int>(min(static_cast<std::int64_t>(cut.parts), (count + least_part - 1) / least_part));
}

// Keys that a warp reads at a time, and their values; `stages` such tiles are under way. The shared memory of
// a block is 70 to 80 KiB: every device from sm_80 on gives that, and Hopper to several blocks at once.
template <int Width>
struct Tile {
    static constexpr int keys = Width >= 64 ? 16 : 1024 / Width;
    static constexpr int stages = Width <= 64 ? 4 : 2;
    static constexpr int stride = tile_stride(Width);
    static constexpr int size = keys * stride;  // elements
    static constexpr int of_warp = stages * 2 * size;
    static constexpr std::size_t bytes = warps * of_warp * sizeof(bf16);
};

// A tile of a head on its way by one warp; zeros behind the last of `present` rows, where nothing is read.
template <int Width>
__device__ __forceinline__ void fetch(bf16* tile, const bf16* from, int present) {
    constexpr int row_packs = Width / 8, rows = 32 / row_packs;  // of a round
    const int row = threadIdx.x % 32 / row_packs, column = threadIdx.x % row_packs * 8;
    const unsigned to = shared_address(tile + row * Tile<Width>::stride + column);
    from += row * Width + column;
#pragma unroll
    for (int i = 0; i < Tile<Width>::keys; i += rows)
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(
                         to + i * Tile<Width>::stride * static_cast<int>(sizeof(bf16))),
                     "l"(from + i * Width), "r"(row + i < present ? 16 : 0));
}

// Row h of a product is query head h of the block. Fewer than nine heads leave rows 8 .. 15 of the weights
// free: they hold what rounding to bfloat16 took off rows 0 .. 7.
template <int Width, bool Wide>
struct Warp {
    static constexpr int halves = Wide ? 2 : 1;
    static constexpr int keys = Tile<Width>::keys;

    FragmentA q[Width / 16];
    float most[halves];  // largest score so far, base 2
    float sum[halves];   // of exp2(score - most), of this lane's keys
    float o[Width / 8][4];

    __device__ __forceinline__ void begin(const bf16* from, std::int64_t head_stride, int readers) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int k = 0; k < Width / 16; ++k)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int row = lane / 4 + 8 * (i % 2), column = 16 * k + 8 * (i / 2) + 2 * (lane % 4);
                q[k].x[i] = row < readers
                                ? *reinterpret_cast<const unsigned*>(from + row * head_stride + column)
                                : 0U;
            }
#pragma unroll
        for (int h = 0; h < halves; ++h) {
            most[h] = -INFINITY;
            sum[h] = 0;
        }
        clear(o);
    }

    __device__ __forceinline__ void add(const bf16* k, const bf16* v, int present, float scale) {
        float score[keys / 8][4];
        clear(score);
#pragma unroll
        for (int step = 0; step < Width / 16; ++step)
#pragma unroll
            for (int n = 0; n < keys; n += 16) {
                unsigned right[4];
                load_b(k, Tile<Width>::stride, n, 16 * step, right);
                mma(score[n / 8], q[step], right[0], right[1]);
                mma(score[n / 8 + 1], q[step], right[2], right[3]);
            }
#pragma unroll
        for (int h = 0; h < halves; ++h) {
            float largest = most[h];
#pragma unroll
            for (int e = 0; e < keys / 4; ++e) {
                float& x = score[e / 2][2 * h + e % 2];
                x = e / 2 * 8 + threadIdx.x % 4 * 2 + e % 2 < present ? scale * x : -INFINITY;
                largest = fmaxf(largest, x);
            }
#pragma unroll
            for (int distance = 1; distance < 4; distance *= 2)
                largest = fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, distance));
            const float kept = exp2f(most[h] - largest);
            most[h] = largest;
            sum[h] *= kept;
#pragma unroll
            for (int e = 0; e < keys / 4; ++e) {
                float& x = score[e / 2][2 * h + e % 2];
                x = exp2f(x - largest);
                sum[h] += x;
                if (!Wide) score[e / 2][2 + e % 2] = x - to_float(from_float<bf16>(x));
            }
#pragma unroll
            for (int e = 0; e < Width / 4; ++e) {
                o[e / 2][2 * h + e % 2] *= kept;
                if (!Wide) o[e / 2][2 + e % 2] *= kept;
            }
        }
#pragma unroll
        for (int step = 0; step < keys / 16; ++step)
            multiply_step<Width>(o, to_fragment(score, step), v, Tile<Width>::stride, 16 * step);
    }

    // [rows, Width] values, and of each row the largest score and the sum.
    __device__ __forceinline__ void end(float* values, float* mosts, float* sums) {
        const int row = threadIdx.x % 32 / 4, column = threadIdx.x % 4;
#pragma unroll
        for (int h = 0; h < halves; ++h) {
#pragma unroll
            for (int distance = 1; distance < 4; distance *= 2)
                sum[h] += __shfl_xor_sync(0xffffffffU, sum[h], distance);
            if (column == 0) {
                mosts[row + 8 * h] = most[h];
                sums[row + 8 * h] = sum[h];
            }
#pragma unroll
            for (int e = 0; e < Width / 4; ++e)
                values[(row + 8 * h) * Width + e / 2 * 8 + 2 * column + e % 2] =
                    Wide ? o[e / 2][2 * h + e % 2] : o[e / 2][e % 2] + o[e / 2][2 + e % 2];
        }
    }
};

// [B, H, parts] of the values, and behind them of the largest score and the sum.
struct Partial {
    float* values;
    float2* softmax;
};
__device__ __forceinline__ Partial partial_of(const DecodeAttention& p, const Cut& cut, int b, int head) {
    const std::int64_t place = (static_cast<std::int64_t>(b) * p.q.heads + head) * cut.parts;
    const std::int64_t all = static_cast<std::int64_t>(p.batch) * p.q.heads * cut.parts;
    return {p.partial + place * p.head_dim, reinterpret_cast<float2*>(p.partial + all * p.head_dim) + place};
}

// Block (part, group and turn, sequence).
template <int Width, bool Wide>
__global__ void __launch_bounds__(threads) parts_kernel(DecodeAttention p, Cut cut) {
    using T = Tile<Width>;
    const int b = blockIdx.z, group = blockIdx.y / cut.turns, turn = blockIdx.y % cut.turns;
    const int part = blockIdx.x;
    const std::int64_t count = count_of(p, b);
    const int parts = parts_of(cut, count);
    if (part >= parts) return;
    const int shared = p.q.heads / p.k.heads;
    const int first = group * shared + turn * cut.readers;              // the block's first query head
    const int readers = min(cut.readers, shared - turn * cut.readers);  // a last turn may have fewer
    const std::int64_t tiles = (count + T::keys - 1) / T::keys;
    const int end = static_cast<int>(tiles * (part + 1) / parts);
    const int warp = threadIdx.x / 32;

    extern __shared__ __align__(16) unsigned char memory[];
    bf16* own = reinterpret_cast<bf16*>(memory) + warp * T::of_warp;
    const bf16* k = p.k.data + b * p.k.batch + group * p.k.head;
    const bf16* v = p.v.data + b * p.v.batch + group * p.v.head;
    const auto present = [&](int tile) {
        return static_cast<int>(
            min(static_cast<std::int64_t>(T::keys), count - tile * std::int64_t{T::keys}));
    };
    int next = static_cast<int>(tiles * part / parts) + warp;  // the tile to be fetched
    const auto fetch_next = [&](int stage) {
        if (next < end) {
            const std::int64_t at = next * std::int64_t{T::keys} * Width;
            fetch<Width>(own + stage * 2 * T::size, k + at, present(next));
            fetch<Width>(own + stage * 2 * T::size + T::size, v + at, present(next));
        }
        next += warps;
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    int tile = next, stage = 0;
#pragma unroll
    for (int i = 0; i < T::stages; ++i) fetch_next(i);
    Warp<Width, Wide> softmax;
    softmax.begin(p.q.data + b * p.q.batch + first * p.q.head, p.q.head, readers);
    for (; tile < end; tile += warps) {
        asm volatile("cp.async.wait_group %0;" ::"n"(T::stages - 1) : "memory");
        __syncwarp();
        const bf16* here = own + stage * 2 * T::size;
        softmax.add(here, here + T::size, present(tile), p.scale * log2_e);
        __syncwarp();
        fetch_next(stage);
        stage = stage + 1 == T::stages ? 0 : stage + 1;
    }

    // The warps' own values take the place of their tiles.
    constexpr int rows = Wide ? most_readers : few_readers;
    static_assert(rows * Width * sizeof(float) <= T::of_warp * sizeof(bf16));
    __shared__ float most[warps][rows], sum[warps][rows];
    softmax.end(reinterpret_cast<float*>(own), most[warp], sum[warp]);
    __syncthreads();
    for (int i = threadIdx.x; i < readers * Width; i += threads) {
        const int row = i / Width, channel = i % Width;
        float top = most[0][row];
#pragma unroll
        for (int w = 1; w < warps; ++w) top = fmaxf(top, most[w][row]);
        float value = 0, weight = 0;
#pragma unroll
        for (int w = 0; w < warps; ++w) {
            const float share = exp2f(most[w][row] - top);  // 0 of a warp that had no key
            value += share * reinterpret_cast<const float*>(memory + w * T::of_warp * sizeof(bf16))[i];
            weight += share * sum[w][row];
        }
        const Partial to = partial_of(p, cut, b, first + row);
        to.values[part * Width + channel] = value;
        if (channel == 0) to.softmax[part] = {top, weight};
    }
}

// Block (head, sequence): rows of threads, one a channel, share the parts; each warp finds the whole softmax.
// Everything is asked for at once, also what a part without keys left of earlier calls, which is not used.
__global__ void __launch_bounds__(join_threads) join_kernel(DecodeAttention p, Cut cut) {
    const int head = blockIdx.x, b = blockIdx.y, lane = threadIdx.x % 32, width = p.head_dim;
    const int channel = threadIdx.x % width, row = threadIdx.x / width, rows = join_threads / width;
    const Partial from = partial_of(p, cut, b, head);
    constexpr int per_lane = most_parts / 32, per_row = most_parts * most_width / join_threads;
    static_assert(per_lane == 2);
    float2 softmax[per_lane];
    float values[per_row];
#pragma unroll
    for (int i = 0; i < per_lane; ++i)
        softmax[i] = lane + 32 * i < cut.parts ? from.softmax[lane + 32 * i] : float2{};
#pragma unroll
    for (int i = 0; i < per_row; ++i) {
        if (rows * i >= cut.parts) break;
        if (row + rows * i < cut.parts) values[i] = from.values[(row + rows * i) * width + channel];
    }
    const int parts = parts_of(cut, count_of(p, b));
    const float sink = p.sink != nullptr ? to_float(p.sink[head]) * log2_e : -INFINITY;
    float top = sink;
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
        if (lane + 32 * i >= parts) softmax[i] = {-INFINITY, 0};
        top = fmaxf(top, softmax[i].x);
    }
    top = warp_max(top);
    float sum = 0, share[per_lane], value = 0;
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
        share[i] = exp2f(softmax[i].x - top);
        sum += share[i] * softmax[i].y;
    }
    sum = warp_sum(sum) + exp2f(sink - top);
#pragma unroll
    for (int i = 0; i < per_row; ++i) {
        if (rows * i >= parts) break;
        const int part = row + rows * i;  // the same for the whole warp
        const float factor = __shfl_sync(0xffffffffU, part < 32 ? share[0] : share[1], part % 32);
        if (part < parts) value += factor * values[i];
    }
    __shared__ float all[join_threads];
    all[threadIdx.x] = value;
    __syncthreads();
    if (row != 0) return;
    for (int i = 1; i < rows; ++i) value += all[i * width + channel];
    p.o.data[b * p.o.batch + head * p.o.head + channel] = from_float<bf16>(value / sum);
}

template <int Width, bool Wide>
cudaError_t launch(const DecodeAttention& p, const Cut& cut, cudaStream_t stream) {
    constexpr std::size_t bytes = Tile<Width>::bytes;
    const cudaError_t allowed = allow_shared(parts_kernel<Width, Wide>, bytes);
    if (allowed != cudaSuccess) return allowed;
    parts_kernel<Width, Wide>
        <<<dim3(cut.parts, p.k.heads * cut.turns, p.batch), threads, bytes, stream>>>(p, cut);
    join_kernel<<<dim3(p.q.heads, p.batch), join_threads, 0, stream>>>(p, cut);
    return cudaGetLastError();
}

template <int Width>
cudaError_t launch(const DecodeAttention& p, cudaStream_t stream) {
    const Cut cut = cut_of(p.batch, p.q.heads, p.k.heads, p.keys);
    return cut.readers > few_readers ? launch<Width, true>(p, cut, stream)
                                     : launch<Width, false>(p, cut, stream);
}

}  // namespace

bool decode_attention_supports(int head_dim) { return head_dim == 32 || head_dim == 64 || head_dim == 128; }

std::int64_t decode_attention_scratch(int batch, int heads, int groups, int head_dim, std::int64_t keys) {
    return static_cast<std::int64_t>(batch) * heads * cut_of(batch, heads, groups, keys).parts *
           (head_dim + 2);
}

cudaError_t decode_attention(const DecodeAttention& p, cudaStream_t stream) {
    if (!decode_attention_supports(p.head_dim) || p.keys < 1) return cudaErrorInvalidValue;
    if (p.head_dim == 32) return launch<32>(p, stream);
    if (p.head_dim == 64) return launch<64>(p, stream);
    return launch<128>(p, stream);
}

}  // namespace braid::kernels::cuda
