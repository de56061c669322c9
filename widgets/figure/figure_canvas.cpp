#include "widgets/figure/figure_canvas.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/common/theme.h"

namespace braid::ui {
namespace {

// Part of the segment a-b inside the rectangle (Liang and Barsky); false if there is none.
bool clipSegment(const QRectF& rect, QPointF& a, QPointF& b) {
    const double dx = b.x() - a.x();
    const double dy = b.y() - a.y();
    double from = 0;
    double to = 1;
    const auto cut = [&](double direction, double distance) {
        if (direction == 0) {
            return distance >= 0;
        }
        const double share = distance / direction;
        if (direction < 0) {
            from = std::max(from, share);
        } else {
            to = std::min(to, share);
        }
        return from <= to;
    };
    if (!cut(-dx, a.x() - rect.left()) || !cut(dx, rect.right() - a.x()) || !cut(-dy, a.y() - rect.top()) ||
        !cut(dy, rect.bottom() - a.y())) {
        return false;
    }
    const QPointF start = a;
    a = start + QPointF(dx, dy) * from;
    b = start + QPointF(dx, dy) * to;
    return true;
}

QPointF rounded(const QPointF& point) { return {std::round(point.x()), std::round(point.y())}; }

}  // namespace

bool isInside(const QRectF& rect, const QPointF& place) {
    return std::isfinite(place.x()) && std::isfinite(place.y()) && rect.contains(place);
}

QString figureFontFamily(const QString& wish) {
    return wish.isEmpty() ? Theme::instance().font().family() : wish;
}

QVector<qreal> figureDashes(int number) {
    static const QVector<qreal> patterns[figure_dash_count] = {
        {}, {5, 2}, {1.4, 1.6}, {7, 1.8, 1.4, 1.8}, {3, 1.5}, {9, 2.5}, {5, 1.5, 1.2, 1.5, 1.2, 1.5}, {1, 3}};
    return patterns[((number % figure_dash_count) + figure_dash_count) % figure_dash_count];
}

SeriesLook seriesLook(SeriesBy by, int place, int paletteIndex, const QString& label) {
    SeriesLook look{label, lightTokens().runs[static_cast<std::size_t>(((paletteIndex % 8) + 8) % 8)], 0, 0};
    if (by != SeriesBy::hue) {
        look.dash = place % figure_dash_count;
        look.marker = place % figure_marker_count;
    } else if (paletteIndex >= 8) {
        look.dash = paletteIndex / 8 % figure_dash_count;  // the hue comes again
    }
    if (by == SeriesBy::dash) {
        look.colour = FigureCanvas::ink();
    }
    return look;
}

FigureCanvas::FigureCanvas(QPainter& painter, const FigureStyle& style)
    : painter_(painter), style_(style), family_(figureFontFamily(QString::fromStdString(style.font))) {
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.setRenderHint(QPainter::TextAntialiasing);
}

QFont FigureCanvas::fontOf(int weight, double scale) const {
    QFont font(family_);
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(pt(style_.font_pt * scale)))));
    font.setWeight(static_cast<QFont::Weight>(weight));
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setStyleStrategy(QFont::ForceOutline);
    return font;
}

double FigureCanvas::textWidth(const QString& text, int weight, double scale) const {
    return QFontMetricsF(fontOf(weight, scale)).horizontalAdvance(text);
}

double FigureCanvas::textHeight(double scale) const { return pt(style_.font_pt * scale) * 1.2; }

