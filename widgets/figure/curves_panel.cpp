#include "widgets/figure/curves_panel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/crossing.h"
#include "core/analysis/number_format.h"
#include "core/analysis/seeds.h"
#include "core/analysis/spread.h"
#include "widgets/figure/metric_title.h"

namespace braid::ui {
namespace {

constexpr double outer_mm = 1;
constexpr double tick_mm = 0.9;
constexpr double axis_pt = 0.5;
constexpr double grid_pt = 0.35;
constexpr std::size_t most_markers = 16;  // points of a curve up to which each gets its marker

using Frame = FigureCanvas::Frame;

struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    void add(double from, double to) {
        low = std::min(low, from);
        high = std::max(high, to);
    }
};

void add_curve(Extent& extent, const Curve& curve, AxisRange x, AxisScale scale) {
    const CurveSummary summary = curve.summarize(curve.lower_bound(x.lower), curve.upper_bound(x.upper));
    extent.add(scale == AxisScale::log ? summary.min_positive : summary.min, summary.max);
}

// The ranges of a panel: as described, else from the data.
Frame make_frame(const FigureSpec& spec, const FigurePanel& panel, const FigurePanelData& data) {
    Frame frame{{}, {.scale = panel.x_scale}, {.scale = panel.y_scale}, {}, {}};
    Extent x;
    for (const FigureSeries& series : data.series) {
        for (const FigureLine& line : series.lines) {
            const Curve& curve = *line.shown;
            const std::size_t first = panel.x_scale == AxisScale::log ? curve.upper_bound(0) : 0;
            if (first < curve.size()) {
                x.add(curve.x(first), curve.back().x);
            }
        }
    }
    if (panel.x_scale == AxisScale::linear && x.low > 0 && x.low < 0.25 * x.high) {
        x.low = 0;
    }
    // Curves over time fill the panel; points that were measured stand inside.
    frame.x_range = padded_range(frame.x_map, panel.x_range[0].value_or(x.low),
                                 panel.x_range[1].value_or(x.high), data.x_ticks.empty() ? 0 : 0.04);
    frame.x_range.lower = panel.x_range[0].value_or(frame.x_range.lower);
    frame.x_range.upper = panel.x_range[1].value_or(frame.x_range.upper);
    Extent y;
    for (const FigureSeries& series : data.series) {
        add_curve(y, *series.mean, frame.x_range, panel.y_scale);
        if (has_band(series)) {
            add_curve(y, *series.low, frame.x_range, panel.y_scale);
            add_curve(y, *series.high, frame.x_range, panel.y_scale);
        }
        if (separate_seeds(spec, series)) {
            for (const FigureLine& line : series.lines) {
                add_curve(y, *line.shown, frame.x_range, panel.y_scale);
            }
        }
    }
    for (const FigureSeries& series : data.series) {
        if (std::isfinite(series.level) && frame.y_map.defined(series.level)) {
            y.add(series.level, series.level);
        }
    }
    if (panel.threshold && frame.y_map.defined(*panel.threshold)) {
        y.add(*panel.threshold, *panel.threshold);
    }
    frame.y_range =
        padded_range(frame.y_map, panel.y_range[0].value_or(y.low), panel.y_range[1].value_or(y.high), 0.05);
    frame.y_range.lower = panel.y_range[0].value_or(frame.y_range.lower);
    frame.y_range.upper = panel.y_range[1].value_or(frame.y_range.upper);
    if (!(frame.y_range.lower < frame.y_range.upper)) {
        frame.y_range = padded_range(frame.y_map, frame.y_range.lower, frame.y_range.lower);
    }
    return frame;
}

// How many labels of this size stand along an axis.
int tick_target(double length, double room) { return std::clamp(static_cast<int>(length / room), 2, 8); }

}  // namespace

CurvesPanel::CurvesPanel(const FigureSpec& spec, const FigurePanel& panel, const FigurePanelData& data,
                         FigureCanvas& canvas)
    : spec_(spec), panel_(panel), data_(data), canvas_(canvas), frame_(make_frame(spec, panel, data)) {}

void CurvesPanel::prepare(double width, double height) {
    const double size = FigureCanvas::pt(canvas_.fontPt());
    if (data_.x_ticks.empty())
        x_ticks_ = make_ticks(frame_.x_map, frame_.x_range,
                              {.target = tick_target(width, 6 * size),
                               .use_factor = panel_.x == "tokens" || panel_.x == "flops",
                               .whole = panel_.x == "step"});
    else
        x_ticks_ = {.major = givenTicks(width)};
    y_ticks_ = make_ticks(frame_.y_map, frame_.y_range, {.target = tick_target(height, 4.4 * size)});
}

