#include "widgets/figure/scaling_paper.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/number_format.h"
#include "widgets/figure/scaling_legend.h"

namespace braid::ui {

namespace {

constexpr double row_mm = 46, overlay_mm = 84, residual_mm = 30;
constexpr std::size_t most_columns = 4;

using Panel = ScalingPaperPanel;

struct Extent {
    double low = INFINITY, high = -INFINITY;
    void add(double value) {
        if (!std::isfinite(value) || value <= 0) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    bool any() const { return low <= high; }
};

void mark(FigureCanvas& canvas, const QPointF& place, const ScalingView& view,
          const ScalingViewPoint& point) {
    const double radius = FigureCanvas::mm(scaling_mark_mm);
    if (point.use == PointUse::excluded) {
        const double r = radius * 0.9;
        for (const double turn : {1.0, -1.0})
            canvas.line(place + QPointF(-r, -r * turn), place + QPointF(r, r * turn), FigureCanvas::axisInk(),
                        0.7);
        return;
    }
    const QColor colour = paperColour(view, point.curve);
    const bool hollow = point.use == PointUse::held_out;
    canvas.marker(place, int(point.scale), colour, hollow ? radius * 1.25 : radius);
    if (hollow) canvas.marker(place, int(point.scale), Qt::white, radius * 0.55);
}

std::array<double, 2> rangeOf(const std::array<std::optional<double>, 2>& wish, const AxisRange& own) {
    return {wish[0].value_or(own.lower), wish[1].value_or(own.upper)};
}

FigureCanvas::Frame frameOf(const Panel& panel, const QRectF& area, const Extent& x, const Extent& y,
                            double residual) {
    FigureCanvas::Frame frame;
    frame.panel = area;
    frame.x_map = {AxisScale::log};
    frame.y_map = {panel.wish.residual ? AxisScale::linear : AxisScale::log};
    const AxisMap log{AxisScale::log};
    const auto [left, right] = rangeOf(panel.spec->x_range, padded_range(log, x.low, x.high));
    frame.x_range = {left, right};
    const AxisRange own =
        panel.wish.residual ? AxisRange{-residual, residual} : padded_range(log, y.low, y.high);
    const auto [low, high] = rangeOf(panel.spec->y_range, own);
    frame.y_range = {low, high};
    return frame;
}

void drawLines(FigureCanvas& canvas, const Panel& panel, const FigureCanvas::Frame& frame) {
    const auto at = [&](double x, double y) {
        return frame.place(x, std::clamp(y, frame.y_range.lower, frame.y_range.upper));
    };
    for (const bool filling : {true, false})
        for (const ScalingLine& line : *panel.lines) {
            if (!panel.shows(line)) continue;
            const QColor colour = paperColour(*panel.view, line.curve);
            for (std::size_t begin = 0; begin + 1 < line.tokens.size();) {
                std::size_t end = begin + 1;
                const bool beyond = line.extrapolated[begin] || line.extrapolated[end];
                while (end + 1 < line.tokens.size() &&
                       (line.extrapolated[end] || line.extrapolated[end + 1]) == beyond)
                    ++end;
                if (filling && !line.low.empty()) {
                    QPolygonF band;
                    for (std::size_t i = begin; i <= end; ++i)
                        band << at(panel.along(line.parameters, line.tokens[i]), line.low[i]);
                    for (std::size_t i = end + 1; i-- > begin;)
                        band << at(panel.along(line.parameters, line.tokens[i]), line.high[i]);
                    QColor faint = colour;
                    faint.setAlphaF(beyond ? 0.09F : 0.16F);
                    canvas.polygon(band, faint);
                }
                if (!filling) {
                    // One path, so that dashes run on through its pieces.
                    QPen pen(colour, FigureCanvas::pt(canvas.linePt()), Qt::SolidLine, Qt::FlatCap);
                    if (beyond) pen.setDashPattern({4, 3});
                    QPolygonF middle;
                    for (std::size_t i = begin; i <= end; ++i)
                        if (line.loss[i] >= frame.y_range.lower && line.loss[i] <= frame.y_range.upper)
                            middle << frame.place(panel.along(line.parameters, line.tokens[i]), line.loss[i]);
                    canvas.painter().setPen(pen);
                    canvas.painter().setBrush(Qt::NoBrush);
                    canvas.painter().drawPolyline(middle);
                }
                begin = end;
            }
        }
}

void drawPoints(FigureCanvas& canvas, const Panel& panel, const FigureCanvas::Frame& frame) {
    for (const PointUse use : {PointUse::excluded, PointUse::fitted, PointUse::held_out})
        for (const ScalingViewPoint* point : panel.points) {
            if (point->use != use) continue;
            const double y = panel.wish.residual ? std::expm1(point->log_residual) * 100 : *point->value;
            if (panel.wish.residual && (use == PointUse::excluded || !std::isfinite(y))) continue;
            const QPointF place = frame.place(panel.along(point->parameters, point->tokens), y);
            ++canvas.facts().points;
            if (!isInside(frame.panel.adjusted(-1, -1, 1, 1), place)) {
                ++canvas.facts().outside;
                continue;
            }
            mark(canvas, place, *panel.view, *point);
        }
}

QString yTitle(const Panel& panel) {
    if (!panel.spec->y_title.empty()) return QString::fromStdString(panel.spec->y_title);
    if (panel.wish.residual) return QStringLiteral("residual (%)");
    if (panel.wish.metric == "eval/loss") return QStringLiteral("validation loss (nats/token)");
    if (panel.wish.metric == "loss") return QStringLiteral("training loss (nats/token)");
    if (panel.wish.metric == "eval/log_longppl") return QStringLiteral("log LongPPL");
    return QString::fromStdString(panel.wish.metric);
}

QString panelTitle(const Panel& panel) {
    if (!panel.wish.where) return {};
    QStringList values;
    for (const RowCondition& condition : panel.wish.where->conditions)
        values << QString::fromStdString(condition.value);
    return values.join(QStringLiteral(", "));
}

}  // namespace

std::vector<double> logTicks(AxisRange range, std::size_t least) {
    if (!(range.lower > 0) || !(range.upper > range.lower)) return {};
    std::vector<double> values;
    for (const std::vector<double>& steps :
         {std::vector<double>{1}, std::vector<double>{1, 3}, std::vector<double>{1, 2, 5},
          std::vector<double>{1, 1.5, 2, 3, 4, 6, 8},
          std::vector<double>{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}}) {
        values.clear();
        const int low = int(std::floor(std::log10(range.lower))),
                  high = int(std::ceil(std::log10(range.upper)));
        for (int power = low; power <= high; ++power)
            for (const double step : steps)
                if (const double value = step * std::pow(10, power);
                    value >= range.lower && value <= range.upper)
                    values.push_back(value);
        if (values.size() >= least) return values;
    }
    values.clear();
    for (const Tick& tick : make_ticks({AxisScale::linear}, range, {.target = int(least) + 1}).major)
        values.push_back(tick.value);
    return values;
}

void drawPaperAxes(FigureCanvas& canvas, const FigureCanvas::Frame& frame, const QString& x_title,
                   const QString& y_title, bool si_on_y) {
    const QRectF& area = frame.panel;
    const double line = canvas.textHeight(), tick = FigureCanvas::mm(0.8);
    const auto valuesOf = [](const AxisMap& map, AxisRange range) {
        if (map.scale == AxisScale::log) return logTicks(range, 3);
        std::vector<double> values;
        for (const Tick& each : make_ticks(map, range, {.target = 3}).major) values.push_back(each.value);
        return values;
    };
    double last = -1e12;
    for (const double value : valuesOf(frame.x_map, frame.x_range)) {
        const double x = frame.place(value, frame.y_range.lower).x();
        canvas.line({x, area.top()}, {x, area.bottom()}, FigureCanvas::gridInk(), 0.4);
        canvas.line({x, area.bottom()}, {x, area.bottom() + tick}, FigureCanvas::axisInk(), 0.5);
        const QString text = QString::fromStdString(format_si(value));
        const double half = canvas.textWidth(text) / 2;
        // The last one may stand at the edge of the page.
        const double middle = std::min(x, canvas.page().right() - half - FigureCanvas::mm(0.3));
        if (middle - half < last + FigureCanvas::mm(1)) continue;
        last = middle + half;
        canvas.text({middle, area.bottom() + tick + line * 0.6}, text, TextAnchor::centre);
    }
    double above = 1e12;
    for (const double value : valuesOf(frame.y_map, frame.y_range)) {
        const double y = frame.place(frame.x_range.lower, value).y();
        canvas.line({area.left(), y}, {area.right(), y}, FigureCanvas::gridInk(), 0.4);
        canvas.line({area.left() - tick, y}, {area.left(), y}, FigureCanvas::axisInk(), 0.5);
        if (above - y < line) continue;
        above = y;
        canvas.text({area.left() - tick - FigureCanvas::mm(0.5), y},
                    QString::fromStdString(si_on_y ? format_si(value) : format_significant(value, 3)),
                    TextAnchor::right);
    }
    canvas.line(area.bottomLeft(), area.bottomRight(), FigureCanvas::axisInk(), 0.5);
    canvas.line(area.topLeft(), area.bottomLeft(), FigureCanvas::axisInk(), 0.5);
    if (!x_title.isEmpty())
        canvas.text({area.center().x(), area.bottom() + tick + line * 1.75}, x_title, TextAnchor::centre);
    if (!y_title.isEmpty())
        canvas.text({area.left() - FigureCanvas::mm(9), area.center().y()}, y_title, TextAnchor::centre, 400,
                    FigureCanvas::ink(), true);
}

double scalingHeight(const FigureSpec& spec, std::size_t curves) {
    std::size_t plots = 0, residuals = 0;
    for (const FigurePanel& panel : spec.panels)
        (panel.metric.starts_with("residual of ") ? residuals : plots) += 1;
    const double legend = 4 + 3.5 * double(curves / 6 + 1);
    if (plots <= 1)
        return (spec.style.width_mm < 100 ? 62 : overlay_mm) + (residuals > 0 ? residual_mm : 0) + legend;
    const std::size_t columns = std::min(most_columns, spec.style.width_mm < 100 ? 2 : plots);
    return double((plots + columns - 1) / columns) * row_mm + legend;
}

void drawScaling(const FigureSpec& spec, const ScalingFigureData& data, FigureCanvas& canvas) {
    std::vector<Panel> panels;
    Extent x, y;
    double residual = 0.5;
    for (std::size_t p = 0; p < spec.panels.size(); ++p) {
        Panel panel{.spec = &spec.panels[p],
                    .wish = scaling_wish(spec.panels[p].metric, {}).value_or(ScalingPanelWish{}),
                    .view = &data.views[p],
                    .lines = &data.lines[p],
                    .flops = spec.panels[p].x == "flops"};
        for (const ScalingViewPoint& point : panel.view->points) {
            if (!point.finished() || !panel.view->can_draw(point) ||
                !is_meant(panel.wish, data.spec, data.state, *panel.view, point))
                continue;
            panel.points.push_back(&point);
            x.add(panel.along(point.parameters, point.tokens));
            y.add(*point.value);
            if (point.use != PointUse::excluded && std::isfinite(point.log_residual))
                residual = std::max(residual, std::abs(std::expm1(point.log_residual)) * 115);
        }
        for (const ScalingLine& line : *panel.lines)
            if (panel.shows(line))
                for (std::size_t i = 0; i < line.tokens.size(); ++i) {
                    x.add(panel.along(line.parameters, line.tokens[i]));
                    y.add(line.loss[i]);
                }
        panels.push_back(std::move(panel));
    }
    if (panels.empty() || !x.any() || !y.any()) return;
    const ScalingView& view = *panels.front().view;
    const std::vector<ScalingLegendEntry> entries = scalingLegend(panels);
    const double line = canvas.textHeight();
    const double legend = drawScalingLegend(canvas, entries, view, 0, false) + FigureCanvas::mm(1.5);
    const bool many = std::count_if(panels.begin(), panels.end(),
                                    [](const Panel& panel) { return !panel.wish.residual; }) > 1;
    const double left = FigureCanvas::mm(12), right = FigureCanvas::mm(2), between = FigureCanvas::mm(3);
    const double titles = many ? line * 1.3 : FigureCanvas::mm(1);
    const double beneath = line * 2.5;
    const QRectF page = canvas.page();
    const double room = page.height() - legend;
    if (many) {
        const std::size_t columns =
            std::min({most_columns, panels.size(), spec.style.width_mm < 100 ? 2UL : 4UL});
        const std::size_t rows = (panels.size() + columns - 1) / columns;
        const double width = (page.width() - left - right - between * double(columns - 1)) / double(columns);
        const double each = (room - beneath) / double(rows);
        for (std::size_t p = 0; p < panels.size(); ++p) {
            const std::size_t row = p / columns, column = p % columns;
            const bool lowest = p + columns >= panels.size();
            const QRectF area(left + double(column) * (width + between), double(row) * each + titles, width,
                              each - titles - line * 1.5);
            const FigureCanvas::Frame frame = frameOf(panels[p], area, x, y, residual);
            FigureCanvas::Frame bare = frame;
            drawPaperAxes(canvas, bare,
                          lowest ? (panels[p].flops ? QStringLiteral("FLOPs, 6ND") : QStringLiteral("tokens"))
                                 : QString(),
                          column == 0 ? yTitle(panels[p]) : QString());
            drawLines(canvas, panels[p], frame);
            drawPoints(canvas, panels[p], frame);
            canvas.text({area.left(), area.top() - line * 0.6}, panelTitle(panels[p]), TextAnchor::left, 600);
        }
    } else {
        // Residuals share the x axis of the plot above them.
        double parts = 0;
        for (const Panel& panel : panels) parts += panel.wish.residual ? 0.3 : 1;
        const double space = room - beneath - titles - (between + line * 1.2) * double(panels.size() - 1);
        double top = titles;
        for (std::size_t p = 0; p < panels.size(); ++p) {
            const double height = space * (panels[p].wish.residual ? 0.3 : 1) / parts;
            const QRectF area(left, top, page.width() - left - right, height);
            const FigureCanvas::Frame frame = frameOf(panels[p], area, x, y, residual);
            const bool last = p + 1 == panels.size();
            drawPaperAxes(canvas, frame,
                          !last             ? QString()
                          : panels[p].flops ? QStringLiteral("FLOPs, 6ND")
                                            : QStringLiteral("training tokens"),
                          yTitle(panels[p]));
            if (panels[p].wish.residual)
                canvas.line(frame.place(frame.x_range.lower, 0), frame.place(frame.x_range.upper, 0),
                            FigureCanvas::axisInk(), 0.5);
            else
                drawLines(canvas, panels[p], frame);
            drawPoints(canvas, panels[p], frame);
            top += height + between + (last ? 0 : line * 1.2);
        }
    }
    drawScalingLegend(canvas, entries, view, page.height() - legend + FigureCanvas::mm(0.5), true);
    FigureFacts& facts = canvas.facts();
    std::vector<bool> seen(view.curves.size());
    for (const Panel& panel : panels)
        for (const ScalingViewPoint* point : panel.points) seen[point->curve] = true;
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (seen[i]) {
            ++facts.series;
            facts.looks.push_back({QString::fromStdString(view.curves[i].name), paperColour(view, i), 0, 0});
        }
    facts.fewest_seeds = std::max<std::size_t>(1, data.spec.seeds.size());
    facts.spread_wanted = false;
    facts.spread_shown = true;
}

}  // namespace braid::ui