void FigureCanvas::text(const QPointF& place, const QString& text, TextAnchor anchor, int weight,
                        const QColor& colour, bool turned) {
    if (text.isEmpty()) {
        return;
    }
    const QFont font = fontOf(weight, 1);
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance(text);
    const double shift = anchor == TextAnchor::left ? 0 : anchor == TextAnchor::centre ? -width / 2 : -width;
    // Half the height of capitals and digits below the middle.
    const double drop = metrics.capHeight() / 2;
    painter_.save();
    painter_.translate(place);
    if (turned) {
        painter_.rotate(-90);
    }
    const QPointF baseline(shift, drop);
    if (style_.text == TextAs::paths) {
        QPainterPath path;
        path.addText(baseline, font, text);
        painter_.fillPath(path, colour);
    } else {
        painter_.setFont(font);
        painter_.setPen(colour);
        painter_.drawText(baseline, text);
    }
    painter_.restore();
    facts_.smallest_pt =
        facts_.smallest_pt == 0 ? style_.font_pt : std::min(facts_.smallest_pt, style_.font_pt);
    facts_.families.insert(family_);
    facts_.texts.append(text);
}

void FigureCanvas::line(const QPointF& from, const QPointF& to, const QColor& colour, double widthPt,
                        const QVector<qreal>& dashes) {
    QPen pen(colour, pt(widthPt), Qt::SolidLine, Qt::FlatCap);
    if (!dashes.isEmpty()) {
        pen.setDashPattern(dashes);
    }
    painter_.setPen(pen);
    painter_.drawLine(from, to);
}

void FigureCanvas::rectangle(const QRectF& rect, const QColor& fill) {
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(fill);
    painter_.drawRect(rect);
    painter_.setBrush(Qt::NoBrush);
}

void FigureCanvas::polygon(const QPolygonF& polygon, const QColor& fill) {
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(fill);
    painter_.drawPolygon(polygon);
    painter_.setBrush(Qt::NoBrush);
}

QPointF FigureCanvas::Frame::place(double x, double y) const {
    const double left = x_map.forward(x_range.lower);
    const double right = x_map.forward(x_range.upper);
    const double low = y_map.forward(y_range.lower);
    const double high = y_map.forward(y_range.upper);
    return {panel.left() + (x_map.forward(x) - left) / (right - left) * panel.width(),
            panel.bottom() - (y_map.forward(y) - low) / (high - low) * panel.height()};
}

void FigureCanvas::curve(const Frame& frame, const Curve& curve, int columns, const QPen& pen) {
    const Detail drawn = detail(
        curve, {.x_range = frame.x_range, .columns = columns, .x_map = frame.x_map, .y_map = frame.y_map});
    const std::size_t begin = curve.lower_bound(frame.x_range.lower);
    const std::size_t end = curve.upper_bound(frame.x_range.upper);
    facts_.points += end - begin;
    facts_.missing += drawn.missing;
    facts_.outside += drawn.at_edge;
    const CurveSummary summary = curve.summarize(begin, end);
    if (summary.finite > 0 && (summary.min < frame.y_range.lower || summary.max > frame.y_range.upper)) {
        for (std::size_t i = begin; i < end; ++i) {
            const double y = curve.y(i);
            facts_.outside += frame.y_map.defined(y) && (y < frame.y_range.lower || y > frame.y_range.upper);
        }
    }

    painter_.setPen(pen);
    painter_.setBrush(Qt::NoBrush);
    // A hair of room, so that a line along the edge keeps its width.
    const QRectF clip = frame.panel.adjusted(-1, -1, 1, 1);
    QPolygonF part;
    const auto flush = [&] {
        if (part.size() > 1) {
            painter_.drawPolyline(part);
        }
        part.clear();
    };
    const auto add = [&](const QPointF& point) {
        const QPointF place = rounded(point);
        if (part.isEmpty() || part.back() != place) {
            part.append(place);
        }
        // Long paths that cross themselves cost a rasteriser far more than their pieces.
        if (part.size() >= 256 && pen.style() == Qt::SolidLine) {
            flush();
            part.append(place);
        }
    };
    for (std::size_t line = 0; line < drawn.line_begin.size(); ++line) {
        for (std::size_t i = drawn.line_begin[line] + 1; i < drawn.line_end(line); ++i) {
            QPointF a = frame.place(drawn.points[i - 1].x, drawn.points[i - 1].y);
            QPointF b = frame.place(drawn.points[i].x, drawn.points[i].y);
            const QPointF wanted = b;
            if (!clipSegment(clip, a, b)) {
                flush();
                continue;
            }
            if (!part.isEmpty() && part.back() != rounded(a)) {
                flush();
            }
            add(a);
            add(b);
            if (b != wanted) {
                flush();
            }
        }
        flush();
    }
    const double radius = pen.widthF() * 1.1;
    for (const CurvePoint& dot : drawn.dots) {
        const QPointF place = frame.place(dot.x, dot.y);
        if (isInside(clip, place)) {
            marker(place, 0, pen.color(), radius);
        }
    }
    for (const EdgeMark& mark : drawn.marks) {
        const bool up = mark.kind == EdgeMarkKind::plus_inf;
        const double x = frame.place(mark.x, frame.y_range.upper).x();
        const double tip = up ? frame.panel.top() : frame.panel.bottom();
        const double base = tip + (up ? 1 : -1) * mm(1.2);
        polygon({{QPointF(x, tip), QPointF(x - mm(0.7), base), QPointF(x + mm(0.7), base)}}, pen.color());
    }
}

