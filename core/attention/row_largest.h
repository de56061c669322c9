// The largest weight of every row, without opening most of the matrix: what rows are scaled by in views.
#pragma once

#include <vector>

#include "core/attention/capture_file.h"

namespace braid {

// [T], magnitudes. Exact where the head has its factors: squares of the pyramid that cannot hold the largest
// weight of any of their rows are never opened. Without them every row has that of its finest square row.
std::vector<float> row_largest(const CapturedHead& head);

}  // namespace braid
