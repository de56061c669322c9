// When a curve first reaches a threshold.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

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

// Over the seeds of a variant: the median of where each curve first reaches the threshold, one that never
// does counting as later than all others. Infinite: half of them or more never do. NaN: no curves.
double median_crossing(const std::vector<CurvePtr>& curves, double threshold,
                       CrossingSide side = CrossingSide::reaches_above);

// Where one curve, or the median of several, reached the threshold (infinite: never) and its record ends. NaN
// for what has no record.
struct Arrival {
    double x = 0;
    double end = 0;
};

// The slowest curve against the second slowest: "1.23 M tokens more, 2.2 x".
struct CrossingGap {
    std::size_t slowest = 0;  // index into the curves
    std::size_t second = 0;
    double from = 0;        // x at which the second slowest reached the threshold
    double to = 0;          // x at which the slowest did, or where its record ends
    bool at_least = false;  // the slowest did not get there: `to` is as far as it is known
    double more() const { return to - from; }
    double ratio() const { return to / from; }
    bool operator==(const CrossingGap&) const = default;
};

// Nothing with fewer than two curves, if two or more never get there, or if the slowest is not slower.
std::optional<CrossingGap> slowest_gap(const std::vector<Arrival>& arrivals);
std::optional<CrossingGap> slowest_gap(const std::vector<CurvePtr>& curves, double threshold,
                                       CrossingSide side = CrossingSide::reaches_above);

}  // namespace braid
