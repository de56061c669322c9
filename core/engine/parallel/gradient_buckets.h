// The flat gradients in pieces that are summed over the ranks one by one, as soon as a backward pass has
// completed them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/engine/parameter_layout.h"

namespace braid {

// Elements [begin, end) of the flat storage. `stage`: after that many stages of Model::forward_backward() its
// gradients are complete (StageDone).
struct GradientBucket {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t stage = 0;
    bool operator==(const GradientBucket&) const = default;
};

// Buckets that cover the storage exactly, in the order in which they become complete. One operand is never
// divided; operands that follow each other share a bucket up to `most_elements`.
std::vector<GradientBucket> gradient_buckets(const ParameterLayout& layout, std::int64_t most_elements);

}  // namespace braid
