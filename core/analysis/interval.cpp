#include "core/analysis/interval.h"

#include <algorithm>
#include <limits>

namespace braid {

double quantile(std::span<const double> sorted, double share) {
    if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
    const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double part = place - static_cast<double>(below);
    if (part == 0 || sorted[below] == sorted[above]) return sorted[below];
    return sorted[below] + part * (sorted[above] - sorted[below]);
}

Interval percentile_interval(std::vector<double> values, double level) {
    std::sort(values.begin(), values.end());
    return {quantile(values, (1 - level) / 2), quantile(values, (1 + level) / 2)};
}

}  // namespace braid