std::vector<Tick> CurvesPanel::givenTicks(double width) const {
    const double lower = frame_.x_map.forward(frame_.x_range.lower);
    const double scale = width / (frame_.x_map.forward(frame_.x_range.upper) - lower);
    std::vector<Tick> shown;
    double free = -std::numeric_limits<double>::infinity();  // from here on there is room for a label
    for (Tick tick : data_.x_ticks) {
        if (tick.value < frame_.x_range.lower || tick.value > frame_.x_range.upper) continue;
        const double place = (frame_.x_map.forward(tick.value) - lower) * scale;
        const double half = canvas_.textWidth(QString::fromStdString(tick.label)) / 2;
        if (place - half < free)
            tick.label.clear();
        else
            free = place + half + canvas_.textHeight() / 2;
        shown.push_back(std::move(tick));
    }
    return shown;
}

double CurvesPanel::leftRoom() const {
    double widest = 0;
    for (const Tick& tick : y_ticks_.major) {
        widest = std::max(widest, canvas_.textWidth(QString::fromStdString(tick.label)));
    }
    return FigureCanvas::mm(outer_mm) + canvas_.textHeight() + FigureCanvas::mm(0.8) + widest +
           FigureCanvas::mm(0.8 + tick_mm);
}

double CurvesPanel::bottomRoom() const { return FigureCanvas::mm(tick_mm + 0.5) + 2 * canvas_.textHeight(); }

double CurvesPanel::rightRoom(bool labels, const std::vector<SeriesLook>& looks) const {
    double room = FigureCanvas::mm(outer_mm);
    if (!x_ticks_.major.empty()) {  // half of the last label may stand beyond the axis
        const Tick& last = x_ticks_.major.back();
        const double place =
            (frame_.x_map.forward(last.value) - frame_.x_map.forward(frame_.x_range.lower)) /
            (frame_.x_map.forward(frame_.x_range.upper) - frame_.x_map.forward(frame_.x_range.lower));
        room = std::max(room, place > 0.9 ? canvas_.textWidth(QString::fromStdString(last.label)) / 2 : 0);
    }
    if (labels) {
        double widest = 0;
        for (const FigureSeries& series : data_.series) {
            widest = std::max(widest, canvas_.textWidth(look_of(looks, series).label));
        }
        room = std::max(room, widest + FigureCanvas::mm(outer_mm + 4.4));
    }
    return room;
}

void CurvesPanel::draw(const QRectF& area, const std::vector<SeriesLook>& looks, int columns,
                       const QString& letter) {
    frame_.panel = area;
    drawAxes();
    for (const FigureSeries& series : data_.series) {
        drawBand(series, look_of(looks, series));
    }
    drawThreshold();
    for (const FigureSeries& series : data_.series) {
        drawSeries(series, look_of(looks, series), columns);
    }
    drawCrossings(looks);
    if (!letter.isEmpty()) {
        canvas_.text(
            {area.left() - leftRoom() + FigureCanvas::mm(outer_mm), area.top() + canvas_.textHeight() * 0.3},
            letter, TextAnchor::left, 600);
    }
}

void CurvesPanel::drawLabels(const std::vector<SeriesLook>& looks) {
    std::vector<double> wanted;
    for (const FigureSeries& series : data_.series) {
        double y = frame_.panel.bottom();
        const Curve& curve = *series.mean;
        for (std::size_t i = curve.upper_bound(frame_.x_range.upper); i-- > 0;) {
            if (frame_.y_map.defined(curve.y(i))) {
                y = frame_.place(curve.x(i), curve.y(i)).y();
                break;
            }
        }
        wanted.push_back(std::clamp(y, frame_.panel.top(), frame_.panel.bottom()));
    }
    const std::vector<double> places =
        spread_apart(wanted, canvas_.textHeight(), frame_.panel.top(), frame_.panel.bottom());
    const double left = frame_.panel.right() + FigureCanvas::mm(0.8);
    for (std::size_t i = 0; i < data_.series.size(); ++i) {
        const SeriesLook& look = look_of(looks, data_.series[i]);
        canvas_.painter().setPen(pen_of(look, canvas_.linePt()));
        canvas_.painter().drawLine(QPointF(left, places[i]), QPointF(left + FigureCanvas::mm(3), places[i]));
        canvas_.text({left + FigureCanvas::mm(3.6), places[i]}, look.label);
    }
    canvas_.facts().legend_entries =
        std::max(canvas_.facts().legend_entries, static_cast<int>(data_.series.size()));
}

