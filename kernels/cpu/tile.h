// Small matrix products in registers, for operands that live in cache.
#pragma once

#include "kernels/cpu/simd.h"

namespace braid::kernels::cpu::BRAID_LEVEL {

#if BRAID_VECTOR_BYTES == 64
inline constexpr int strip_rows = 12;  // 12 x 2 accumulators of 32 registers
#else
inline constexpr int strip_rows = 6;  // 6 x 2 of 16
#endif

// c[rows, vectors * width] (+)= a b: a[m][k] = a[m * a_row + k * a_col], b[k][n] = b[k * b_row + n].
template <class T, int rows, int vectors>
BRAID_INLINE void tile(std::int64_t depth, const T* a, std::int64_t a_row, std::int64_t a_col, const T* b,
                       std::int64_t b_row, T* c, std::int64_t c_row, bool accumulate) {
    Vector<T> sum[rows][vectors];
#pragma GCC unroll 16
    for (int m = 0; m < rows; ++m)
#pragma GCC unroll 2
        for (int n = 0; n < vectors; ++n)
            sum[m][n] = accumulate ? load(c + m * c_row + n * width<T>) : Vector<T>{};
    for (std::int64_t k = 0; k < depth; ++k) {
        Vector<T> right[vectors];
#pragma GCC unroll 2
        for (int n = 0; n < vectors; ++n) right[n] = load(b + k * b_row + n * width<T>);
#pragma GCC unroll 16
        for (int m = 0; m < rows; ++m) {
            const Vector<T> left = splat<T>(a[m * a_row + k * a_col]);
#pragma GCC unroll 2
            for (int n = 0; n < vectors; ++n) sum[m][n] += left * right[n];
        }
    }
#pragma GCC unroll 16
    for (int m = 0; m < rows; ++m)
#pragma GCC unroll 2
        for (int n = 0; n < vectors; ++n) store(c + m * c_row + n * width<T>, sum[m][n]);
}

template <class T, int vectors>
BRAID_INLINE void strip(int rows, std::int64_t depth, const T* a, std::int64_t a_row, std::int64_t a_col,
                        const T* b, std::int64_t b_row, T* c, std::int64_t c_row, bool accumulate) {
    switch (rows) {
#define BRAID_ROWS(n) \
    case n:           \
        return tile<T, n, vectors>(depth, a, a_row, a_col, b, b_row, c, c_row, accumulate)
        BRAID_ROWS(1);
        BRAID_ROWS(2);
        BRAID_ROWS(3);
        BRAID_ROWS(4);
        BRAID_ROWS(5);
        BRAID_ROWS(6);
#if BRAID_VECTOR_BYTES == 64
        BRAID_ROWS(7);
        BRAID_ROWS(8);
        BRAID_ROWS(9);
        BRAID_ROWS(10);
        BRAID_ROWS(11);
        BRAID_ROWS(12);
#endif
#undef BRAID_ROWS
    }
}

// c[rows, cols] (+)= a b for up to strip_rows rows; cols is a multiple of width<T>.
template <class T>
[[gnu::noinline]] void strip_product(int rows, std::int64_t cols, std::int64_t depth, const T* a,
                                     std::int64_t a_row, std::int64_t a_col, const T* b, std::int64_t b_row,
                                     T* c, std::int64_t c_row, bool accumulate) {
    std::int64_t n = 0;
    for (; n + 2 * width<T> <= cols; n += 2 * width<T>)
        strip<T, 2>(rows, depth, a, a_row, a_col, b + n, b_row, c + n, c_row, accumulate);
    if (n < cols) strip<T, 1>(rows, depth, a, a_row, a_col, b + n, b_row, c + n, c_row, accumulate);
}

}  // namespace braid::kernels::cpu::BRAID_LEVEL
