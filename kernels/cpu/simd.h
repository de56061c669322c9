// Vectors of the instruction level that the including file is compiled for. Files of a level are compiled
// once per level (see CMakeLists.txt) and hold everything in BRAID_LEVEL, a namespace of that level's name.
//
// Nothing of the C++ library may be used in them: an inline function of it, compiled for AVX-512, could be
// the copy that the linker keeps for the whole program, which then dies on an older machine.
#pragma once

#include <cstdint>

#if !defined(BRAID_LEVEL) || !defined(BRAID_VECTOR_BYTES)
#error "kernels/cpu: compile this file through its level libraries"
#endif

namespace braid::kernels::cpu::BRAID_LEVEL {

#define BRAID_INLINE [[gnu::always_inline]] inline

template <class T>
struct Simd;

template <>
struct Simd<float> {
    static constexpr std::int64_t width = BRAID_VECTOR_BYTES / 4;
    using Vector [[gnu::vector_size(BRAID_VECTOR_BYTES)]] = float;
    using Unaligned [[gnu::vector_size(BRAID_VECTOR_BYTES), gnu::aligned(4), gnu::may_alias]] = float;
    using Bits [[gnu::vector_size(BRAID_VECTOR_BYTES)]] = std::int32_t;
    using Lane = std::int32_t;
    // exp: x = n ln 2 + r. Adding `round_shift` leaves n in the low bits of the sum.
    static constexpr float round_shift = 0x1.8p23f;
    static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cf8p-20f;
    static constexpr float exp_min = -87.0f, exp_max = 88.0f;
    static constexpr int mantissa_bits = 23;
    static constexpr int exp_terms = 7;
};

template <>
struct Simd<double> {
    static constexpr std::int64_t width = BRAID_VECTOR_BYTES / 8;
    using Vector [[gnu::vector_size(BRAID_VECTOR_BYTES)]] = double;
    using Unaligned [[gnu::vector_size(BRAID_VECTOR_BYTES), gnu::aligned(8), gnu::may_alias]] = double;
    using Bits [[gnu::vector_size(BRAID_VECTOR_BYTES)]] = std::int64_t;
    using Lane = std::int64_t;
    static constexpr double round_shift = 0x1.8p52;
    static constexpr double ln2_high = 0x1.62e42fefa3800p-1, ln2_low = 0x1.ef35793c76730p-45;
    static constexpr double exp_min = -708.0, exp_max = 709.0;
    static constexpr int mantissa_bits = 52;
    static constexpr int exp_terms = 13;
};

template <class T>
using Vector = typename Simd<T>::Vector;
template <class T>
inline constexpr std::int64_t width = Simd<T>::width;
template <class T>
inline constexpr int halvings = __builtin_ctz(static_cast<unsigned>(width<T>));  // to a single lane

template <class T>
BRAID_INLINE Vector<T> load(const T* from) {
    return *reinterpret_cast<const typename Simd<T>::Unaligned*>(from);
}
template <class T>
BRAID_INLINE void store(T* to, Vector<T> value) {
    *reinterpret_cast<typename Simd<T>::Unaligned*>(to) = value;
}
template <class T>
BRAID_INLINE Vector<T> splat(T value) {
    return value - Vector<T>{};
}

// The first `count` of a vector; the rest is 0 and is not touched.
template <class T>
BRAID_INLINE Vector<T> load(const T* from, std::int64_t count) {
    if (count >= width<T>) return load(from);
    Vector<T> value = {};
    for (std::int64_t i = 0; i < count; ++i) value[i] = from[i];
    return value;
}
template <class T>
BRAID_INLINE void store(T* to, Vector<T> value, std::int64_t count) {
    if (count >= width<T>) return store(to, value);
    for (std::int64_t i = 0; i < count; ++i) to[i] = value[i];
}

// f(i, count) for every vector of n elements; count is width but for the last.
template <class T, class F>
BRAID_INLINE void for_vectors(std::int64_t n, F&& f) {
    std::int64_t i = 0;
    for (; i + width<T> <= n; i += width<T>) f(i, width<T>);
    if (i < n) f(i, n - i);
}

template <class T>
BRAID_INLINE Vector<T> maximum(Vector<T> a, Vector<T> b) {
    return a > b ? a : b;
}

// Row r: the lanes that lie 2^r away, for reductions by halves.
template <class T>
struct Crossing {
    alignas(64) typename Simd<T>::Lane lanes[4][width<T>] = {};
    constexpr Crossing() {
        for (int r = 0; r < 4; ++r)
            for (std::int64_t i = 0; i < width<T>; ++i)
                lanes[r][i] = static_cast<typename Simd<T>::Lane>(i ^ (std::int64_t{1} << r));
    }
};
template <class T>
inline constexpr Crossing<T> crossing;

template <class T, class F>
BRAID_INLINE T reduce(Vector<T> value, F&& f) {
#pragma GCC unroll 4
    for (int r = 0; r < halvings<T>; ++r)
        value = f(value, __builtin_shuffle(
                             value, *reinterpret_cast<const typename Simd<T>::Bits*>(crossing<T>.lanes[r])));
    return value[0];
}
template <class T>
BRAID_INLINE T sum_of(Vector<T> value) {
    return reduce<T>(value, [](Vector<T> a, Vector<T> b) { return a + b; });
}
template <class T>
BRAID_INLINE T maximum_of(Vector<T> value) {
    return reduce<T>(value, [](Vector<T> a, Vector<T> b) { return maximum<T>(a, b); });
}

// e^x to about one unit in the last place; arguments outside the range of normal numbers are clamped.
template <class T>
BRAID_INLINE Vector<T> exponential(Vector<T> x) {
    using S = Simd<T>;
    x = x < S::exp_min ? splat<T>(S::exp_min) : x;
    x = x > S::exp_max ? splat<T>(S::exp_max) : x;
    const Vector<T> shifted = x * T(1.44269504088896340736) + S::round_shift;
    const Vector<T> n = shifted - S::round_shift;
    const Vector<T> r = (x - n * S::ln2_high) - n * S::ln2_low;
    constexpr double inverse_factorial[] = {1.0,
                                            1.0,
                                            1.0 / 2,
                                            1.0 / 6,
                                            1.0 / 24,
                                            1.0 / 120,
                                            1.0 / 720,
                                            1.0 / 5040,
                                            1.0 / 40320,
                                            1.0 / 362880,
                                            1.0 / 3628800,
                                            1.0 / 39916800,
                                            1.0 / 479001600,
                                            1.0 / 6227020800};
    Vector<T> sum = splat<T>(T(inverse_factorial[S::exp_terms]));
#pragma GCC unroll 16
    for (int i = S::exp_terms - 1; i >= 0; --i) sum = sum * r + T(inverse_factorial[i]);
    const auto power = reinterpret_cast<typename S::Bits>(shifted) << S::mantissa_bits;
    return reinterpret_cast<Vector<T>>(reinterpret_cast<typename S::Bits>(sum) + power);
}

}  // namespace braid::kernels::cpu::BRAID_LEVEL