QRectF CurvesPanel::emptiestPlace(const QSizeF& size) const {
    const double pad = FigureCanvas::mm(1.5);
    const QRectF area = frame_.panel.adjusted(pad, pad, -pad, -pad);
    std::vector<QPointF> inked;
    for (const FigureSeries& series : data_.series) {
        const Detail drawn =
            detail(*series.mean,
                   {.x_range = frame_.x_range, .columns = 200, .x_map = frame_.x_map, .y_map = frame_.y_map});
        for (std::size_t i = 1; i < drawn.points.size(); ++i) {
            const QPointF before = frame_.place(drawn.points[i - 1].x, drawn.points[i - 1].y);
            const QPointF place = frame_.place(drawn.points[i].x, drawn.points[i].y);
            for (int part = 1; part <= 8; ++part) {
                inked.push_back(before + (place - before) * part / 8.0);
            }
        }
    }
    if (panel_.threshold) {
        const double y = frame_.place(frame_.x_range.lower, *panel_.threshold).y();
        for (int i = 0; i <= 20; ++i) {
            inked.emplace_back(frame_.panel.left() + frame_.panel.width() * i / 20, y);
        }
    }
    constexpr int steps = 8;
    double best_cost = std::numeric_limits<double>::infinity();
    QRectF best(area.topRight() - QPointF(size.width(), 0), size);
    for (int row = 0; row <= steps; ++row) {
        for (int column = 0; column <= steps; ++column) {
            const QRectF box(QPointF(area.left() + (area.width() - size.width()) * column / steps,
                                     area.top() + (area.height() - size.height()) * row / steps),
                             size);
            const QRectF room = box.adjusted(-pad, -pad, pad, pad);
            double cost = bracket_.intersects(room) ? 200 : 0;
            for (const QPointF& point : inked) {
                cost += isInside(room, point) ? 1 : 0;
            }
            // In doubt to the right, to the top, and away from the middle.
            const double aside = std::min(column, steps - column) + std::min(row, steps - row);
            cost += 0.3 * aside + 0.01 * (steps - column) + 0.01 * row;
            if (cost < best_cost) {
                best_cost = cost;
                best = box;
            }
        }
    }
    return best;
}

void CurvesPanel::drawAxes() {
    const QRectF& area = frame_.panel;
    const double tick = FigureCanvas::mm(tick_mm);
    for (const Tick& mark : x_ticks_.major) {
        const double x = frame_.place(mark.value, frame_.y_range.lower).x();
        canvas_.line({x, area.top()}, {x, area.bottom()}, FigureCanvas::gridInk(), grid_pt);
    }
    for (const Tick& mark : y_ticks_.major) {
        const double y = frame_.place(frame_.x_range.lower, mark.value).y();
        canvas_.line({area.left(), y}, {area.right(), y}, FigureCanvas::gridInk(), grid_pt);
    }
    for (const Tick& mark : x_ticks_.major) {
        const double x = frame_.place(mark.value, frame_.y_range.lower).x();
        canvas_.line({x, area.bottom()}, {x, area.bottom() + tick}, FigureCanvas::axisInk(), axis_pt);
        canvas_.text({x, area.bottom() + tick + FigureCanvas::mm(0.4) + canvas_.textHeight() / 2},
                     QString::fromStdString(mark.label), TextAnchor::centre);
    }
    for (const Tick& mark : y_ticks_.major) {
        const double y = frame_.place(frame_.x_range.lower, mark.value).y();
        canvas_.line({area.left() - tick, y}, {area.left(), y}, FigureCanvas::axisInk(), axis_pt);
        canvas_.text({area.left() - tick - FigureCanvas::mm(0.6), y}, QString::fromStdString(mark.label),
                     TextAnchor::right);
    }
    for (const Tick& mark : x_ticks_.minor) {
        const double x = frame_.place(mark.value, frame_.y_range.lower).x();
        canvas_.line({x, area.bottom()}, {x, area.bottom() + tick / 2}, FigureCanvas::axisInk(), axis_pt);
    }
    for (const Tick& mark : y_ticks_.minor) {
        const double y = frame_.place(frame_.x_range.lower, mark.value).y();
        canvas_.line({area.left() - tick / 2, y}, {area.left(), y}, FigureCanvas::axisInk(), axis_pt);
    }
    const double half = FigureCanvas::pt(axis_pt) / 2;
    canvas_.line({area.left() - half, area.bottom()}, {area.right(), area.bottom()}, FigureCanvas::axisInk(),
                 axis_pt);
    canvas_.line({area.left(), area.top()}, {area.left(), area.bottom() + half}, FigureCanvas::axisInk(),
                 axis_pt);
    canvas_.text(
        {area.center().x(), area.bottom() + tick + FigureCanvas::mm(0.5) + canvas_.textHeight() * 1.5},
        axisTitle(panel_.x, panel_.x_title, x_ticks_.factor_name), TextAnchor::centre);
    const QString title =
        panel_.y_title.empty() ? metricTitle(panel_.metric) : QString::fromStdString(panel_.y_title);
    canvas_.text(
        {area.left() - leftRoom() + FigureCanvas::mm(outer_mm) + canvas_.textHeight() / 2, area.center().y()},
        title, TextAnchor::centre, 400, FigureCanvas::ink(), true);
}

