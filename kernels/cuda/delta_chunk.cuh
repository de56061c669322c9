// What the kernels of the delta rule share: a block of four warps works on one chunk of one state, each warp
// on 16 of its 64 tokens.
#pragma once

#include "kernels/cuda/delta_rule.h"
#include "kernels/cuda/mma_tile.cuh"

namespace braid::kernels::cuda::delta {

constexpr int chunk = 64;
constexpr int threads = 128;

// Rows of a head are padded with zeros to P = 16, 32, 48 or 64.
inline int padded_dim(const DeltaShape& s) {
    return ceil_div(s.key_dim > s.value_dim ? s.key_dim : s.value_dim, 16) * 16;
}

// Intermediate results of all N = batch * states * chunks chunks.
struct Work {
    bf16* w;    // [N, 64, P]
    float* e0;  // [N, 64, P]: what V contributes to the errors
    uint4* m;   // [N, P/16, P/16, 32] M, backwards M^T: left operands of 16 x 16, as the lanes hold them
    float4*
        n;  // [N, P/16, P/16, 2, 32] N, backwards what the outputs ask of the state: accumulators of 16 x 16
    float* pass;   // [N] exp(b_C): how much of the state goes through
    bf16* t;       // [N, 64, 64]                          backward only, as the rest
    bf16* dwrite;  // [N, 64, P] gradient of U by the chunk's own outputs
    bf16* dafter;  // [N, P, P] gradient of the state after the chunk
    int chunks;    // of a sequence
};

// The stages, in the order of their use.
cudaError_t prepare(const DeltaRule& p, const Work& w, bool backward, cudaStream_t stream);
cudaError_t scan(const DeltaRule& p, const Work& w, float* last, cudaStream_t stream);
cudaError_t output(const DeltaRule& p, const Work& w, const DeltaHeads<bf16>& o, cudaStream_t stream);
cudaError_t ask(const DeltaRule& p, const Work& w, const DeltaHeads<const bf16>& d_o, cudaStream_t stream);
cudaError_t scan_back(const DeltaRule& p, const Work& w, cudaStream_t stream);
cudaError_t gradient(const DeltaRule& p, const Work& w, const DeltaGradient& to, cudaStream_t stream);

// Starts a kernel with one block a chunk.
template <class Kernel, class... Args>
cudaError_t launch_chunks(Kernel kernel, const DeltaRule& p, std::size_t shared, cudaStream_t stream,
                          const Args&... args) {
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
    if (status != cudaSuccess) return status;
    const int blocks = p.shape.batch * p.shape.states * ceil_div(p.shape.tokens, chunk);
    kernel<<<blocks, threads, shared, stream>>>(args...);
    return cudaGetLastError();
}
// f(integral constant P) for the shape's P.
template <int P>
struct Padded {
    static constexpr int value = P;
};
template <class F>
cudaError_t for_padded(const DeltaShape& shape, F f) {
    switch (padded_dim(shape)) {
        case 16:
            return f(Padded<16>());
        case 32:
            return f(Padded<32>());
        case 48:
            return f(Padded<48>());
        case 64:
            return f(Padded<64>());
        default:
            return cudaErrorInvalidValue;
    }
}

struct Place {
    std::int64_t index;  // of N
    int b, s, begin, count;
};
__device__ __forceinline__ Place place_of(const DeltaRule& p, const Work& w) {
    const int c = blockIdx.x % w.chunks;
    const int bs = blockIdx.x / w.chunks;
    return {static_cast<std::int64_t>(blockIdx.x), bs / p.shape.states, bs % p.shape.states, c * chunk,
            min(chunk, p.shape.tokens - c * chunk)};
}
template <class T>
__device__ __forceinline__ T* rows_of(const DeltaHeads<T>& x, const Place& at, int head) {
    return x.data + at.b * x.batch + at.begin * x.row + head * x.head;
}

// Scalars of a chunk, in shared memory.
struct Gates {
    float b[chunk];  // cumulative log-decay, to base 2
    float beta[chunk];
    float before[chunk];    // from the state before the chunk to behind the token
    float after[chunk];     // from behind the token to the chunk's end
    float strength[chunk];  // beta after
    int first[chunk];       // the chunk's first token of the same document
    float pass;
};
__device__ __forceinline__ float exp_2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
// By the first warp. Tokens behind the last neither write, forget nor belong to another document.
__device__ __forceinline__ void read_gates(const DeltaRule& p, const Place& at, Gates& g) {
    const int lane = threadIdx.x;
    const float* decay = p.log_decay + at.b * p.decay_batch + at.begin * p.decay_row + at.s;
    const std::int64_t row = static_cast<std::int64_t>(at.b) * p.shape.tokens + at.begin;
    float b[2];
    int first[2] = {0, 0};
    bool reached[2] = {true, true};
    const int last_start = p.starts ? p.starts[row + at.count - 1] : -1;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int t = 2 * lane + i;
        const bool real = t < at.count;
        b[i] = real ? decay[t * p.decay_row] * 1.4426950408889634F : 0.0F;
        g.beta[t] = real ? p.beta[(row + t) * p.shape.states + at.s] : 0.0F;
        if (p.starts) {
            const int start = real ? p.starts[row + t] : last_start;
            first[i] = max(start - at.begin, 0);
            reached[i] = start < at.begin;
        }
    }
    float sum = b[0] + b[1];
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const float other = __shfl_up_sync(0xffffffffU, sum, d);
        if (lane >= d) sum += other;
    }
    b[0] = sum - b[1];
    b[1] = sum;
    const float total = __shfl_sync(0xffffffffU, sum, 31);
    const int last_first = p.starts ? max(last_start - at.begin, 0) : 0;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int t = 2 * lane + i;
        g.b[t] = b[i];
        g.before[t] = reached[i] ? exp_2(b[i]) : 0.0F;
        g.after[t] = last_first <= t ? exp_2(total - b[i]) : 0.0F;
        g.strength[t] = g.beta[t] * g.after[t];
        g.first[t] = first[i];
    }
    if (lane == 31) g.pass = reached[1] ? exp_2(total) : 0.0F;
}

