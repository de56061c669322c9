#include "core/analysis/crossing.h"

#include <cmath>

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

}  // namespace braid
