// Matrices whose rows begin at multiples of 16 bytes whatever their width: tensor cores read others slowly.
#pragma once

#include <ATen/core/Tensor.h>

namespace braid {

// Elements from a row to the next.
inline std::int64_t aligned_stride(std::int64_t cols, at::ScalarType type) {
    const std::int64_t at_once = 16 / static_cast<std::int64_t>(at::elementSize(type));
    return (cols + at_once - 1) / at_once * at_once;
}

// [rows, cols] in the first rows * aligned_stride(cols) elements of `flat`.
inline at::Tensor aligned_rows(const at::Tensor& flat, std::int64_t rows, std::int64_t cols) {
    const std::int64_t stride = aligned_stride(cols, flat.scalar_type());
    return flat.narrow(0, 0, rows * stride).view({rows, stride}).narrow(1, 0, cols);
}

}  // namespace braid