// How rows are read.
struct Reading {
    int dim;
    bool silu, unit;
    float scale;
};
__device__ __forceinline__ Reading reading_q(const DeltaRule& p) {
    return {p.shape.key_dim, p.silu, p.unit, p.scale};
}
__device__ __forceinline__ Reading reading_k(const DeltaRule& p) {
    return {p.shape.key_dim, p.silu, p.unit, 1};
}
__device__ __forceinline__ Reading reading_v(const DeltaRule& p) {
    return {p.shape.value_dim, p.silu, false, 1};
}

__device__ __forceinline__ float sigmoid(float x) { return __fdividef(1.0F, 1.0F + __expf(-x)); }

// Rows row0 .. +16 of the chunk by one warp, eight lanes a row; `inverse` (may be null) receives 1 / length,
// `low` (may be null) what the tile's rounding lost.
template <int P>
__device__ __forceinline__ void load_rows(bf16* tile, bf16* low, float* inverse, const bf16* x,
                                          std::int64_t row_stride, int row0, int count, const Reading& how) {
    constexpr int per_lane = P / 16;
    const int lane = threadIdx.x % 32;
    const int column = lane % 8;
    unsigned raw[4][per_lane];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int row = row0 + 4 * r + lane / 8;
        const unsigned* words = reinterpret_cast<const unsigned*>(x + row * row_stride);
#pragma unroll
        for (int i = 0; i < per_lane; ++i)
            raw[r][i] = row < count && column + 8 * i < how.dim / 2 ? words[column + 8 * i] : 0U;
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int row = row0 + 4 * r + lane / 8;
        float2 y[per_lane];
        float square = 0.0F;
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
            y[i] = unpack_bf16(raw[r][i]);
            if (how.silu) y[i] = {y[i].x * sigmoid(y[i].x), y[i].y * sigmoid(y[i].y)};
            square += y[i].x * y[i].x + y[i].y * y[i].y;
        }
        float factor = 1.0F;
        if (how.unit) {
#pragma unroll
            for (int d = 1; d < 8; d *= 2) square += __shfl_xor_sync(0xffffffffU, square, d);
            factor = rsqrtf(square + 1e-6F);
        }
        if (inverse && column == 0) inverse[row] = factor;
        factor *= how.scale;
        unsigned* to = reinterpret_cast<unsigned*>(tile + row * tile_stride(P));
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
            const float2 value = {y[i].x * factor, y[i].y * factor};
            const unsigned rounded = pack_bf16(value.x, value.y);
            to[column + 8 * i] = rounded;
            if (low) {
                const float2 kept = unpack_bf16(rounded);
                reinterpret_cast<unsigned*>(low + row * tile_stride(P))[column + 8 * i] =
                    pack_bf16(value.x - kept.x, value.y - kept.y);
            }
        }
    }
}

// A contiguous matrix of `rows` rows of W into a tile, by the block, on its way until wait_tiles().
template <int W>
__device__ __forceinline__ void load_tile(bf16* tile, const bf16* from, int rows) {
    for (int i = threadIdx.x; i < rows * (W / 8); i += threads) {
        const int row = i / (W / 8), column = i % (W / 8) * 8;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         shared_address(tile + row * tile_stride(W) + column)),
                     "l"(from + row * W + column));
    }
}
__device__ __forceinline__ void wait_tiles() { asm volatile("cp.async.wait_all;" ::: "memory"); }
template <int W>
__device__ __forceinline__ void save_tile(const bf16* tile, bf16* to, int rows) {
    for (int i = threadIdx.x; i < rows * (W / 8); i += threads) {
        const int row = i / (W / 8), column = i % (W / 8) * 8;
        store_pack(to + row * W + column, load_pack(tile + row * tile_stride(W) + column));
    }
}

