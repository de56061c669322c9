// Matrix products of bfloat16 tiles in shared memory by one warp: m16n8k16 with float32 sums (sm_80 and
// later).
//
// A tile is row-major with a row stride of width + tile_pad elements: 16-byte rows on an odd multiple of 16
// bytes, which ldmatrix reads without bank conflicts. Accumulators of a 16 x N product are float acc[N /
// 8][4]: acc[n][0..1] is row lane / 4, columns 8 n + 2 (lane % 4) + {0, 1}; acc[n][2..3] the same columns,
// row + 8.
#pragma once

#include "kernels/cuda/common.cuh"

namespace braid::kernels::cuda {

constexpr int tile_pad = 8;
__host__ __device__ constexpr int tile_stride(int width) { return width + tile_pad; }

// The 16 x 16 operand on the left, in registers.
struct FragmentA {
    unsigned x[4];
};

__device__ __forceinline__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// A[row0 .. +16][col0 .. +16] of a row-major tile.
__device__ __forceinline__ FragmentA load_a(const bf16* tile, int stride, int row0, int col0) {
    const int lane = threadIdx.x % 32;
    const bf16* p = tile + (row0 + lane % 16) * stride + col0 + (lane / 16) * 8;
    FragmentA a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a.x[0]), "=r"(a.x[1]), "=r"(a.x[2]), "=r"(a.x[3])
                 : "r"(shared_address(p)));
    return a;
}
// The same of the transposed tile: A[i][j] = tile[col0 + j][row0 + i].
__device__ __forceinline__ FragmentA load_a_transposed(const bf16* tile, int stride, int row0, int col0) {
    const int lane = threadIdx.x % 32;
    const bf16* p = tile + (col0 + lane % 8 + (lane / 16) * 8) * stride + row0 + ((lane / 8) % 2) * 8;
    FragmentA a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a.x[0]), "=r"(a.x[1]), "=r"(a.x[2]), "=r"(a.x[3])
                 : "r"(shared_address(p)));
    return a;
}

// The operand on the right for two neighbouring groups of 8 columns: B[16 x 16] with B[k][n] = tile[n0 +
// n][k0 + k] (columns of B are rows of the tile); b[0..1] belong to columns n0 .. +8, b[2..3] to n0 + 8 ..
// +16.
__device__ __forceinline__ void load_b(const bf16* tile, int stride, int n0, int k0, unsigned (&b)[4]) {
    const int lane = threadIdx.x % 32;
    const bf16* p = tile + (n0 + lane % 8 + (lane / 16) * 8) * stride + k0 + ((lane / 8) % 2) * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                 : "r"(shared_address(p)));
}
// With B[k][n] = tile[k0 + k][n0 + n].
__device__ __forceinline__ void load_b_rows(const bf16* tile, int stride, int k0, int n0, unsigned (&b)[4]) {
    const int lane = threadIdx.x % 32;
    const bf16* p = tile + (k0 + lane % 16) * stride + n0 + (lane / 16) * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                 : "r"(shared_address(p)));
}

__device__ __forceinline__ void mma(float (&acc)[4], const FragmentA& a, unsigned b0, unsigned b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ unsigned pack_bf16(float low, float high) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const unsigned*>(&pair);
}
__device__ __forceinline__ float2 unpack_bf16(unsigned x) {
    return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&x));
}

// Columns 16 k .. +16 of an accumulator as the left operand of the next product.
template <int N8>
__device__ __forceinline__ FragmentA to_fragment(const float (&acc)[N8][4], int k) {
    return {{pack_bf16(acc[2 * k][0], acc[2 * k][1]), pack_bf16(acc[2 * k][2], acc[2 * k][3]),
             pack_bf16(acc[2 * k + 1][0], acc[2 * k + 1][1]),
             pack_bf16(acc[2 * k + 1][2], acc[2 * k + 1][3])}};
}

// Blocks of 16 that a product is confined to, the same for the whole warp: what a causal mask leaves.
struct Blocks {
    int first = 0;
    int end = 1 << 20;
    __device__ bool has(int element) const { return element >= 16 * first && element < 16 * end; }
};

