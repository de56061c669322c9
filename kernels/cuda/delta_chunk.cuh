// What the kernels of the delta rule share: a block of four warps works on one chunk of one state, each warp
// on 16 of its 64 tokens.
#pragma once

#include "kernels/cuda/delta_rule.h"
#include "kernels/cuda/delta_split.cuh"

namespace braid::kernels::cuda::delta {

constexpr int threads = 128;

// Rows of a head are padded with zeros to P = 16, 32, 48 or 64.
inline int padded_dim(const DeltaShape& s) {
    return ceil_div(s.key_dim > s.value_dim ? s.key_dim : s.value_dim, 16) * 16;
}

// Intermediate results of all N = batch * states * chunks chunks.
struct Work {
    bf16* w;    // [N, 64, P]
    float* e0;  // [N, 64, P]: what V contributes to the errors
    // [N, P/16, P/16, 32] M, backwards M^T: left operands of 16 x 16, as the lanes hold them.
    uint4* m;
    // [N, P/16, P/16, 2, 32] N, backwards what the outputs ask of the state: accumulators of 16 x 16.
    float4* n;
    float* pass;  // [N] exp(b_C): how much of the state goes through
    // Backward only.
    bf16* t;        // [N, 64, 64]
    float* dwrite;  // [N, 64, P] gradient of U by the chunk's own outputs
    bf16* dafter;   // [N, P, P] gradient of the state after the chunk
    int chunks;     // of a sequence
};

// The stages, in the order of their use.
cudaError_t prepare(const DeltaRule& p, const Work& w, bool backward, cudaStream_t stream);
cudaError_t scan(const DeltaRule& p, const Work& w, float* last, cudaStream_t stream);
cudaError_t output(const DeltaRule& p, const Work& w, const DeltaHeads<bf16>& o, cudaStream_t stream);
cudaError_t ask(const DeltaRule& p, const Work& w, const DeltaHeads<const bf16>& d_o, cudaStream_t stream);
cudaError_t scan_back(const DeltaRule& p, const Work& w, cudaStream_t stream);
cudaError_t gradient(const DeltaRule& p, const Work& w, const DeltaGradient& to, cudaStream_t stream);
// Shared memory of a block of gradient(), the stage that needs most.
int gradient_bytes(const DeltaShape& shape);

// Starts a kernel with one block a chunk.
template <class Kernel, class... Args>
cudaError_t launch_chunks(Kernel kernel, const DeltaRule& p, std::size_t shared, cudaStream_t stream,
                          const Args&... args) {
    if (const cudaError_t status = allow_shared(kernel, shared); status != cudaSuccess) return status;
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
// Volatile: elsewise it hides behind a branch for every element that a mask may leave out.
__device__ __forceinline__ float exp_2(float x) {
    float y;
    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
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
        g.beta[t] = !real ? 0.0F : p.beta ? p.beta[(row + t) * p.shape.states + at.s] : 1.0F;
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
    bool unit;
    float scale;
    float slope, offset;  // of the exponent of sigmoid()
};
__device__ __forceinline__ Reading reading(int dim, bool silu, bool unit, float scale) {
    return {dim, unit, scale, silu ? -1.4426950408889634F : 0.0F, silu ? 0.0F : -INFINITY};
}
__device__ __forceinline__ Reading reading_q(const DeltaRule& p) {
    return reading(p.shape.key_dim, p.silu, p.unit, p.scale);
}
__device__ __forceinline__ Reading reading_k(const DeltaRule& p) {
    return reading(p.shape.key_dim, p.silu, p.unit, 1.0F);
}
__device__ __forceinline__ Reading reading_v(const DeltaRule& p) {
    return reading(p.shape.value_dim, p.silu, false, 1.0F);
}
// 1 / (1 + exp(-x)); where there is no silu, 1: so silu is x times it in either case, without a branch.
__device__ __forceinline__ float sigmoid(const Reading& how, float x) {
    float y;
    asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(1.0F + exp_2(fmaf(x, how.slope, how.offset))));
    return y;
}

// Rows row0 .. +16 of the chunk, by one warp, eight lanes a row: from words of global memory to f(row, word,
// value) and back.
template <int P, class F>
__device__ __forceinline__ void for_words(int row0, F f) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int i = 0; i < P / 16; ++i) f(row0 + 4 * r + lane / 8, lane % 8 + 8 * i);
}
// As they are, on their way until wait_tiles(); zeros behind the last.
template <int P>
__device__ __forceinline__ void copy_rows(bf16* tile, const bf16* x, std::int64_t row_stride, int row0,
                                          int count, int dim) {
    for_words<P>(row0, [&](int row, int word) {
        const bool real = row < count && word < dim / 2;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                         shared_address(tile + row * tile_stride(P) + 2 * word)),
                     "l"(real ? x + row * row_stride + 2 * word : x), "r"(real ? 4 : 0));
    });
}
template <int P>
__device__ __forceinline__ void store_rows(const bf16* tile, bf16* x, std::int64_t row_stride, int row0,
                                           int count, int dim) {
    for_words<P>(row0, [&](int row, int word) {
        if (row < count && word < dim / 2)
            *reinterpret_cast<unsigned*>(x + row * row_stride + 2 * word) =
                *reinterpret_cast<const unsigned*>(tile + row * tile_stride(P) + 2 * word);
    });
}