// Triangular pairs of tokens: a warp's rows row0 .. +16 against all 64 columns; whole blocks of 16 beyond the
// diagonal are left out. Lower: rows i, columns j <= i. Upper, the same transposed: rows j, columns i >= j.
enum class Half { lower, upper };
template <Half H>
__device__ __forceinline__ bool in_half(int column, int row0) {
    return H == Half::lower ? column <= row0 : column >= row0;
}
// acc = A B^T, rows row0.. of A against all of B, both [64, K].
template <Half H, int K>
__device__ __forceinline__ void pairs(float (&acc)[8][4], const bf16* a, const bf16* b, int row0) {
    clear(acc);
#pragma unroll
    for (int k = 0; k < K; k += 16) {
        const FragmentA left = load_a(a, tile_stride(K), row0, k);
#pragma unroll
        for (int n = 0; n < chunk; n += 16) {
            if (!in_half<H>(n, row0)) continue;
            unsigned right[4];
            load_b(b, tile_stride(K), n, k, right);
            mma(acc[n / 8], left, right[0], right[1]);
            mma(acc[n / 8 + 1], left, right[2], right[3]);
        }
    }
}
// Pair (i, j) decays by exp(b_i - b_j); it counts where j <= i, Strict: j < i, and both are of one document.
template <Half H, bool Strict>
__device__ __forceinline__ void decay_pairs(float (&acc)[8][4], const Gates& g, int row0) {
    const int lane = threadIdx.x % 32;
    const int rows[2] = {row0 + lane / 4, row0 + lane / 4 + 8};
    const float b_row[2] = {g.b[rows[0]], g.b[rows[1]]};
    const int first_row[2] = {g.first[rows[0]], g.first[rows[1]]};
#pragma unroll
    for (int n = 0; n < 8; ++n) {
        if (!in_half<H>(n / 2 * 16, row0)) continue;
        const int column = n * 8 + 2 * (lane % 4);
        const float2 b_column = *reinterpret_cast<const float2*>(g.b + column);
        const int2 first_column = *reinterpret_cast<const int2*>(g.first + column);
#pragma unroll
        for (int x = 0; x < 4; ++x) {
            const int row = rows[x / 2], col = column + x % 2;
            const float b_col = x % 2 ? b_column.y : b_column.x;
            const int i = H == Half::lower ? row : col, j = H == Half::lower ? col : row;
            const int first = H == Half::lower ? first_row[x / 2] : x % 2 ? first_column.y : first_column.x;
            const float passed = H == Half::lower ? b_row[x / 2] - b_col : b_col - b_row[x / 2];
            acc[n][x] = (Strict ? j < i : j <= i) && first <= j ? acc[n][x] * exp_2(passed) : 0.0F;
        }
    }
}
// acc += pairs B, B [64, N].
template <Half H, int N>
__device__ __forceinline__ void add_pairs(float (&acc)[N / 8][4], const float (&a)[8][4], const bf16* b,
                                          int row0) {
#pragma unroll
    for (int k = 0; k < chunk; k += 16) {
        if (!in_half<H>(k, row0)) continue;
        const FragmentA left = to_fragment(a, k / 16);
#pragma unroll
        for (int n = 0; n < N; n += 16) {
            unsigned right[4];
            load_b_rows(b, tile_stride(N), k, n, right);
            mma(acc[n / 8], left, right[0], right[1]);
            mma(acc[n / 8 + 1], left, right[2], right[3]);
        }
    }
}

// An accumulator's two rows (row0 + lane / 4, + 8) scaled.
template <int N8>
__device__ __forceinline__ void scale_rows(float (&acc)[N8][4], const float* factor, int row0) {
    const int lane = threadIdx.x % 32;
    const float low = factor[row0 + lane / 4], high = factor[row0 + lane / 4 + 8];
#pragma unroll
    for (int n = 0; n < N8; ++n) {
        acc[n][0] *= low;
        acc[n][1] *= low;
        acc[n][2] *= high;
        acc[n][3] *= high;
    }
}
// The sums over the four lanes that hold a row, of its low and of its high row.
__device__ __forceinline__ float2 row_sum(float2 x) {
#pragma unroll
    for (int d = 1; d < 4; d *= 2) {
        x.x += __shfl_xor_sync(0xffffffffU, x.x, d);
        x.y += __shfl_xor_sync(0xffffffffU, x.y, d);
    }
    return x;
}

// Errors of the chunk's tokens, rows row0.. : E = E0 - W S.
template <int P>
__device__ __forceinline__ void errors(float (&e)[P / 8][4], const float* e0, const bf16* w,
                                       const bf16* state, int row0) {
    const int lane = threadIdx.x % 32;
    clear(e);
    multiply<P, P>(e, w, tile_stride(P), row0, state, tile_stride(P));
    const float* from = e0 + (row0 + lane / 4) * P + 2 * (lane % 4);
#pragma unroll
    for (int n = 0; n < P / 8; ++n) {
        const float2 low = *reinterpret_cast<const float2*>(from + n * 8);
        const float2 high = *reinterpret_cast<const float2*>(from + n * 8 + 8 * P);
        e[n][0] = low.x - e[n][0];
        e[n][1] = low.y - e[n][1];
        e[n][2] = high.x - e[n][2];
        e[n][3] = high.y - e[n][3];
    }
}

}  // namespace braid::kernels::cuda::delta
