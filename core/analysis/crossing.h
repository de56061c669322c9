// When a curve first reaches a threshold.
#pragma once

#include <cstddef>
#include <optional>

#include "core/analysis/curve.h"

namespace braid {

enum class CrossingSide { reaches_above, falls_below };  // y >= threshold, y <= threshold

struct Crossing {
    std::size_t index = 0;  // first recorded point on that side
    CurvePoint point = {};  // that point: what tables state
    double between = 0;  // x where the line from the last finite point before it meets the threshold; a curve
                         // that starts on that side has its first x here
    bool operator==(const Crossing&) const = default;
};

// Nothing if the curve never gets there. NaN never counts; +inf reaches above, -inf falls below.
std::optional<Crossing> first_crossing(const Curve& curve, double threshold,
                                       CrossingSide side = CrossingSide::reaches_above);

}  // namespace braid
