#include "widgets/plot/plot_state.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/number_format.h"
#include "widgets/common/mixer_style.h"

namespace braid::ui {

AxisRange PlotState::xRange() const {
    const QCPRange range = plot->xAxis->range();
    return {xMap.backward(range.lower), xMap.backward(range.upper)};
}

AxisRange PlotState::yRange() const {
    const QCPRange range = plot->yAxis->range();
    return {yMap.backward(range.lower), yMap.backward(range.upper)};
}

TickOptions PlotState::xTickOptions() const {
    const int room = compact ? 90 : 100;
    return {.target = std::clamp(plot->width() / room, 2, 8), .use_factor = factorX, .whole = wholeX};
}

TickOptions PlotState::yTickOptions() const {
    const int room = compact ? 30 : 60;
    return {.target = std::clamp(plot->height() / room, 2, 8), .use_factor = factorY};
}

LineLook PlotState::lookOf(const PlotSeries& one) const {
    if (!one.component.empty()) return componentLook(one.component, tokens());
    LineLook look = runLook(one.colour, tokens());
    look.dash += one.dash;
    return look;
}

QString PlotState::valueText(double value) const {
    if (factorY) {
        return QString::fromStdString(format_si(value));
    }
    const AxisRange range = yRange();
    const double size = range.size();
    if (yMap.scale != AxisScale::linear || !(size > 1e-6) || size > 1e7) {
        return QString::fromStdString(format_significant(value));
    }
    const int decimals = std::max(0, 3 - static_cast<int>(std::ceil(std::log10(size) - 0.5)));
    return QString::fromStdString(format_fixed(value, decimals));
}

QString PlotState::xText(double value) const {
    if (factorX) {
        return QString::fromStdString(format_si(value));
    }
    return QString::fromStdString(wholeX ? format_count(std::llround(value)) : format_significant(value));
}

std::vector<int> PlotState::visibleSeries() const {
    std::vector<int> indices;
    for (int i = 0; i < series.size(); ++i) {
        if (series[i].visible) {
            indices.push_back(i);
        }
    }
    return indices;
}

PlotReading PlotState::read(int index, double x) const {
    const PlotSeries& one = series[index];
    PlotReading reading{one.id, std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::quiet_NaN()};
    const Curve& curve = *one.curve;
    if (curve.is_empty() || !std::isfinite(x)) {
        return reading;
    }
    const std::size_t after = curve.lower_bound(x);
    std::size_t nearest = std::min(after, curve.size() - 1);
    if (nearest > 0 && std::abs(curve.x(nearest - 1) - x) < std::abs(curve.x(nearest) - x)) {
        --nearest;
    }
    // Outside the record there is nothing to read, but half a step beyond its ends still counts as on it.
    const double step =
        curve.size() > 1 ? (curve.back().x - curve.x(0)) / static_cast<double>(curve.size() - 1) : 0;
    if (std::abs(curve.x(nearest) - x) > 0.5 * step && (x < curve.x(0) || x > curve.back().x)) {
        return reading;
    }
    reading.raw = curve.y(nearest);
    const CurvePtr& shown = views[static_cast<std::size_t>(index)].shown;
    reading.smoothed = nearest < shown->size() ? shown->y(nearest) : reading.raw;
    return reading;
}

}  // namespace braid::ui
