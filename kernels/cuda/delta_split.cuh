// Products of numbers that are kept as two bfloat16, a high part and what its rounding lost: 16 bits of them
// count, not
// 8. The delta rule corrects itself from token to token, and rounding of its keys and writes adds up on the
// way.
#pragma once

#include "kernels/cuda/mma_tile.cuh"

namespace braid::kernels::cuda::delta {

constexpr int chunk = 64;

// 64 rows of W columns; the stride is tile_stride(W), as of all tiles.
template <int W>
struct SplitTile {
    alignas(16) bf16 high[chunk * tile_stride(W)];
    alignas(16) bf16 low[chunk * tile_stride(W)];
};
// What a product reads: one tile, or the two of a split one.
template <bool Two>
struct Operand {
    const bf16* high;
    const bf16* low;
};
__device__ __forceinline__ Operand<false> one(const bf16* tile) { return {tile, nullptr}; }
template <int W>
__device__ __forceinline__ Operand<true> two(const SplitTile<W>& tile) {
    return {tile.high, tile.low};
}

template <bool Two>
struct Left {
    FragmentA high, low;
};
__device__ __forceinline__ void split(float x, float y, unsigned& high, unsigned& low) {
    high = pack_bf16(x, y);
    const float2 kept = unpack_bf16(high);
    low = pack_bf16(x - kept.x, y - kept.y);
}
// Columns of two accumulators side by side (16 x 16).
__device__ __forceinline__ Left<true> to_left(const float (&a)[2][4]) {
    Left<true> left;
#pragma unroll
    for (int i = 0; i < 4; ++i)
        split(a[i / 2][i % 2 * 2], a[i / 2][i % 2 * 2 + 1], left.high.x[i], left.low.x[i]);
    return left;
}
template <bool Two>
__device__ __forceinline__ Left<Two> load_left(const Operand<Two>& a, int stride, int row0, int k) {
    Left<Two> left;
    left.high = load_a(a.high, stride, row0, k);
    if constexpr (Two) left.low = load_a(a.low, stride, row0, k);
    return left;
}
template <bool Two>
__device__ __forceinline__ Left<Two> load_left_transposed(const Operand<Two>& a, int stride, int row0,
                                                          int k) {
    Left<Two> left;
    left.high = load_a_transposed(a.high, stride, row0, k);
    if constexpr (Two) left.low = load_a_transposed(a.low, stride, row0, k);
    return left;
}
// Column k of the 16 counts factor[k] times.
template <bool Two>
__device__ __forceinline__ Left<true> scaled(const Left<Two>& left, const float* factor) {
    const int lane = threadIdx.x % 32;
    const float2 first = *reinterpret_cast<const float2*>(factor + 2 * (lane % 4));
    const float2 second = *reinterpret_cast<const float2*>(factor + 8 + 2 * (lane % 4));
    Left<true> result;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float2 x = unpack_bf16(left.high.x[i]);
        if constexpr (Two) {
            const float2 low = unpack_bf16(left.low.x[i]);
            x = {x.x + low.x, x.y + low.y};
        }
        const float2 f = i < 2 ? first : second;
        split(x.x * f.x, x.y * f.y, result.high.x[i], result.low.x[i]);
    }
    return result;
}

// Two neighbouring groups of 8 columns += A B; small terms first.
template <bool A, bool B>
__device__ __forceinline__ void mma_split(float (&acc0)[4], float (&acc1)[4], const Left<A>& a,
                                          const unsigned (&high)[4], const unsigned (&low)[4]) {
    if constexpr (A) {
        mma(acc0, a.low, high[0], high[1]);
        mma(acc1, a.low, high[2], high[3]);
    }
    if constexpr (B) {
        mma(acc0, a.high, low[0], low[1]);
        mma(acc1, a.high, low[2], low[3]);
    }
    mma(acc0, a.high, high[0], high[1]);
    mma(acc1, a.high, high[2], high[3]);
}
// acc (16 x N) += left (16 x 16) times rows k .. +16 of B [., N].
template <int N, bool A, bool B>
__device__ __forceinline__ void add_rows(float (&acc)[N / 8][4], const Left<A>& left, const Operand<B>& b,
                                         int k) {
#pragma unroll
    for (int n = 0; n < N; n += 16) {
        unsigned high[4], low[4];
        load_b_rows(b.high, tile_stride(N), k, n, high);
        if constexpr (B) load_b_rows(b.low, tile_stride(N), k, n, low);
        mma_split<A, B>(acc[n / 8], acc[n / 8 + 1], left, high, low);
    }
}
// acc (16 x 16) += left times columns k .. +16 of rows n0 .. +16 of B [., K], transposed.
template <int K, bool A, bool B>
__device__ __forceinline__ void add_columns(float (&acc0)[4], float (&acc1)[4], const Left<A>& left,
                                            const Operand<B>& b, int n0, int k) {
    unsigned high[4], low[4];
    load_b(b.high, tile_stride(K), n0, k, high);
    if constexpr (B) load_b(b.low, tile_stride(K), n0, k, low);
    mma_split<A, B>(acc0, acc1, left, high, low);
}

// acc += A B, rows row0 .. +16 of A [., P], B [P, P].
template <int P, bool A, bool B>
__device__ __forceinline__ void add_product(float (&acc)[P / 8][4], const Operand<A>& a, int row0,
                                            const Operand<B>& b) {
#pragma unroll
    for (int k = 0; k < P; k += 16) add_rows<P>(acc, load_left(a, tile_stride(P), row0, k), b, k);
}
// acc += A B^T.
template <int P, bool A, bool B>
__device__ __forceinline__ void add_product_of_rows(float (&acc)[P / 8][4], const Operand<A>& a, int row0,
                                                    const Operand<B>& b) {
#pragma unroll
    for (int k = 0; k < P; k += 16) {
        const Left<A> left = load_left(a, tile_stride(P), row0, k);
#pragma unroll
        for (int n = 0; n < P; n += 16) add_columns<P>(acc[n / 8], acc[n / 8 + 1], left, b, n, k);
    }
}
// acc += A^T diag(factor) B, columns row0 .. +16 of A [64, P], B [64, P].
template <int P, bool A, bool B>
__device__ __forceinline__ void add_transposed(float (&acc)[P / 8][4], const Operand<A>& a, int row0,
                                               const Operand<B>& b, const float* factor) {
#pragma unroll 1
    for (int k = 0; k < chunk; k += 16)
        add_rows<P>(acc, scaled(load_left_transposed(a, tile_stride(P), row0, k), factor + k), b, k);
}

template <int W>
__device__ __forceinline__ void store_split(const float (&acc)[W / 8][4], bf16* high, bf16* low, int row0) {
    const int at = (row0 + threadIdx.x % 32 / 4) * tile_stride(W) + 2 * (threadIdx.x % 4);
#pragma unroll
    for (int n = 0; n < W / 8; ++n)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            unsigned h, l;
            split(acc[n][2 * half], acc[n][2 * half + 1], h, l);
            *reinterpret_cast<unsigned*>(high + at + n * 8 + half * 8 * tile_stride(W)) = h;
            *reinterpret_cast<unsigned*>(low + at + n * 8 + half * 8 * tile_stride(W)) = l;
        }
}
template <int W>
__device__ __forceinline__ void store_split(const float (&acc)[W / 8][4], SplitTile<W>& tile, int row0) {
    store_split<W>(acc, tile.high, tile.low, row0);
}

}  // namespace braid::kernels::cuda::delta
