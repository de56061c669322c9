// What the kernels of linear_scan.h share: tiles of a chunk, its decays, and the state held by a block of
// four warps.
#pragma once

#include "kernels/cuda/linear_scan.h"
#include "kernels/cuda/mma_tile.cuh"

namespace braid::kernels::cuda {

constexpr int scan_chunk = 64;       // tokens of a chunk: 16 for each warp
constexpr int scan_part_chunks = 4;  // chunks of a part
constexpr int scan_part = scan_chunk * scan_part_chunks;
constexpr int scan_threads = 128;

// How four warps share a state of K x V: 16 rows and `columns` columns each; with small states some warps
// have none.
template <int K, int V>
struct StateShare {
    static constexpr int row_warps = K / 16;
    static constexpr int column_warps = 4 / row_warps < V / 16 ? 4 / row_warps : V / 16;
    static constexpr int columns = V / column_warps;
    using Sums = float[columns / 8][4];
    __device__ static bool mine() { return threadIdx.x / 32 < row_warps * column_warps; }
    __device__ static int row() { return static_cast<int>(threadIdx.x / 32) % row_warps * 16; }
    __device__ static int column() { return static_cast<int>(threadIdx.x / 32) / row_warps * columns; }
};

__device__ __forceinline__ float sigmoid(float x) { return __fdividef(1.0F, 1.0F + __expf(-x)); }

// Rows [first, first + 64) of one head on their way to a tile of width W: read first, so that the reads of
// several tiles are under way together, then stored as the rule says. What is not there is zero.
struct TileRule {
    bool silu = false;
    float scale = 1;
};
template <int W>
class TileRows {
public:
    __device__ __forceinline__ void read(const HeadVectors& x, int width, int batch, int head, int first,
                                         int tokens) {
        const bf16* data = x.data + batch * x.batch + first * x.row + head * x.head;
        const int rows = tokens - first;
        // Elements that every row allows to be read at once.
        const auto bits = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) / sizeof(bf16)) |
                          static_cast<unsigned>(x.row) | static_cast<unsigned>(width);
        const int together = bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : bits % 2 == 0 ? 2 : 1;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const int row = place(i) / packs, column = place(i) % packs * 8;
            Pack<bf16>& pack = packs_[i];
            pack = {};
            if (row >= rows) continue;
            const bf16* at = data + row * x.row + column;
            if (together == 8) {
                if (column < width) pack = load_pack(at);
            } else if (together == 4) {
                for (int j = 0; j < 8; j += 4)
                    if (column + j < width)
                        *reinterpret_cast<uint2*>(pack.v + j) = *reinterpret_cast<const uint2*>(at + j);
            } else if (together == 2) {
                for (int j = 0; j < 8; j += 2)
                    if (column + j < width)
                        *reinterpret_cast<unsigned*>(pack.v + j) = *reinterpret_cast<const unsigned*>(at + j);
            } else {
                for (int j = 0; j < 8; ++j)
                    if (column + j < width) pack.v[j] = at[j];
            }
        }
    }
    __device__ __forceinline__ void store(bf16* tile, const TileRule& rule) {
        const bool plain = !rule.silu && rule.scale == 1.0F;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const int row = place(i) / packs, column = place(i) % packs * 8;
            Pack<bf16>& pack = packs_[i];
            if (!plain) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    float y = to_float(pack.v[j]);
                    if (rule.silu) y *= sigmoid(y);
                    pack.v[j] = from_float<bf16>(y * rule.scale);
                }
            }
            store_pack(tile + row * tile_stride(W) + column, pack);
        }
    }

private:
    static constexpr int packs = W / 8;
    static constexpr int count = scan_chunk * packs / scan_threads;
    __device__ static int place(int i) { return i * scan_threads + static_cast<int>(threadIdx.x); }
    Pack<bf16> packs_[count];
};

struct alignas(16) ChunkDecay {
    float b[scan_chunk];           // log2 of the decay from the chunk's first token on, inclusive
    float beta[scan_chunk];        // 0 behind the sequence
    float before[scan_chunk];      // what the state before the chunk is worth to each token
    float after[scan_chunk];       // what each token is worth to the state after the chunk, without beta
    float after_beta[scan_chunk];  // with it
    int starts[scan_chunk];  // first token of the chunk that each may read; negative: also what came before
    float total;             // what remains of the state behind the chunk
};

