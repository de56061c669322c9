#include "core/analysis/crossing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace braid {

std::optional<Crossing> first_crossing(const Curve& curve, double threshold, CrossingSide side) {
    const auto reached = [&](double y) {
        return side == CrossingSide::reaches_above ? y >= threshold : y <= threshold;
    };
    std::optional<CurvePoint> before;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const CurvePoint point = curve.at(i);
        if (reached(point.y)) {
            double between = point.x;
            if (before && std::isfinite(point.y)) {
                const double share = (threshold - before->y) / (point.y - before->y);
                between = before->x + share * (point.x - before->x);
            }
            return Crossing{i, point, between};
        }
        if (std::isfinite(point.y)) {
            before = point;
        }
    }
    return std::nullopt;
}

std::optional<CrossingGap> slowest_gap(const std::vector<CurvePtr>& curves, double threshold,
                                       CrossingSide side) {
    struct Arrival {
        std::size_t index;
        double x;  // infinite: never
        double end;
    };
    std::vector<Arrival> arrivals;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        if (!curves[i] || curves[i]->is_empty()) {
            continue;
        }
        const auto crossing = first_crossing(*curves[i], threshold, side);
        arrivals.push_back(
            {i, crossing ? crossing->point.x : std::numeric_limits<double>::infinity(), curves[i]->back().x});
    }
    if (arrivals.size() < 2) {
        return std::nullopt;
    }
    std::stable_sort(arrivals.begin(), arrivals.end(),
                     [](const Arrival& a, const Arrival& b) { return a.x > b.x; });
    const Arrival& slowest = arrivals[0];
    const Arrival& second = arrivals[1];
    const bool never = std::isinf(slowest.x);
    const double to = never ? slowest.end : slowest.x;
    if (std::isinf(second.x) || !(to > second.x) || !(second.x > 0)) {
        return std::nullopt;
    }
    return CrossingGap{slowest.index, second.index, second.x, to, never};
}

}  // namespace braid
