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

__device__ __forceinline__ float sigmoid(float x) { return 1.0F / (1.0F + __expf(-x)); }

// Rows [first, first + 64) of one head as a tile of width W; what is not there is zero.
struct TileRule {
    bool silu = false;
    float scale = 1;
};
template <int W>
__device__ __forceinline__ void load_tile(bf16* tile, const HeadVectors& x, int width, int batch, int head,
                                          int first, int tokens, const TileRule& rule) {
    const bf16* data = x.data + batch * x.batch + first * x.row + head * x.head;
    const int rows = tokens - first;
    const bool plain = !rule.silu && rule.scale == 1.0F;
    // 16 bytes at a time where every row allows it.
    const bool wide = width % 8 == 0 && x.row % 8 == 0 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
    constexpr int packs = W / 8;
#pragma unroll 4
    for (int i = threadIdx.x; i < scan_chunk * packs; i += scan_threads) {
        const int row = i / packs, column = i % packs * 8;
        Pack<bf16> pack;
        if (wide && row < rows && column < width) {
            pack = load_pack(data + row * x.row + column);
        } else {
            for (int j = 0; j < 8; ++j)
                pack.v[j] =
                    row < rows && column + j < width ? data[row * x.row + column + j] : from_float<bf16>(0);
        }
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

struct alignas(16) ChunkDecay {
    float b[scan_chunk];           // log-decay from the chunk's first token on, inclusive
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
        g[i] = !there ? 0.0F : p.constant_decay ? p.log_decay[state] : p.log_decay[row * p.states + state];
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
        d.before[j] = starts[i] < 0 ? __expf(b) : 0.0F;
        d.after[j] = last_start <= j ? __expf(whole - b) : 0.0F;
        d.after_beta[j] = d.after[j] * d.beta[j];
    }
    if (lane == 0) d.total = last_start < 0 ? __expf(whole) : 0.0F;
}

// What token j is worth to token i of the chunk, without beta.
__device__ __forceinline__ float within(const ChunkDecay& d, int i, int j) {
    return j <= i && d.starts[i] <= j ? __expf(d.b[i] - d.b[j]) : 0.0F;
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

template <class Kernel>
cudaError_t allow_shared(Kernel kernel, std::size_t bytes) {
    return bytes <= 48 * 1024 ? cudaSuccess
                              : cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                     static_cast<int>(bytes));
}

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