// By the first warp; __syncthreads() before others read.
__device__ __forceinline__ void load_decay(const LinearScan& p, ChunkDecay& d, int batch, int state,
                                           int first) {
    if (threadIdx.x >= 32) return;
    const int lane = threadIdx.x;
    float g[2];
    int starts[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int t = first + 2 * lane + i;
        const std::int64_t row = static_cast<std::int64_t>(batch) * p.tokens + t;
        const bool there = t < p.tokens;
        g[i] = !there             ? 0.0F
               : p.constant_decay ? log2_e * p.log_decay[state]
                                  : log2_e * p.log_decay[row * p.states + state];
        starts[i] = there && p.starts != nullptr ? p.starts[row] - first : -1;
        d.beta[2 * lane + i] = !there ? 0.0F : p.beta == nullptr ? 1.0F : p.beta[row * p.states + state];
        d.starts[2 * lane + i] = starts[i];
    }
    float sum = g[0] + g[1];
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const float left = __shfl_up_sync(0xffffffffU, sum, offset);
        if (lane >= offset) sum += left;
    }
    const float whole = __shfl_sync(0xffffffffU, sum, 31);
    const int last = min(first + scan_chunk, p.tokens) - first - 1;
    const int last_start = __shfl_sync(0xffffffffU, last % 2 == 0 ? starts[0] : starts[1], last / 2);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int j = 2 * lane + i;
        const float b = i == 0 ? sum - g[1] : sum;
        d.b[j] = b;
        d.before[j] = starts[i] < 0 ? power_of_2(b) : 0.0F;
        d.after[j] = last_start <= j ? power_of_2(whole - b) : 0.0F;
        d.after_beta[j] = d.after[j] * d.beta[j];
    }
    if (lane == 0) d.total = last_start < 0 ? power_of_2(whole) : 0.0F;
}

// Products of tokens of the chunk, times what the earlier one is worth to the later one; rows are the later
// tokens i, columns the earlier ones j. With beta, also times beta_j.
template <bool Beta>
__device__ __forceinline__ void decay_rows(float (&scores)[scan_chunk / 8][4], const ChunkDecay& d,
                                           int row0) {
    const int lane = threadIdx.x % 32;
    const int i[2] = {row0 + lane / 4, row0 + lane / 4 + 8};
    const float b_i[2] = {d.b[i[0]], d.b[i[1]]};
    const int from[2] = {d.starts[i[0]], d.starts[i[1]]};
#pragma unroll
    for (int n = 0; n < scan_chunk / 8; ++n) {
        const int j = n * 8 + 2 * (lane % 4);
        const float2 b_j = *reinterpret_cast<const float2*>(d.b + j);
        const float2 beta = Beta ? *reinterpret_cast<const float2*>(d.beta + j) : float2{1, 1};
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const float x = Beta ? beta.x * power_of_2(b_i[h] - b_j.x) : power_of_2(b_i[h] - b_j.x);
            const float y = Beta ? beta.y * power_of_2(b_i[h] - b_j.y) : power_of_2(b_i[h] - b_j.y);
            scores[n][2 * h] *= j <= i[h] && from[h] <= j ? x : 0.0F;
            scores[n][2 * h + 1] *= j + 1 <= i[h] && from[h] <= j + 1 ? y : 0.0F;
        }
    }
}
// The same with the earlier tokens in the rows, the later ones in the columns.
template <bool Beta>
__device__ __forceinline__ void decay_columns(float (&scores)[scan_chunk / 8][4], const ChunkDecay& d,
                                              int row0) {
    const int lane = threadIdx.x % 32;
    const int j[2] = {row0 + lane / 4, row0 + lane / 4 + 8};
    const float b_j[2] = {d.b[j[0]], d.b[j[1]]};
    const float beta[2] = {Beta ? d.beta[j[0]] : 1.0F, Beta ? d.beta[j[1]] : 1.0F};
#pragma unroll
    for (int n = 0; n < scan_chunk / 8; ++n) {
        const int i = n * 8 + 2 * (lane % 4);
        const float2 b_i = *reinterpret_cast<const float2*>(d.b + i);
        const int2 from = *reinterpret_cast<const int2*>(d.starts + i);
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const float x = beta[h] * power_of_2(b_i.x - b_j[h]), y = beta[h] * power_of_2(b_i.y - b_j[h]);
            scores[n][2 * h] *= j[h] <= i && from.x <= j[h] ? x : 0.0F;
            scores[n][2 * h + 1] *= j[h] <= i + 1 && from.y <= j[h] ? y : 0.0F;
        }
    }
}
// Rows of this warp to global memory, `tokens` of the chunk's and `width` columns of each; pairs where rows
// allow it.
template <int N8>
__device__ __forceinline__ void write_rows(const float (&acc)[N8][4], bf16* data, std::int64_t stride,
                                           int width, int row0, int tokens, float factor) {
    const int lane = threadIdx.x % 32;
    const auto bits = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) / sizeof(bf16)) |
                      static_cast<unsigned>(stride) | static_cast<unsigned>(width);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int i = row0 + lane / 4 + 8 * half;
        if (i >= tokens) continue;
        bf16* row = data + i * stride;
