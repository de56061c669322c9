// Columns of a layer's projections as a mixer sees them: views, no copies.
#pragma once

#include <ATen/core/Tensor.h>

namespace braid {

// [B, T, heads, head_dim] from column `first` on.
inline at::Tensor heads_of(const at::Tensor& in_BTC, std::int64_t first, std::int64_t heads,
                           std::int64_t head_dim) {
    return in_BTC.narrow(2, first, heads * head_dim).unflatten(2, {heads, head_dim});
}

// [N, heads, head_dim]: rows of all sequences.
inline at::Tensor rows_of(const at::Tensor& x_BTHK) { return x_BTHK.flatten(0, 1); }

}  // namespace braid
