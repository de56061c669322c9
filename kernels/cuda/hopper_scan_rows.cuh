// Rows of heads on their way between memory, tiles in shared memory and the accumulators of products: what
// the kernels of hopper_scan.h read and write.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/head_vectors.h"
#include "kernels/cuda/hopper.cuh"
#include "kernels/cuda/hopper_scan_move.cuh"

namespace braid::kernels::cuda::hopper {

constexpr int block_rows = 64;
constexpr int tile_width = 64;
constexpr int tile_elements = block_rows * tile_width;
constexpr int chunk_elements = 2 * tile_elements;  // of a chunk's tokens

// Which warpgroup of the block, in a form that the compiler knows to be the same for a whole warp.
__device__ __forceinline__ int warpgroup_index() {
    return __shfl_sync(~0U, static_cast<int>(threadIdx.x) / warpgroup, 0);
}

// Tiles begin at multiples of 1024 bytes: so does dynamic shared memory that is declared so, where there is
// no other.
__device__ __forceinline__ void check_alignment(const void* memory) {
    if (shared_address(memory) % 1024 != 0) __trap();
}

// Columns of a state in memory: whole pieces of 16 bytes.
__host__ __device__ constexpr int state_columns(int value_dim) { return (value_dim + 7) / 8 * 8; }

// Element (row, 8 piece) of a tile, as tile_descriptor() has it.
__device__ __forceinline__ int place(int row, int piece) {
    return row * tile_width + ((piece ^ (row & 7)) << 3);
}

// ---- rows of heads -------------------------------------------------------------------------------

// The heads of a vector as kernels see them.
struct Heads {
    bf16* data;
    std::int64_t batch, row, head;
    int shared;   // states of a head
    int inverse;  // 2^16 divided by it
    int width;
    int together;  // elements that may be moved at once: 8, 2 or 1
};
inline Heads heads_of(const HeadVectors& x, int width, int states) {
    const std::int64_t bits =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x.data) / sizeof(bf16)) | x.batch | x.row |
        x.head | width;
    return {x.data,
            x.batch,
            x.row,
            x.head,
            states / x.heads,
            (65535 + states / x.heads) / (states / x.heads),
            width,
            bits % 8 == 0   ? 8
            : bits % 2 == 0 ? 2
                            : 1};
}

// Head of the nth state from a multiple of `shared` on, counted from there; -1 before.
__device__ __forceinline__ int nth_head(const Heads& x, int n) { return n * x.inverse >> 16; }
__device__ __forceinline__ bool begins_head(const Heads& x, int n) {
    return nth_head(x, n) != nth_head(x, n - 1);
}

// Rows of one head from some token on; what lies behind `rows` or `width` is zero in a tile.
struct Rows {
    bf16* data;
    int stride;
    int width;
    int rows;
    int together;
};
__device__ __forceinline__ Rows rows_of(const Heads& x, int batch, int head, int first, int tokens) {
    const int token = static_cast<int>(again(first));
    return {x.data + batch * x.batch + token * x.row + head * x.head, static_cast<int>(x.row), x.width,
            tokens - token, x.together};
}
// Rows that kernels keep for each other.
__device__ __forceinline__ Rows state_rows(const bf16* data, int key_dim, int columns) {
    return {const_cast<bf16*>(data), columns, columns, key_dim, 8};
}

// Calls f(row, piece, place) for the pieces of `Count` rows that the `thread`th of so many threads cares for.
template <int Count, int Threads, class F>
__device__ __forceinline__ void for_pieces(int thread, F f) {
    static_assert(Threads % 64 == 0);
    const unsigned t = again(thread);
    const int first = static_cast<int>(t / 8), piece = static_cast<int>(t % 8), at = place(first, piece);
#pragma unroll
    for (int row = 0; row < Count; row += Threads / 8)
        if (Count % (Threads / 8) == 0 || row + first < Count) f(row + first, piece, at + row * tile_width);
}

