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

double median_crossing(const std::vector<CurvePtr>& curves, double threshold, CrossingSide side) {
    std::vector<double> places;
    for (const CurvePtr& curve : curves) {
        const auto crossing = first_crossing(*curve, threshold, side);
        places.push_back(crossing ? crossing->point.x : std::numeric_limits<double>::infinity());
    }
    if (places.empty()) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    std::sort(places.begin(), places.end());
    const std::size_t half = places.size() / 2;
    return places.size() % 2 == 1 ? places[half] : (places[half - 1] + places[half]) / 2;
}

std::optional<CrossingGap> slowest_gap(const std::vector<Arrival>& arrivals) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        if (!std::isnan(arrivals[i].x)) {
            order.push_back(i);
        }
    }
    if (order.size() < 2) {
        return std::nullopt;
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return arrivals[a].x > arrivals[b].x; });
    const Arrival& slowest = arrivals[order[0]];
    const Arrival& second = arrivals[order[1]];
    const bool never = std::isinf(slowest.x);
    const double to = never ? slowest.end : slowest.x;
    if (std::isinf(second.x) || !(to > second.x) || !(second.x > 0)) {
        return std::nullopt;
    }
    return CrossingGap{order[0], order[1], second.x, to, never};
}

std::optional<CrossingGap> slowest_gap(const std::vector<CurvePtr>& curves, double threshold,
                                       CrossingSide side) {
    std::vector<Arrival> arrivals;
    for (const CurvePtr& curve : curves) {
        if (!curve || curve->is_empty()) {
            arrivals.push_back({.x = std::numeric_limits<double>::quiet_NaN()});
        } else {
            arrivals.push_back({median_crossing({curve}, threshold, side), curve->back().x});
        }
    }
    return slowest_gap(arrivals);
}

}  // namespace braid