// Where rows that are read go; what is null is left out.
struct RowsTo {
    bf16* high;
    bf16* low;
    bf16* raw = nullptr;       // the rows as they are
    float* inverse = nullptr;  // 1 / length
};
template <int P>
__device__ __forceinline__ void load_rows(const RowsTo& to, const bf16* x, std::int64_t row_stride, int row0,
                                          int count, const Reading& how) {
    constexpr int per_lane = P / 16;
    const int column = threadIdx.x % 8;
    unsigned raw[4 * per_lane];
    int next = 0;
    for_words<P>(row0, [&](int row, int word) {
        raw[next++] = row < count && word < how.dim / 2
                          ? *reinterpret_cast<const unsigned*>(x + row * row_stride + 2 * word)
                          : 0U;
    });
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int row = row0 + 4 * r + threadIdx.x % 32 / 8;
        float2 y[per_lane];
        float square = 0.0F;
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
            const float2 x = unpack_bf16(raw[r * per_lane + i]);
            y[i] = {x.x * sigmoid(how, x.x), x.y * sigmoid(how, x.y)};
            square += y[i].x * y[i].x + y[i].y * y[i].y;
        }
        float factor = 1.0F;
        if (how.unit) {
#pragma unroll
            for (int d = 1; d < 8; d *= 2) square += __shfl_xor_sync(0xffffffffU, square, d);
            factor = rsqrtf(square + 1e-6F);
        }
        if (to.inverse && column == 0) to.inverse[row] = factor;
        factor *= how.scale;
        const int first = row * tile_stride(P) + 2 * column;
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
            const float2 value = {y[i].x * factor, y[i].y * factor};
            unsigned high, low;
            split(value.x, value.y, high, low);
            *reinterpret_cast<unsigned*>(to.high + first + 16 * i) = high;
            *reinterpret_cast<unsigned*>(to.low + first + 16 * i) = low;
            if (to.raw) *reinterpret_cast<unsigned*>(to.raw + first + 16 * i) = raw[r * per_lane + i];
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

// Triangular pairs of tokens: a warp's rows row0 .. +16 against blocks of 16 columns up to, or from, the
// diagonal. Lower: rows i, columns j <= i. Upper, the same transposed: rows j, columns i >= j.
enum class Half { lower, upper };

// Products of rows with rows column0 .. +16 of B [64, K]. Pair (i, j) decays by exp(b_i - b_j); it counts
// where j <= i, Strict: j < i, and both are of one document.
template <Half H, bool Strict, int K, bool A, bool B>
__device__ __forceinline__ void pair_block(float (&pairs)[2][4], const Operand<A>& a, const Operand<B>& b,
                                           const Gates& g, int row0, int column0) {
    clear(pairs);
#pragma unroll
    for (int k = 0; k < K; k += 16)
        add_columns<K>(pairs[0], pairs[1], load_left(a, tile_stride(K), row0, k), b, column0, k);
    for_elements(pairs, 0, [&](int r, int c, float& pair) {
        const int row = row0 + r, column = column0 + c;
        const int i = H == Half::lower ? row : column, j = H == Half::lower ? column : row;
        const bool counts = (Strict ? j < i : j <= i) & (g.first[i] <= j);
        const float factor = exp_2(g.b[i] - g.b[j]);
        pair *= counts ? factor : 0.0F;
    });
}
// acc += pairs(A, B) C, rows row0.. of A [64, P], B and C [64, P].
template <Half H, bool Strict, int P, bool A, bool B, bool C>
__device__ __forceinline__ void add_pairs(float (&acc)[P / 8][4], const Operand<A>& a, const Operand<B>& b,
                                          const Operand<C>& c, const Gates& g, int row0) {
    const int begin = H == Half::lower ? 0 : row0, end = H == Half::lower ? row0 + 16 : chunk;
#pragma unroll 1
    for (int column = begin; column < end; column += 16) {
        float pairs[2][4];
        pair_block<H, Strict, P>(pairs, a, b, g, row0, column);
        add_rows<P>(acc, to_left(pairs), c, column);
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

// acc = x - acc, or x + acc, x: rows row0.. of a float32 matrix [64, P].
template <int P, bool Subtract>
__device__ __forceinline__ void from_rows(float (&acc)[P / 8][4], const float* x, int row0) {
    const int lane = threadIdx.x % 32;
    const float* from = x + (row0 + lane / 4) * P + 2 * (lane % 4);
#pragma unroll
    for (int n = 0; n < P / 8; ++n)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float2 y = *reinterpret_cast<const float2*>(from + n * 8 + half * 8 * P);
            acc[n][2 * half] = y.x + (Subtract ? -acc[n][2 * half] : acc[n][2 * half]);
            acc[n][2 * half + 1] = y.y + (Subtract ? -acc[n][2 * half + 1] : acc[n][2 * half + 1]);
        }
}
template <int P>
__device__ __forceinline__ void save_rows(const float (&acc)[P / 8][4], float* x, int row0) {
    const int lane = threadIdx.x % 32;
    float* to = x + (row0 + lane / 4) * P + 2 * (lane % 4);
#pragma unroll
    for (int n = 0; n < P / 8; ++n)
#pragma unroll
        for (int half = 0; half < 2; ++half)
            *reinterpret_cast<float2*>(to + n * 8 + half * 8 * P) = {acc[n][2 * half], acc[n][2 * half + 1]};
}
// Errors of the chunk's tokens, rows row0.. : E = E0 - W S.
template <int P>
__device__ __forceinline__ void errors(float (&e)[P / 8][4], const float* e0, const bf16* w,
                                       const bf16* state, int row0) {
    clear(e);
    add_product<P>(e, one(w), row0, one(state));
    from_rows<P, true>(e, e0, row0);
}

}  // namespace braid::kernels::cuda::delta