void FigureCanvas::band(const Frame& frame, const Curve& low, const Curve& high, const QColor& fill) {
    const auto inside = [&](double y) {
        return frame.place(frame.x_range.lower, std::clamp(y, frame.y_range.lower, frame.y_range.upper)).y();
    };
    QPolygonF upper;
    QPolygonF lower;
    const auto flush = [&] {
        if (upper.size() > 1) {
            std::reverse(lower.begin(), lower.end());
            polygon(upper + lower, fill);
        }
        upper.clear();
        lower.clear();
    };
    const std::size_t count = std::min(low.size(), high.size());
    // At most one corner for each tenth of a millimetre.
    const std::size_t every = std::max<std::size_t>(
        1, count / std::max<std::size_t>(1, static_cast<std::size_t>(frame.panel.width() / mm(0.1))));
    for (std::size_t i = 0; i < count; i += every) {
        const std::size_t end = std::min(count, i + every);
        const CurveSummary below = low.summarize(i, end);
        const CurveSummary above = high.summarize(i, end);
        const double x = low.x(i);
        if (x < frame.x_range.lower || x > frame.x_range.upper) {
            continue;
        }
        const double least =
            frame.y_map.scale == AxisScale::log ? std::max(below.min, frame.y_range.lower) : below.min;
        if (below.finite == 0 || above.finite == 0) {
            flush();
            continue;
        }
        const double place = frame.place(x, frame.y_range.upper).x();
        lower.append(rounded({place, inside(least)}));
        upper.append(rounded({place, inside(std::max(above.max, frame.y_range.lower))}));
    }
    flush();
}

void FigureCanvas::marker(const QPointF& place, int kind, const QColor& colour, double radius) {
    painter_.setPen(QPen(Qt::white, radius * 0.25));
    painter_.setBrush(colour);
    const double r = radius;
    const auto corners = [&](std::initializer_list<QPointF> points) {
        QPolygonF shape;
        for (const QPointF& point : points) {
            shape.append(place + point);
        }
        painter_.drawPolygon(shape);
    };
    switch (kind % figure_marker_count) {
        case 1:
            painter_.drawRect(QRectF(place.x() - r * 0.85, place.y() - r * 0.85, 1.7 * r, 1.7 * r));
            break;
        case 2:
            corners({{0, -r * 1.15}, {r, r * 0.75}, {-r, r * 0.75}});
            break;
        case 3:
            corners({{0, -r * 1.2}, {r * 1.2, 0}, {0, r * 1.2}, {-r * 1.2, 0}});
            break;
        case 4:
            corners({{0, r * 1.15}, {r, -r * 0.75}, {-r, -r * 0.75}});
            break;
        default:
            painter_.drawEllipse(place, r, r);
    }
    painter_.setBrush(Qt::NoBrush);
}

}  // namespace braid::ui
