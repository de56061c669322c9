// Intervals from many values of one number.
#pragma once

#include <span>
#include <vector>

namespace braid {

struct Interval {
    double low = 0;
    double high = 0;
    bool operator==(const Interval&) const = default;
};

// The middle `level` (0.9) of the values: quantiles between order statistics, as numpy's. Values that are not
// finite count as what they are. NaN for no values.
Interval percentile_interval(std::vector<double> values, double level);
double quantile(std::span<const double> sorted, double share);

}  // namespace braid