// Starts copying; copies_wait() before this thread, and a barrier before others see them.
template <int Count, int Threads>
__device__ __forceinline__ void copy_rows(bf16* tile, const Rows& from, int thread) {
    if (from.together == 8) {
        for_pieces<Count, Threads>(thread, [&](int row, int piece, int at) {
            const bool there = row < from.rows && 8 * piece < from.width;
            copy_async<16>(tile + at, there ? from.data + row * from.stride + 8 * piece : from.data, there);
        });
        return;
    }
#pragma unroll 1
    for (unsigned i = again(thread); i < Count * 8; i += Threads) {
        const int row = static_cast<int>(i / 8), piece = static_cast<int>(i % 8),
                  left = row < from.rows ? from.width - 8 * piece : 0;
        bf16* const to = tile + place(row, piece);
        const bf16* const at = from.data + row * from.stride + 8 * piece;
        if (from.together == 2) {
#pragma unroll
            for (int j = 0; j < 8; j += 2) copy_async<4>(to + j, j < left ? at + j : from.data, j < left);
        } else {
            for (int j = 0; j < 8; ++j) to[j] = j < left ? at[j] : from_float<bf16>(0.0F);
        }
    }
}

// silu of 2 half and its derivative.
__device__ __forceinline__ float2 silu_of(float half) {
    const float t = tanh_fast(half), sigmoid = fmaf(0.5F, t, 0.5F);
    return {fmaf(half, t, half), fmaf(sigmoid, fmaf(-half, t, half), sigmoid)};
}

// silu of the pieces that this thread copied. With Slope, `slope` gets the derivative.
template <int Count, int Threads, bool Slope = false>
__device__ __forceinline__ void apply_silu(bf16* tile, int thread, bf16* slope = nullptr) {
    for_pieces<Count, Threads>(thread, [&](int, int, int at) {
        const uint4 from = *reinterpret_cast<const uint4*>(tile + at);
        const unsigned x[4] = {from.x, from.y, from.z, from.w};
        unsigned y[4], d[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 half = unpack_pair(half_pair(x[i]));
            const float2 first = silu_of(half.x), second = silu_of(half.y);
            y[i] = pack_pair(first.x, second.x);
            d[i] = pack_pair(first.y, second.y);
        }
        *reinterpret_cast<uint4*>(tile + at) = make_uint4(y[0], y[1], y[2], y[3]);
        if (Slope) *reinterpret_cast<uint4*>(slope + at) = make_uint4(d[0], d[1], d[2], d[3]);
    });
}

// ---- accumulators of 64 x 64 ---------------------------------------------------------------------

// Row of d[4 n], d[4 n + 1] within the 64; d[4 n + 2], d[4 n + 3] lie eight below. Columns 8 n + column() and
// the next.
__device__ __forceinline__ int lane_row() {
    const unsigned thread = again(threadIdx.x);
    return static_cast<int>(thread % warpgroup / 32 * 16 + thread % 32 / 4);
}
__device__ __forceinline__ int lane_column() { return static_cast<int>(again(threadIdx.x) % 4 * 2); }

__device__ __forceinline__ void clear(float (&d)[32]) {
#pragma unroll
    for (int i = 0; i < 32; ++i) d[i] = 0.0F;
}
__device__ __forceinline__ void scale_rows(float (&d)[32], const float* factor) {
    const float low = factor[lane_row()], high = factor[lane_row() + 8];
#pragma unroll
    for (int i = 0; i < 32; ++i) d[i] *= i % 4 < 2 ? low : high;
}
__device__ __forceinline__ void scale_all(float (&d)[32], float factor) {
    if (factor == 1.0F) return;
#pragma unroll
    for (int i = 0; i < 32; ++i) d[i] *= factor;
}
// Columns 16 k .. +16 of a tile's 64 rows, as an accumulator has them: x[i] belongs to d[8 k + 2 i] and the
// next.
__device__ __forceinline__ void load_like(const bf16* tile, int k, unsigned (&x)[4]) {
    const unsigned thread = again(threadIdx.x), lane = thread % 32;
    const int row = static_cast<int>(thread % warpgroup / 32 * 16 + lane % 16);
    load_matrices(x, tile + place(row, 2 * k + static_cast<int>(lane / 16)));
}
// f(i, x, y) with what the tile has where d[2 i] and d[2 i + 1] are.
template <class F>
__device__ __forceinline__ void with_tile(const bf16* tile, F f) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        unsigned x[4];
        load_like(tile, k, x);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 pair = unpack_pair(x[i]);
            f(4 * k + i, pair.x, pair.y);
        }
    }
}
// Sums along the rows of d times the tile: row lane_row(), and the one eight below.
__device__ __forceinline__ float2 row_sums(const float (&d)[32], const bf16* tile) {
    float sum[2] = {0, 0};
    with_tile(tile, [&](int i, float x, float y) { sum[i % 2] += d[2 * i] * x + d[2 * i + 1] * y; });
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int offset = 1; offset < 4; offset *= 2) sum[half] += __shfl_xor_sync(~0U, sum[half], offset);
    return {sum[0], sum[1]};
}

