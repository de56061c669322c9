#include <algorithm>
#include <cmath>

#include "widgets/common/mixer_style.h"
#include "widgets/plot/layers.h"

namespace braid::ui {
namespace {

constexpr qreal ghost_alpha = 0.24;
constexpr std::size_t many_points = 12'000;  // of all lines together: beyond this the stroker is too slow

constexpr std::size_t many_series = 48;
constexpr qreal band_alpha = 0.15;

}  // namespace

// One line on the way to the screen, in logical pixels of the plot.
struct CurvesLayer::Stroke {
    std::vector<QPointF> points;
    QColor colour;
    qreal width;
    int dash;
    double travel = 0;  // vertical way, in pixels
};

qreal seriesWidth(const PlotState& state, const PlotSeries& series) {
    if (state.compact) {
        return series.selected ? 2 : 1.3;
    }
    return series.selected ? 2.6 : state.series.size() > 24 ? 1.3 : 2;
}

CurvesLayer::CurvesLayer(PlotState* state)
    : QCPLayerable(state->plot, QStringLiteral("main")), state_(state) {}

void CurvesLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    applyAntialiasingHint(painter, true, QCP::aePlottables);
}

void CurvesLayer::prepare(const Curve& curve, const QColor& colour, qreal width, int dash, Detail& into,
                          std::vector<Stroke>& strokes) const {
    const QRect area = state_->area();
    const qreal ratio = state_->plot->bufferDevicePixelRatio();
    into = detail(curve, {.x_range = state_->xRange(),
                          .columns = std::max(1, static_cast<int>(std::lround(area.width() * ratio))),
                          .x_map = state_->xMap,
                          .y_map = state_->yMap});
    const QCPRange x = state_->xAxis()->range();
    const QCPRange y = state_->yAxis()->range();
    const double perX = area.width() / x.size();
    const double perY = area.height() / y.size();
    // Far outside the view a coordinate only has to be outside.
    const double farUp = area.top() - 4.0 * area.height() - 100;
    const double farDown = area.bottom() + 4.0 * area.height() + 100;
    for (std::size_t line = 0; line < into.line_begin.size(); ++line) {
        Stroke stroke{{}, colour, width, dash};
        const std::size_t end = into.line_end(line);
        stroke.points.reserve(end - into.line_begin[line]);
        for (std::size_t i = into.line_begin[line]; i < end; ++i) {
            const CurvePoint& point = into.points[i];
            const QPointF pixel(
                area.left() + (state_->xMap.forward(point.x) - x.lower) * perX,
                std::clamp(area.top() + area.height() - (state_->yMap.forward(point.y) - y.lower) * perY,
                           farUp, farDown));
            if (!stroke.points.empty()) {
                const QPointF step = pixel - stroke.points.back();
                const bool same = std::abs(step.x()) < 0.5 && std::abs(step.y()) < 0.2;
                if (same && i + 1 < end) {
                    continue;
                }
                stroke.travel += std::abs(step.y());
            }
            stroke.points.push_back(pixel);
        }
        strokes.push_back(std::move(stroke));
    }
}

// Where both ends have a place; a gap where one is missing.
void CurvesLayer::drawBand(QCPPainter* painter, const PlotSeries& series) const {
    if (!series.low || !series.high) return;
    QColor fill = state_->colourOf(series);
    fill.setAlphaF(band_alpha);
    painter->setPen(Qt::NoPen);
    painter->setBrush(fill);
    QPolygonF upper, lower;
    const auto flush = [&] {
        std::reverse(lower.begin(), lower.end());
        if (upper.size() > 1) painter->drawPolygon(upper + lower);
        upper.clear();
        lower.clear();
    };
    for (std::size_t i = 0; i < std::min(series.low->size(), series.high->size()); ++i) {
        const double x = series.low->x(i), low = series.low->y(i), high = series.high->y(i);
        if (!state_->xMap.defined(x) || !state_->yMap.defined(low) || !state_->yMap.defined(high)) {
            flush();
            continue;
        }
        lower.append({state_->xPixel(x), state_->yPixel(low)});
        upper.append({state_->xPixel(x), state_->yPixel(high)});
    }
    flush();
}

void CurvesLayer::drawMarks(QCPPainter* painter, const Detail& drawn, const QColor& colour) const {
    const QRect area = state_->area();
    painter->setPen(Qt::NoPen);
    painter->setBrush(colour);
    for (const CurvePoint& dot : drawn.dots) {
        painter->drawEllipse(QPointF(state_->xPixel(dot.x), state_->yPixel(dot.y)), 2.4, 2.4);
    }
    for (const EdgeMark& mark : drawn.marks) {
        const double x = state_->xPixel(mark.x);
        const bool up = mark.kind == EdgeMarkKind::plus_inf;
        const double tip = up ? area.top() + 1 : area.top() + area.height() - 1;
        const double base = up ? tip + 7 : tip - 7;
        const QPolygonF triangle{{QPointF(x, tip), QPointF(x - 4, base), QPointF(x + 4, base)}};
        const bool hollow = mark.kind == EdgeMarkKind::not_positive;
        painter->setPen(hollow ? QPen(colour, 1.2) : QPen(Qt::NoPen));
        painter->setBrush(hollow ? QBrush(state_->tokens().surface) : QBrush(colour));
        painter->drawPolygon(triangle);
    }
}