void CurvesPanel::drawBand(const FigureSeries& series, const SeriesLook& look) {
    if (!has_band(series) || separate_seeds(spec_, series)) {
        return;
    }
    QColor fill = look.colour;
    fill.setAlphaF(0.15f);
    canvas_.band(frame_, *series.low, *series.high, fill);
    canvas_.facts().spread_shown = true;
}

void CurvesPanel::drawSeries(const FigureSeries& series, const SeriesLook& look, int columns) {
    const QPen pen = pen_of(look, canvas_.linePt());
    std::vector<CurvePtr> curves{series.mean};
    if (separate_seeds(spec_, series)) {
        curves.clear();
        for (const FigureLine& line : series.lines) {
            curves.push_back(line.shown);
        }
        canvas_.facts().spread_shown = true;
    }
    for (const CurvePtr& curve : curves) {
        canvas_.curve(frame_, *curve, columns, pen);
        if (curve->size() > most_markers || spec_.style.series_by == SeriesBy::hue) {
            continue;
        }
        for (std::size_t i = 0; i < curve->size(); ++i) {
            const QPointF place = frame_.place(curve->x(i), curve->y(i));
            if (isInside(frame_.panel, place)) {
                canvas_.marker(place, look.marker, look.colour, FigureCanvas::pt(canvas_.linePt()) * 1.6);
            }
        }
    }
}

void CurvesPanel::drawThreshold() {
    if (!panel_.threshold) {
        return;
    }
    const double y = frame_.place(frame_.x_range.lower, *panel_.threshold).y();
    if (!(y >= frame_.panel.top() && y <= frame_.panel.bottom())) {
        return;
    }
    canvas_.line({frame_.panel.left(), y}, {frame_.panel.right(), y}, FigureCanvas::faintInk(), axis_pt,
                 {5, 3});
    // A tick at its place says the same.
    if (std::any_of(y_ticks_.major.begin(), y_ticks_.major.end(),
                    [&](const Tick& tick) { return tick.value == *panel_.threshold; })) {
        return;
    }
    const QString label = QString::fromStdString(format_significant(*panel_.threshold, 3));
    QString text = label;
    while (text.contains(QLatin1Char('.')) && text.endsWith(QLatin1Char('0'))) {
        text.chop(1);
    }
    canvas_.text({frame_.panel.left() + FigureCanvas::mm(1), y - canvas_.textHeight() * 0.5}, text);
}

void CurvesPanel::drawCrossings(const std::vector<SeriesLook>& looks) {
    if (panel_.threshold && panel_.compare_crossings) {
        drawGap(*panel_.threshold);
    }
    for (const FigureSeries& series : data_.series) {
        const double level = series.level;
        const double y_level = frame_.place(frame_.x_range.lower, level).y();
        if (std::isfinite(level) && y_level >= frame_.panel.top() && y_level <= frame_.panel.bottom()) {
            canvas_.line({frame_.panel.left(), y_level}, {frame_.panel.right(), y_level},
                         look_of(looks, series).colour, axis_pt, {5, 3});
        }
        if (!std::isfinite(series.arrival) || (!panel_.threshold && !std::isfinite(level))) {
            continue;
        }
        // One seed: the recorded point. Several: their median lies on no curve, so it is marked on the line.
        const double y = several_seeds(series) && panel_.threshold
                             ? *panel_.threshold
                             : interpolate(*series.mean, series.arrival);
        const QPointF place = frame_.place(series.arrival, y);
        if (isInside(frame_.panel, place)) {
            canvas_.marker(place, 0, look_of(looks, series).colour, FigureCanvas::pt(canvas_.linePt()) * 1.9);
        }
    }
}