// The whole sum of products of two tiles, this thread's part of it.
__device__ __forceinline__ float tile_products(const bf16* a, const bf16* b) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        unsigned x[4], y[4];
        load_like(a, k, x);
        load_like(b, k, y);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 left = unpack_pair(x[i]), right = unpack_pair(y[i]);
            sum += left.x * right.x + left.y * right.y;
        }
    }
    return sum;
}

// Four lanes side by side hold x[0 .. 4] each; afterwards lane i holds what all four had in x[i].
__device__ __forceinline__ void transpose_quad(unsigned (&x)[4]) {
    const int lane = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
        const bool low = lane % 2 == 0;
        const unsigned got = __shfl_xor_sync(~0U, low ? x[i + 1] : x[i], 1);
        x[i] = low ? x[i] : got;
        x[i + 1] = low ? got : x[i + 1];
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const bool low = lane < 2;
        const unsigned got = __shfl_xor_sync(~0U, low ? x[i + 2] : x[i], 2);
        x[i] = low ? x[i] : got;
        x[i + 2] = low ? got : x[i + 2];
    }
}

// 64 rows to memory; row 0 of `to` is row 0 of d.
__device__ __forceinline__ void write_rows(const float (&d)[32], const Rows& to) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int half = i / 2, n = i % 2 * 4, row = lane_row() + 8 * half;
        unsigned x[4];
#pragma unroll
        for (int j = 0; j < 4; ++j)
            x[j] = pack_pair(d[4 * (n + j) + 2 * half], d[4 * (n + j) + 2 * half + 1]);
        transpose_quad(x);
        const int column = 8 * (n + static_cast<int>(threadIdx.x) % 4);
        bf16* const at = to.data + row * to.stride + column;
        const int left = row < to.rows ? to.width - column : 0;
        if (to.together == 8) {
            if (left > 0) *reinterpret_cast<uint4*>(at) = make_uint4(x[0], x[1], x[2], x[3]);
            continue;
        }
#pragma unroll
        for (int j = 0; j < 8; j += 2) {
            if (to.together == 2) {
                if (j < left) *reinterpret_cast<unsigned*>(at + j) = x[j / 2];
            } else {
                const float2 pair = unpack_pair(x[j / 2]);
                if (j < left) at[j] = from_float<bf16>(pair.x);
                if (j + 1 < left) at[j + 1] = from_float<bf16>(pair.y);
            }
        }
    }
}

// d times the derivative of silu at the rows of x.
__device__ __forceinline__ void scale_by_slope(float (&d)[32], const Rows& from) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int half = i / 2, n = i % 2 * 4, row = lane_row() + 8 * half;
        const int column = 8 * (n + static_cast<int>(threadIdx.x) % 4);
        const bf16* const at = from.data + row * from.stride + column;
        const int left = row < from.rows ? from.width - column : 0;
        uint4 piece = make_uint4(0, 0, 0, 0);
        if (from.together == 8) {
            if (left > 0) piece = *reinterpret_cast<const uint4*>(at);
        } else {
            const auto pair = [&](int j) {
                return pack_pair(j < left ? to_float(at[j]) : 0.0F,
                                 j + 1 < left ? to_float(at[j + 1]) : 0.0F);
            };
            piece = make_uint4(pair(0), pair(2), pair(4), pair(6));
        }
        unsigned x[4] = {piece.x, piece.y, piece.z, piece.w};
        transpose_quad(x);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 pair = unpack_pair(half_pair(x[j]));
            d[4 * (n + j) + 2 * half] *= silu_of(pair.x).y;
            d[4 * (n + j) + 2 * half + 1] *= silu_of(pair.y).y;
        }
    }
}

}  // namespace braid::kernels::cuda::hopper