// Hundreds of long runs: straight from the points to the pixel columns. False: some value needs more care.
bool CurvesLayer::drawDense(QCPPainter* painter, const std::vector<int>& order) {
    const QRect area = state_->area();
    const qreal ratio = state_->plot->bufferDevicePixelRatio();
    const DetailRequest request{.x_range = state_->xRange(),
                                .columns = std::max(1, static_cast<int>(std::lround(area.width() * ratio))),
                                .x_map = state_->xMap,
                                .y_map = state_->yMap};
    const QCPRange y = state_->yAxis()->range();
    const double height = area.height() * ratio;
    const double perY = height / y.size();
    const auto pixel = [&](double value) {
        const double place = height - (state_->yMap.forward(value) - y.lower) * perY;
        return static_cast<float>(std::clamp(place, -height, 2 * height));
    };
    raster_.reset(QSize(request.columns, static_cast<int>(std::lround(height))));
    for (const int index : order) {
        const PlotSeries& one = state_->series[index];
        SeriesView& view = state_->views[static_cast<std::size_t>(index)];
        if (!dense_columns(*view.shown, request, columns_)) {
            raster_.reset({});
            return false;
        }
        view.detail = {};
        pixels_.clear();
        for (const DenseColumn& column : columns_) {
            pixels_.push_back({column.column, pixel(column.high), pixel(column.low), pixel(column.first),
                               pixel(column.last)});
        }
        const qreal width = seriesWidth(*state_, one) * ratio;
        QVector<qreal> dashes = lineDashes(state_->lookOf(one).dash);
        for (qreal& dash : dashes) {
            dash *= width;
        }
        raster_.addColumns(pixels_, state_->colourOf(one), width, dashes);
    }
    raster_.flush(*painter, QRectF(area));
    return true;
}

void CurvesLayer::draw(QCPPainter* painter) {
    std::vector<int> order = state_->visibleSeries();
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return state_->series[a].selected < state_->series[b].selected; });
    if (state_->smoothing == 0 && order.size() > many_series && drawDense(painter, order)) {
        return;
    }
    for (const int index : order) drawBand(painter, state_->series[index]);
    std::vector<Stroke> strokes;
    std::vector<Detail> ghosts(order.size());
    if (state_->smoothing > 0) {
        for (std::size_t i = 0; i < order.size(); ++i) {
            const PlotSeries& one = state_->series[order[i]];
            QColor faint = state_->colourOf(one);
            faint.setAlphaF(ghost_alpha);
            prepare(*one.curve, faint, 1, 0, ghosts[i], strokes);
        }
    }
    for (const int index : order) {
        const PlotSeries& one = state_->series[index];
        SeriesView& view = state_->views[static_cast<std::size_t>(index)];
        prepare(*view.shown, state_->colourOf(one), seriesWidth(*state_, one), state_->lookOf(one).dash,
                view.detail, strokes);
    }

    std::size_t points = 0;
    for (const Stroke& stroke : strokes) {
        points += stroke.points.size();
    }
    const QRect area = state_->area();
    const qreal ratio = state_->plot->bufferDevicePixelRatio();
    raster_.reset(QSize(static_cast<int>(std::lround(area.width() * ratio)),
                        static_cast<int>(std::lround(area.height() * ratio))));
    std::vector<QPointF> device;
    for (const Stroke& stroke : strokes) {
        const bool dense = stroke.travel > 6.0 * area.width() && stroke.points.size() > 500;
        const QVector<qreal> dashes = lineDashes(stroke.dash);
        if (dense || points > many_points) {
            device.clear();
            for (const QPointF& point : stroke.points) {
                device.push_back((point - QPointF(area.topLeft())) * ratio);
            }
            QVector<qreal> deviceDashes = dashes;
            for (qreal& dash : deviceDashes) {
                dash *= stroke.width * ratio;
            }
            raster_.addPolyline(device, stroke.colour, stroke.width * ratio, deviceDashes);
            continue;
        }
        raster_.flush(*painter, QRectF(area));
        QPen pen(stroke.colour, stroke.width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
        if (!dashes.isEmpty()) {
            pen.setCapStyle(Qt::FlatCap);
            pen.setDashPattern(dashes);
        }
        painter->setPen(pen);
        painter->setBrush(Qt::NoBrush);
        painter->drawPolyline(stroke.points.data(), static_cast<int>(stroke.points.size()));
    }
    raster_.flush(*painter, QRectF(area));
    for (const int index : order) {
        drawMarks(painter, state_->views[static_cast<std::size_t>(index)].detail,
                  state_->colourOf(state_->series[index]));
    }
}

}  // namespace braid::ui
