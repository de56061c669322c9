// Blocks of the matrix that factors of a head stand for, on the device of the factors.
#pragma once

#include "core/mixers/torch/mixer.h"

namespace braid {

// Weights of the queries [first, first + count) for the keys [low, end), [B, count, end - low] of the type of
// the factors; 0 where a query does not see a key. Memory grows with count * (end - low).
at::Tensor attention_block(const AttentionFactors& factors, std::int64_t first, std::int64_t count,
                           std::int64_t low, std::int64_t end);

// The first key that one of these queries sees.
std::int64_t first_seen(const AttentionFactors& factors, std::int64_t first);

}  // namespace braid
