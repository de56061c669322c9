#include "core/measure/mechanism/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.h"

namespace braid {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double z = 1.959963984540054;  // of the standard normal distribution at 97.5 %

double percentile(const std::vector<double>& sorted, double share) {
    const double place = share * double(sorted.size() - 1);
    const auto below = std::size_t(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - double(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Interval bootstrap_ratio(std::span<const double> sums, std::span<const double> counts, std::int64_t resamples,
                         std::uint64_t seed) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) sum += sums[i], count += counts[i];
    Interval interval{.value = count > 0 ? sum / count : nan, .low = nan, .high = nan};
    if (sums.size() < 2) return interval;
    Random random(seed, "bootstrap");
    std::vector<double> drawn;
    for (std::int64_t r = 0; r < resamples; ++r) {
        sum = count = 0;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::size_t at = random.below(sums.size());
            sum += sums[at], count += counts[at];
        }
        if (count > 0) drawn.push_back(sum / count);
    }
    if (drawn.empty()) return interval;
    std::sort(drawn.begin(), drawn.end());
    interval.low = percentile(drawn, 0.025);
    interval.high = percentile(drawn, 0.975);
    return interval;
}

Interval mean_interval(std::span<const double> values) {
    if (values.empty()) return {nan, nan, nan};
    const double n = double(values.size());
    double mean = 0, squares = 0;
    for (const double value : values) mean += value / n;
    for (const double value : values) squares += (value - mean) * (value - mean);
    if (values.size() < 2) return {mean, nan, nan};
    const double half = z * std::sqrt(squares / (n - 1) / n);
    return {mean, mean - half, mean + half};
}

Interval share_interval(std::int64_t successes, std::int64_t count) {
    if (count == 0) return {nan, nan, nan};
    const double n = double(count), p = double(successes) / n;
    const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return {p, std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

}  // namespace braid