// acc (16 x N) += A (16 x K) B (K x N); A rows row0.. of a tile, B[k][n] = tile_b[n][k]: a product of rows.
template <int N, int K>
__device__ __forceinline__ void multiply_rows(float (&acc)[N / 8][4], const bf16* a, int stride_a, int row0,
                                              const bf16* b, int stride_b, const Blocks& columns = {}) {
#pragma unroll
    for (int k = 0; k < K; k += 16) {
        const FragmentA left = load_a(a, stride_a, row0, k);
#pragma unroll
        for (int n = 0; n < N; n += 16) {
            if (!columns.has(n)) continue;
            unsigned right[4];
            load_b(b, stride_b, n, k, right);
            mma(acc[n / 8], left, right[0], right[1]);
            mma(acc[n / 8 + 1], left, right[2], right[3]);
        }
    }
}
// One step of the products below: acc (16 x N) += left (16 x 16) B (16 x N), B the rows k.. of a tile.
template <int N>
__device__ __forceinline__ void multiply_step(float (&acc)[N / 8][4], const FragmentA& left, const bf16* b,
                                              int stride_b, int k) {
#pragma unroll
    for (int n = 0; n < N; n += 16) {
        unsigned right[4];
        load_b_rows(b, stride_b, k, n, right);
        mma(acc[n / 8], left, right[0], right[1]);
        mma(acc[n / 8 + 1], left, right[2], right[3]);
    }
}
// acc (16 x N) += A (16 x K) B (K x N); A rows row0.. of a tile, B[k][n] = tile_b[k][n].
template <int N, int K>
__device__ __forceinline__ void multiply(float (&acc)[N / 8][4], const bf16* a, int stride_a, int row0,
                                         const bf16* b, int stride_b) {
#pragma unroll
    for (int k = 0; k < K; k += 16) {
        const FragmentA left = load_a(a, stride_a, row0, k);
        multiply_step<N>(acc, left, b, stride_b, k);
    }
}
// The same with the left operand an accumulator of an earlier product (16 x K).
template <int N, int K>
__device__ __forceinline__ void multiply(float (&acc)[N / 8][4], const float (&a)[K / 8][4], const bf16* b,
                                         int stride_b, const Blocks& terms = {}) {
#pragma unroll
    for (int k = 0; k < K; k += 16) {
        if (!terms.has(k)) continue;
        const FragmentA left = to_fragment(a, k / 16);
        multiply_step<N>(acc, left, b, stride_b, k);
    }
}
// acc (16 x N) += A^T B with A[k][row0 + i] and B[k][n], both tiles of K rows (tokens); row k counts
// factor[k] times.
template <int N, int K>
__device__ __forceinline__ void multiply_transposed(float (&acc)[N / 8][4], const bf16* a, int stride_a,
                                                    int row0, const bf16* b, int stride_b,
                                                    const float* factor) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < K; k += 16) {
        FragmentA left = load_a_transposed(a, stride_a, row0, k);
        const float2 low = *reinterpret_cast<const float2*>(factor + k + 2 * (lane % 4));
        const float2 high = *reinterpret_cast<const float2*>(factor + k + 8 + 2 * (lane % 4));
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 f = i < 2 ? low : high;
            const float2 x = unpack_bf16(left.x[i]);
            left.x[i] = pack_bf16(x.x * f.x, x.y * f.y);
        }
        multiply_step<N>(acc, left, b, stride_b, k);
    }
}

template <int N8>
__device__ __forceinline__ void clear(float (&acc)[N8][4]) {
#pragma unroll
    for (int n = 0; n < N8; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) acc[n][i] = 0.0F;
}

// Every row of this warp times its factor.
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

// f(row, column, value) for every element of an accumulator whose first row is row0.
template <int N8, class F>
__device__ __forceinline__ void for_elements(float (&acc)[N8][4], int row0, F f) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int n = 0; n < N8; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i)
            f(row0 + lane / 4 + (i / 2) * 8, n * 8 + 2 * (lane % 4) + i % 2, acc[n][i]);
}

// An accumulator rounded into rows row0.. of a tile.
template <int N8>
__device__ __forceinline__ void store_tile(const float (&acc)[N8][4], bf16* tile, int stride, int row0) {
    const int lane = threadIdx.x % 32;
    bf16* p = tile + (row0 + lane / 4) * stride + 2 * (lane % 4);
#pragma unroll
    for (int n = 0; n < N8; ++n) {
        *reinterpret_cast<unsigned*>(p + n * 8) = pack_bf16(acc[n][0], acc[n][1]);
        *reinterpret_cast<unsigned*>(p + n * 8 + 8 * stride) = pack_bf16(acc[n][2], acc[n][3]);
    }
}

}  // namespace braid::kernels::cuda
