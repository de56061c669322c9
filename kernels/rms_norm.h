// y = x * rstd * weight with rstd = (mean(x^2) + eps)^-1/2, row by row.
#pragma once

#include <cstdint>

namespace braid::kernels {

template <class T>
struct RmsNormArgs {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    double eps = 0;
    const T* x = nullptr;
    const T* weight = nullptr;
    T* y = nullptr;
    T* rstd = nullptr;  // [rows]
};

template <class T>
struct RmsNormBackwardArgs {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    const T* dy = nullptr;
    const T* x = nullptr;
    const T* weight = nullptr;
    const T* rstd = nullptr;
    T* dx = nullptr;       // accumulates
    T* dweight = nullptr;  // accumulates
    T* parts = nullptr;    // scratch [workers, cols]
};

namespace ref {
template <class T>
void rms_norm(const RmsNormArgs<T>& args);
template <class T>
void rms_norm_backward(const RmsNormBackwardArgs<T>& args);
}  // namespace ref

}  // namespace braid::kernels
