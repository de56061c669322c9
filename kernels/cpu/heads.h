// One head of a [batch, tokens, heads, head_dim] tensor as the attention kernels want it: rows or columns in
// whole vectors, and the keys that a query sees.
#pragma once

#include "kernels/attention.h"
#include "kernels/cpu/simd.h"

namespace braid::kernels::cpu::BRAID_LEVEL {

BRAID_INLINE std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
BRAID_INLINE std::int64_t most(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
template <class T>
BRAID_INLINE std::int64_t padded(std::int64_t n) {
    return (n + width<T> - 1) / width<T> * width<T>;
}

// One head as rows [tokens] of `cols` columns, cols a multiple of the vector width: the tensor itself where
// its head dimension is one, else a zero-padded copy.
template <class T>
struct Rows {
    const T* data;
    std::int64_t stride;
    const T* row(std::int64_t t) const { return data + t * stride; }
};

template <class T>
Rows<T> rows_of(const Heads<const T>& heads, std::int64_t b, std::int64_t h, const AttentionShape& s,
                T* copy) {
    const std::int64_t cols = padded<T>(s.head_dim);
    const T* from = heads.at(b, h);
    if (cols == s.head_dim) return {from, heads.token_stride};
    for (std::int64_t t = 0; t < s.tokens; ++t)
        for (std::int64_t c = 0; c < cols; ++c)
            copy[t * cols + c] = c < s.head_dim ? from[t * heads.token_stride + c] : T(0);
    return {copy, cols};
}

// Lanes of two vectors for step 2^r of a transpose in registers: swaps the off-diagonal squares of that size.
template <class T>
struct Swaps {
    alignas(64) typename Simd<T>::Lane first[4][width<T>] = {}, second[4][width<T>] = {};
    constexpr Swaps() {
        for (int r = 0; r < 4; ++r)
            for (std::int64_t i = 0; i < width<T>; ++i) {
                const std::int64_t size = std::int64_t{1} << r;
                const bool upper = (i & size) != 0;
                first[r][i] = static_cast<typename Simd<T>::Lane>(upper ? width<T> + (i ^ size) : i);
                second[r][i] = static_cast<typename Simd<T>::Lane>(upper ? width<T> + i : i ^ size);
            }
    }
};
template <class T>
inline constexpr Swaps<T> swaps;

// to[c][t] = from[t][c] for a square of the vector width.
template <class T>
BRAID_INLINE void transpose_square(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride) {
    using Bits = typename Simd<T>::Bits;
    Vector<T> rows[width<T>];
#pragma GCC unroll 16
    for (int i = 0; i < width<T>; ++i) rows[i] = load(from + i * from_stride);
#pragma GCC unroll 4
    for (int r = 0; r < halvings<T>; ++r)
#pragma GCC unroll 16
        for (int i = 0; i < width<T>; ++i) {
            if ((i >> r) & 1) continue;
            const Vector<T> a = rows[i], b = rows[i + (1 << r)];
            rows[i] = __builtin_shuffle(a, b, *reinterpret_cast<const Bits*>(swaps<T>.first[r]));
            rows[i + (1 << r)] = __builtin_shuffle(a, b, *reinterpret_cast<const Bits*>(swaps<T>.second[r]));
        }
#pragma GCC unroll 16
    for (int i = 0; i < width<T>; ++i) store(to + i * to_stride, rows[i]);
}

// [head_dim][padded tokens], zero beyond the last token.
template <class T>
void transpose(const Heads<const T>& heads, std::int64_t b, std::int64_t h, const AttentionShape& s, T* to) {
    const std::int64_t stride = padded<T>(s.tokens), step = heads.token_stride;
    const T* from = heads.at(b, h);
    const std::int64_t whole_tokens = s.tokens / width<T> * width<T>,
                       whole_cols = s.head_dim / width<T> * width<T>;
    for (std::int64_t t = 0; t < whole_tokens; t += width<T>)
        for (std::int64_t c = 0; c < whole_cols; c += width<T>)
            transpose_square(from + t * step + c, step, to + c * stride + t, stride);
    for (std::int64_t t = 0; t < s.tokens; ++t)
        for (std::int64_t c = t < whole_tokens ? whole_cols : 0; c < s.head_dim; ++c)
            to[c * stride + t] = from[t * step + c];
    for (std::int64_t c = 0; c < s.head_dim; ++c)
        for (std::int64_t t = s.tokens; t < stride; ++t) to[c * stride + t] = 0;
}

// Keys that some row of [first, last) sees, rounded outwards to whole vectors (and so, maybe, beyond the
// tokens).
struct Range {
    std::int64_t begin, end;
};
template <class T>
BRAID_INLINE Range keys_of(const AttentionShape& s, std::int64_t b, std::int64_t first, std::int64_t last) {
    const std::int64_t start = s.start(b, first);
    const std::int64_t begin = s.window > 0 ? most(start, first - s.window + 1) : start;
    return {begin / width<T> * width<T>, padded<T>(last)};
}

// The visible keys of row t, counted from `origin`.
BRAID_INLINE Range visible(const AttentionShape& s, std::int64_t b, std::int64_t t, std::int64_t origin) {
    const std::int64_t start = s.start(b, t);
    return {(s.window > 0 ? most(start, t - s.window + 1) : start) - origin, t + 1 - origin};
}

// x[i] for i in [begin, end) of a row, vectors that begin at whole multiples; f(vector, mask of lanes
// inside).
template <class T, class F>
BRAID_INLINE void visit(const Range& inside, std::int64_t begin, std::int64_t end, F&& f) {
    using Lane = typename Simd<T>::Lane;
    typename Simd<T>::Bits lane;
    for (std::int64_t i = 0; i < width<T>; ++i) lane[i] = Lane(i);
    for (std::int64_t i = begin; i < end; i += width<T>) {
        const auto at = lane + Lane(i);
        f(i, (at >= Lane(inside.begin)) & (at < Lane(inside.end)));
    }
}

}  // namespace braid::kernels::cpu::BRAID_LEVEL