#pragma unroll
        for (int n = 0; n < N8; ++n) {
            const int j = n * 8 + 2 * (lane % 4);
            const float x = acc[n][2 * half] * factor, y = acc[n][2 * half + 1] * factor;
            if (bits % 2 == 0) {
                if (j < width) *reinterpret_cast<unsigned*>(row + j) = pack_bf16(x, y);
            } else {
                if (j < width) row[j] = from_float<bf16>(x);
                if (j + 1 < width) row[j + 1] = from_float<bf16>(y);
            }
        }
    }
}

// A state in global memory, key_dim x value_dim.
template <int K, int V>
__device__ __forceinline__ void read_state(typename StateShare<K, V>::Sums& sums, const float* state,
                                           int key_dim, int value_dim) {
    using Share = StateShare<K, V>;
    clear(sums);
    if (!Share::mine()) return;
    for_elements(sums, Share::row(), [&](int row, int column, float& x) {
        column += Share::column();
        if (row < key_dim && column < value_dim) x = state[row * value_dim + column];
    });
}
template <int K, int V>
__device__ __forceinline__ void write_state(typename StateShare<K, V>::Sums& sums, float* state, int key_dim,
                                            int value_dim) {
    using Share = StateShare<K, V>;
    if (!Share::mine()) return;
    for_elements(sums, Share::row(), [&](int row, int column, float& x) {
        column += Share::column();
        if (row < key_dim && column < value_dim) state[row * value_dim + column] = x;
    });
}
template <int K, int V>
__device__ __forceinline__ void state_tile(const typename StateShare<K, V>::Sums& sums, bf16* tile) {
    using Share = StateShare<K, V>;
    if (Share::mine()) store_tile(sums, tile + Share::column(), tile_stride(V), Share::row());
}

// sums = total sums + sum over the chunk's tokens of factor a b^T.
template <int K, int V>
__device__ __forceinline__ void advance_state(typename StateShare<K, V>::Sums& sums, const bf16* a,
                                              const bf16* b, const float* factor, float total) {
    using Share = StateShare<K, V>;
    if (!Share::mine()) return;
#pragma unroll
    for (int n = 0; n < Share::columns / 8; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) sums[n][i] *= total;
    multiply_transposed<Share::columns, scan_chunk>(sums, a, tile_stride(K), Share::row(),
                                                    b + Share::column(), tile_stride(V), factor);
}

// The states before the parts of `count` sequences, one part after the other.
struct StateChain {
    float* states = nullptr;        // [parts, count, size]: what each part adds, then the state before it
    const float* totals = nullptr;  // [parts, count]
    const float* initial = nullptr;
    float* last = nullptr;
    int parts = 0;
    int count = 0;
    int size = 0;
    bool backward = false;  // from the last part to the first
};
cudaError_t run_chain(const StateChain& chain, cudaStream_t stream);

// Calls f(constant K, constant V) for the padded sizes of a state.
template <int N>
struct Size {
    static constexpr int value = N;
};
template <class F>
cudaError_t with_state_sizes(int key_dim, int value_dim, F f) {
    const auto with_values = [&](auto key) {
        if (value_dim <= 32) return f(key, Size<32>{});
        return f(key, Size<64>{});
    };
    if (key_dim <= 16) return with_values(Size<16>{});
    if (key_dim <= 32) return with_values(Size<32>{});
    return with_values(Size<64>{});
}

}  // namespace braid::kernels::cuda