void CurvesPanel::drawGap(double threshold) {
    std::vector<Arrival> arrivals;
    for (const FigureSeries& series : data_.series) {
        double end = 0;
        for (const FigureLine& line : series.lines) {
            end = std::max(end, line.shown->is_empty() ? 0 : line.shown->back().x);
        }
        arrivals.push_back({series.arrival, end});
    }
    const auto gap = slowest_gap(arrivals);
    if (!gap || gap->to > frame_.x_range.upper * (1 + 1e-9) || gap->from < frame_.x_range.lower) {
        return;
    }
    const QRectF& area = frame_.panel;
    const double from = frame_.place(gap->from, threshold).x();
    const double to = frame_.place(gap->to, threshold).x();
    const double top = frame_.place(gap->from, threshold).y();
    const QVector<qreal> dots{1, 2.5};
    canvas_.line({from, top}, {from, area.bottom()}, FigureCanvas::faintInk(), axis_pt, dots);
    if (!gap->at_least) {
        canvas_.line({to, top}, {to, area.bottom()}, FigureCanvas::faintInk(), axis_pt, dots);
    }
    const bool counts = panel_.x == "tokens" || panel_.x == "flops";
    const std::string amount = counts               ? format_si(gap->more())
                               : panel_.x == "step" ? format_count(std::llround(gap->more()))
                                                    : format_duration(gap->more());
    const QString unit = panel_.x == "tokens"  ? QStringLiteral(" tokens")
                         : panel_.x == "flops" ? QStringLiteral(" FLOPs")
                         : panel_.x == "step"  ? QStringLiteral(" steps")
                                               : QString();
    const QString over = gap->at_least ? QStringLiteral("over ") : QString();
    const QString ratio = over + QString::fromStdString(format_fixed(gap->ratio(), 1)) + QStringLiteral(" ×");
    const QString more = over + QString::fromStdString(amount) + QStringLiteral("%1 more, ") + ratio;
    const auto half_of = [&](const QString& words) {
        return canvas_.textWidth(words, 500) / 2 + FigureCanvas::mm(1);
    };
    const double y = top + (area.bottom() - top) * 0.31;
    const double end = FigureCanvas::mm(0.8);
    // The text keeps left of the slowest curve, which rises before it gets there.
    double free = to;
    const double level = frame_.y_map.backward(
        frame_.y_map.forward(frame_.y_range.lower) +
        (area.bottom() - y) / area.height() *
            (frame_.y_map.forward(frame_.y_range.upper) - frame_.y_map.forward(frame_.y_range.lower)));
    if (const auto rises = first_crossing(*data_.series[gap->slowest].mean, level)) {
        free = std::min(to, frame_.place(rises->between, level).x());
    }
    // As much as there is room for between the curves; the unit stands at the axis as well.
    QString text = more.arg(unit);
    for (const QString& shorter : {more.arg(QString()), ratio}) {
        if (2 * half_of(text) <= free - from) {
            break;
        }
        text = shorter;
    }
    const double half = half_of(text);
    const bool fits = 2 * half + FigureCanvas::mm(3) < free - from;
    const double middle = fits ? (from + free) / 2
                               : std::clamp((from + free) / 2, area.left() + half,
                                            std::max(area.left() + half, area.right() - half));
    const QColor ink = FigureCanvas::faintInk();
    canvas_.line({from, y - end}, {from, y + end}, ink, axis_pt * 1.2);
    if (fits) {
        canvas_.line({from, y}, {middle - half, y}, ink, axis_pt * 1.2);
        canvas_.line({middle + half, y}, {to, y}, ink, axis_pt * 1.2);
    } else {
        canvas_.line({from, y}, {to, y}, ink, axis_pt * 1.2);
    }
    if (gap->at_least) {
        canvas_.line({to, y}, {to - end * 1.3, y - end}, ink, axis_pt * 1.2);
        canvas_.line({to, y}, {to - end * 1.3, y + end}, ink, axis_pt * 1.2);
    } else {
        canvas_.line({to, y - end}, {to, y + end}, ink, axis_pt * 1.2);
    }
    const QPointF place(middle, fits ? y : y - canvas_.textHeight() * 0.75);
    const QRectF box(place.x() - half, place.y() - canvas_.textHeight() / 2, 2 * half, canvas_.textHeight());
    if (!fits) {
        canvas_.rectangle(box, QColor(255, 255, 255, 215));
    }
    canvas_.text(place, text, TextAnchor::centre, 500);
    bracket_ = box.united(QRectF(from, y - end, to - from, 2 * end));
}

}  // namespace braid::ui
