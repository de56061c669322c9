#include "widgets/figure/scaling_lines.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace braid::ui {

namespace {

struct Reach {
    double parameters = 0, low = 0, high = 0;
    std::size_t points = 0;
};

// The quantile of values that may be moved about; as quantile() of them in order.
double quantile_of(std::vector<double>& values, double share) {
    const double place = share * double(values.size() - 1);
    const auto below = std::size_t(place);
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(below), values.end());
    const double low = values[below];
    if (below + 1 >= values.size()) return low;
    const double high = *std::min_element(values.begin() + std::ptrdiff_t(below) + 1, values.end());
    return low + (high - low) * (place - double(below));
}

// Losses along tokens in equal steps of the logarithm: one multiplication a resample and step.
void add_band(const ScalingFit& fit, ScalingLine& line) {
    const std::size_t count = fit.resampled.size();
    if (count < 2 || line.tokens.size() < 2) return;
    const double begin = std::log(line.tokens.front());
    const double step = (std::log(line.tokens.back()) - begin) / double(line.tokens.size() - 1);
    std::vector<double> fixed(count), falling(count), factor(count), values;
    for (std::size_t i = 0; i < count; ++i) {
        const ScalingCurve& curve = fit.resampled[i];
        fixed[i] = curve.irreducible + std::exp(curve.log_a - curve.alpha * std::log(line.parameters));
        falling[i] = std::exp(curve.log_b - curve.beta * begin);
        factor[i] = std::exp(-curve.beta * step);
    }
    const double outside = (1 - fit.level) / 2;
    for (std::size_t at = 0; at < line.tokens.size(); ++at) {
        values.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            values[i] = fixed[i] + falling[i];
            falling[i] *= factor[i];
        }
        std::erase_if(values, [](double value) { return !std::isfinite(value); });
        if (values.empty()) {
            line.low.push_back(line.loss[at]);
            line.high.push_back(line.loss[at]);
            continue;
        }
        line.low.push_back(quantile_of(values, outside));
        line.high.push_back(quantile_of(values, 1 - outside));
    }
}

}  // namespace

std::vector<ScalingLine> scaling_lines(const ScalingView& view, std::size_t samples, double beyond) {
    std::map<std::pair<std::size_t, std::size_t>, Reach> reaches;
    for (const ScalingViewPoint& point : view.points) {
        // A point that has not been trained shows where the law will be asked.
        if (!view.curves[point.curve].fit || point.tokens <= 0) continue;
        Reach& reach = reaches[{point.curve, point.scale}];
        reach.low = reach.points == 0 ? point.tokens : std::min(reach.low, point.tokens);
        reach.high = std::max(reach.high, point.tokens);
        reach.parameters += point.parameters;
        ++reach.points;
    }
    std::vector<ScalingLine> lines;
    for (const auto& [place, reach] : reaches) {
        const ScalingFit& fit = *view.curves[place.first].fit;
        ScalingLine line{.curve = place.first,
                         .scale = place.second,
                         .parameters = reach.parameters / double(reach.points)};
        const double begin = std::log(reach.low), end = std::log(reach.high * beyond);
        for (std::size_t i = 0; i < samples; ++i) {
            const double tokens = std::exp(begin + (end - begin) * double(i) / double(samples - 1));
            line.tokens.push_back(tokens);
            line.loss.push_back(fit.curve.loss(line.parameters, tokens));
            line.extrapolated.push_back(extrapolates(fit.range, line.parameters, tokens) ? 1 : 0);
        }
        add_band(fit, line);
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace braid::ui
