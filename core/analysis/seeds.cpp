#include "core/analysis/seeds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace braid {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

// Student's t, two-sided 90 %, for 1, 2, ... degrees of freedom.
constexpr std::array<double, 30> t_quantiles{
    6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753,
    1.746, 1.740, 1.734, 1.729, 1.725, 1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701, 1.699, 1.697};

}  // namespace

double interval_half_width(double standard_deviation, std::size_t count) {
    if (count < 2) {
        return 0;
    }
    const double t = count - 2 < t_quantiles.size() ? t_quantiles[count - 2] : 1.66;
    return t * standard_deviation / std::sqrt(static_cast<double>(count));
}

double interpolate(const Curve& curve, double x) {
    const std::size_t after = curve.lower_bound(x);
    if (after == curve.size()) {
        return nan_value;
    }
    if (curve.x(after) == x) {
        return curve.y(after);
    }
    if (after == 0) {
        return nan_value;
    }
    const CurvePoint a = curve.at(after - 1);
    const CurvePoint b = curve.at(after);
    const double y = a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x);
    return std::isfinite(a.y) && std::isfinite(b.y) ? y : nan_value;
}

SeedCurves combine_seeds(const std::vector<CurvePtr>& curves, SeedBand band) {
    std::vector<CurvePtr> used;
    double begin = -std::numeric_limits<double>::infinity();
    double end = std::numeric_limits<double>::infinity();
    for (const CurvePtr& curve : curves) {
        if (curve && !curve->is_empty()) {
            used.push_back(curve);
            begin = std::max(begin, curve->x(0));
            end = std::min(end, curve->back().x);
        }
    }
    if (used.size() == 1) {
        return {used[0], used[0], used[0], 1};
    }
    std::vector<double> places;
    for (const CurvePtr& curve : used) {
        for (std::size_t i = curve->lower_bound(begin); i < curve->upper_bound(end); ++i) {
            places.push_back(curve->x(i));
        }
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());

    std::vector<double> mean;
    std::vector<double> low;
    std::vector<double> high;
    std::vector<double> values;
    for (const double x : places) {
        values.clear();
        for (const CurvePtr& curve : used) {
            const double y = interpolate(*curve, x);
            if (std::isfinite(y)) {
                values.push_back(y);
            }
        }
        if (values.empty()) {
            mean.push_back(nan_value);
            low.push_back(nan_value);
            high.push_back(nan_value);
            continue;
        }
        double sum = 0;
        for (const double y : values) {
            sum += y;
        }
        const double centre = sum / static_cast<double>(values.size());
        double squares = 0;
        for (const double y : values) {
            squares += (y - centre) * (y - centre);
        }
        const double deviation =
            values.size() > 1 ? std::sqrt(squares / static_cast<double>(values.size() - 1)) : 0;
        const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
        const double half = interval_half_width(deviation, values.size());
        mean.push_back(centre);
        low.push_back(band == SeedBand::range ? *smallest : centre - half);
        high.push_back(band == SeedBand::range ? *largest : centre + half);
    }
    return {Curve::make(places, mean), Curve::make(places, low), Curve::make(places, high), used.size()};
}

}  // namespace braid
