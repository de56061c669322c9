#include "core/analysis/eta.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace braid {

std::optional<Eta> estimate_eta(const Curve& step_over_time, double target_step) {
    constexpr std::size_t window = 256;  // latest intervals that count
    constexpr double pause_factor = 10;  // an interval this many times the median is a pause
    constexpr double quantile = 1.895;   // Student's t, 7 degrees of freedom, two-sided 90 %
    constexpr std::size_t blocks = 8;

    struct Interval {
        double seconds;
        double steps;
    };
    std::vector<Interval> intervals;
    for (std::size_t i = step_over_time.size(); i-- > 1 && intervals.size() < window;) {
        const CurvePoint now = step_over_time.at(i);
        const CurvePoint before = step_over_time.at(i - 1);
        if (now.y > before.y && now.x > before.x) {  // false for NaN as well
            intervals.push_back({now.x - before.x, now.y - before.y});
        }
    }
    double done = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = step_over_time.size(); i-- > 0 && !std::isfinite(done);) {
        done = step_over_time.y(i);
    }
    if (intervals.size() < 2 || !(done < target_step)) {
        return std::nullopt;
    }
    std::vector<double> pace;
    for (const Interval& interval : intervals) {
        pace.push_back(interval.seconds / interval.steps);
    }
    std::nth_element(pace.begin(), pace.begin() + static_cast<std::ptrdiff_t>(pace.size() / 2), pace.end());
    const double median = pace[pace.size() / 2];
    std::erase_if(intervals, [&](const Interval& interval) {
        return interval.seconds / interval.steps > pause_factor * median;
    });

    // Steps are not independent (a busy machine stays busy for a while): blocks of neighbours are compared.
    const std::size_t groups = std::min(blocks, intervals.size());
    std::vector<double> means;
    double seconds = 0;
    double steps = 0;
    for (std::size_t g = 0; g < groups; ++g) {
        double block_seconds = 0;
        double block_steps = 0;
        for (std::size_t i = g * intervals.size() / groups; i < (g + 1) * intervals.size() / groups; ++i) {
            block_seconds += intervals[i].seconds;
            block_steps += intervals[i].steps;
        }
        means.push_back(block_seconds / block_steps);
        seconds += block_seconds;
        steps += block_steps;
    }
    const double mean = seconds / steps;
    const double left = target_step - done;
    double variance = 0;
    for (const double block : means) {
        variance += (block - mean) * (block - mean);
    }
    variance /= std::max<double>(1, static_cast<double>(groups) - 1);
    // Error of the mean pace, and the spread of the blocks still to come.
    const double steps_a_block = steps / static_cast<double>(groups);
    const double error = left * std::sqrt(variance / static_cast<double>(groups));
    const double to_come = std::sqrt(variance * steps_a_block * left);
    return Eta{.seconds = left * mean, .plus_minus = quantile * std::hypot(error, to_come)};
}

}  // namespace braid
