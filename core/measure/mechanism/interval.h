// 95 % intervals of what is measured on a sample of texts.
#pragma once

#include <cstdint>
#include <span>

namespace braid {

struct Interval {
    double value = 0;  // NaN of nothing
    double low = 0;    // NaN where there are fewer than two samples
    double high = 0;
};

// sum(sums) / sum(counts), where texts with their counts are drawn again `resamples` times (percentiles). A
// pure function of its arguments.
Interval bootstrap_ratio(std::span<const double> sums, std::span<const double> counts, std::int64_t resamples,
                         std::uint64_t seed);
// Mean of independent values, +- 1.96 standard errors.
Interval mean_interval(std::span<const double> values);
// Share of `successes` among `count` (Wilson).
Interval share_interval(std::int64_t successes, std::int64_t count);

}  // namespace braid
