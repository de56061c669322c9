#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/crossing.h"
#include "core/analysis/number_format.h"
#include "core/analysis/spread.h"
#include "widgets/common/mixer_style.h"
#include "widgets/plot/layers.h"

namespace braid::ui {
namespace {

constexpr int label_height = 16;
constexpr int tick_length = 14;  // the bit of line before a label
constexpr int most_line_ends = 10;
constexpr int most_in_legend = 12;
constexpr int most_end_marks = 12;

QFont tickFont(int weight = 400) { return Theme::instance().font(TypeStep::tick, weight); }

// QRectF::contains() says yes to NaN.
bool isInside(const QRectF& rect, const QPointF& place) {
    return std::isfinite(place.x()) && std::isfinite(place.y()) && rect.contains(place);
}

QColor withAlpha(QColor colour, qreal alpha) {
    colour.setAlphaF(static_cast<float>(alpha));
    return colour;
}

}  // namespace

MarksLayer::MarksLayer(PlotState* state) : QCPLayerable(state->plot, QStringLiteral("axes")), state_(state) {}

void MarksLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    applyAntialiasingHint(painter, true, QCP::aeItems);
}

std::vector<MarksLayer::Label> MarksLayer::collectLabels() const {
    std::vector<Label> labels;
    for (const int index : state_->visibleSeries()) {
        const SeriesView& view = state_->views[static_cast<std::size_t>(index)];
        if (state_->series[index].curve->is_empty()) {
            continue;  // there is no line to name
        }
        labels.push_back(
            {index, state_->series[index].label, view.last ? state_->valueText(view.last->y) : QString()});
    }
    return labels;
}

int MarksLayer::labelWidth() {
    state_->labelsNow = PlotLabels::none;
    const std::vector<Label> labels = collectLabels();
    const auto count = static_cast<int>(labels.size());
    if (state_->labels == PlotLabels::none || count == 0 ||
        (state_->compact && state_->labels == PlotLabels::automatic)) {
        return 0;
    }
    if (state_->labels == PlotLabels::legend) {
        state_->labelsNow = PlotLabels::legend;
        return 0;
    }
    int name = 0;
    int value = 0;
    const QFontMetrics bold(tickFont(600));
    const QFontMetrics plain(tickFont());
    for (const Label& label : labels) {
        name = std::max(name, bold.horizontalAdvance(label.name));
        value = std::max(value, plain.horizontalAdvance(label.value));
    }
    const int width = 8 + tick_length + 6 + name + 12 + value + 8;
    const bool fits = count <= most_line_ends && count * label_height < state_->plot->height() - 60 &&
                      width < state_->plot->width() * 2 / 5;
    if (fits || state_->labels == PlotLabels::lineEnds) {
        state_->labelsNow = PlotLabels::lineEnds;
        return width;
    }
    if (state_->labels == PlotLabels::automatic && count <= most_in_legend && state_->plot->height() > 120 &&
        state_->plot->width() > 220) {
        state_->labelsNow = PlotLabels::legend;
    }
    return 0;
}

int MarksLayer::labelAt(const QPointF& place) const {
    for (const auto& [rect, index] : labelRects_) {
        if (rect.contains(place)) {
            return index;
        }
    }
    return -1;
}

void MarksLayer::draw(QCPPainter* painter) {
    labelRects_.clear();
    painter->setFont(tickFont());
    drawXTitle(painter);
    drawVerticalMarks(painter);
    drawThreshold(painter);
    drawEnds(painter);
    if (state_->labelsNow == PlotLabels::lineEnds) {
        drawLineEndLabels(painter);
    } else if (state_->labelsNow == PlotLabels::legend) {
        drawLegend(painter);
    }
}

// Right beneath the axis, with the factor of its labels: "training tokens, M".
void MarksLayer::drawXTitle(QCPPainter* painter) const {
    if (state_->compact || state_->xTitle.isEmpty()) {
        return;
    }
    const QRectF area = state_->area();
    const QString factor = QString::fromStdString(
        make_ticks(state_->xMap, state_->xRange(), state_->xTickOptions()).factor_name);
    const QString text = factor.isEmpty() ? state_->xTitle : state_->xTitle + QStringLiteral(", ") + factor;
    const int height = QFontMetrics(painter->font()).height();
    painter->setPen(state_->tokens().text2);
    painter->drawText(QRectF(area.left(), state_->plot->height() - height - 3, area.width(), height),
                      Qt::AlignRight | Qt::AlignVCenter, text);
}

void MarksLayer::drawVerticalMarks(QCPPainter* painter) const {
    const Tokens& colours = state_->tokens();
    const QRectF area = state_->area();
    for (const PlotVerticalMark& mark : state_->marks) {
        const double x = state_->xPixel(mark.x);
        if (!(x >= area.left() && x <= area.right())) {
            continue;
        }
        const QColor colour = mark.colour >= 0 ? runColour(mark.colour, colours) : colours.text3;
        QPen pen(colour, 1.2);
        pen.setDashPattern({2, 3});
        painter->setPen(pen);
        const double pixel = std::floor(x) + 0.5;
        painter->drawLine(QPointF(pixel, area.top()), QPointF(pixel, area.bottom()));
        if (state_->compact || mark.label.isEmpty()) {
            continue;
        }
        // "decay" at the top, right of the line; "resume" at the bottom; turned over where there is no room.
        const QFontMetrics metrics(painter->font());
        const int width = metrics.horizontalAdvance(mark.label);
        const bool right = pixel + 4 + width < area.right();
        const double top =
            mark.style == MarkStyle::resume ? area.bottom() - metrics.height() - 2 : area.top() + 2;
        const QRectF rect(right ? pixel + 4 : pixel - 4 - width, top, width, metrics.height());
        painter->fillRect(rect.adjusted(-1, 0, 1, 0), withAlpha(colours.surface, 0.8));
        painter->setPen(colours.text2);
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, mark.label);
    }
}

void MarksLayer::drawThreshold(QCPPainter* painter) const {
    if (!state_->threshold) {
        return;
    }
    const PlotThreshold& threshold = *state_->threshold;
    const Tokens& colours = state_->tokens();
    const QRectF area = state_->area();
    const double y = std::floor(state_->yPixel(threshold.value)) + 0.5;
    if (!(y >= area.top() && y <= area.bottom())) {
        return;
    }
    QPen pen(colours.text2, 1);
    pen.setDashPattern({4, 3});
    painter->setPen(pen);
    painter->drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    if (!state_->compact && !threshold.label.isEmpty()) {
        painter->setFont(tickFont(500));
        const QFontMetrics metrics(painter->font());
        QRectF rect(area.left() + 5, y - metrics.height() - 1, metrics.horizontalAdvance(threshold.label) + 2,
                    metrics.height());
        if (rect.top() < area.top()) {
            rect.moveTop(y + 2);
        }
        painter->setPen(colours.text1);
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, threshold.label);
        painter->setFont(tickFont());
    }
    const std::vector<int> shown = state_->visibleSeries();
    if (threshold.compare && !state_->compact) {
        drawGap(painter, shown);
    }
    if (!threshold.markCrossings || state_->compact || shown.size() > most_end_marks) {
        return;
    }
    for (const int index : shown) {
        const auto crossing = first_crossing(*state_->series[index].curve, threshold.value);
        if (!crossing) {
            continue;
        }
        const QPointF place(state_->xPixel(crossing->point.x), state_->yPixel(crossing->point.y));
        if (isInside(area, place)) {
            painter->setPen(QPen(colours.surface, 1.5));
            painter->setBrush(state_->colourOf(state_->series[index]));
            painter->drawEllipse(place, 5, 5);
        }
    }
}

// Between the two slowest: two dotted falls and a bracket with its text.
void MarksLayer::drawGap(QCPPainter* painter, const std::vector<int>& shown) const {
    const PlotThreshold& threshold = *state_->threshold;
    std::vector<CurvePtr> curves;
    for (const int index : shown) {
        const PlotSeries& one = state_->series[index];
        const bool named = !threshold.compareFrom.isEmpty() || !threshold.compareTo.isEmpty();
        if (!named || one.id == threshold.compareFrom || one.id == threshold.compareTo) {
            curves.push_back(one.curve);
        }
    }
    const auto gap = slowest_gap(curves, threshold.value);
    if (!gap) {
        return;
    }
    const Tokens& colours = state_->tokens();
    const QRectF area = state_->area();
    const double from = std::floor(state_->xPixel(gap->from)) + 0.5;
    const double to = std::floor(state_->xPixel(gap->to)) + 0.5;
    if (!(from >= area.left() && to <= area.right() + 1)) {
        return;
    }
    const double top = state_->yPixel(threshold.value);
    QPen dotted(colours.text3, 1);
    dotted.setDashPattern({1.5, 3});
    painter->setPen(dotted);
    painter->drawLine(QPointF(from, top), QPointF(from, area.bottom()));
    if (!gap->at_least) {
        painter->drawLine(QPointF(to, top), QPointF(to, area.bottom()));
    }
    const QString amount =
        state_->factorX ? QString::fromStdString(format_si(gap->more())) : state_->xText(gap->more());
    const QString unit = threshold.unit.isEmpty() ? QString() : QLatin1Char(' ') + threshold.unit;
    const QString ratio = QString::fromStdString(format_fixed(gap->ratio(), 1));
    const auto more = [&](const QString& of) {
        return gap->at_least ? CurvePlot::tr("over %1%2 more, over %3 ×").arg(amount, of, ratio)
                             : CurvePlot::tr("%1%2 more, %3 ×").arg(amount, of, ratio);
    };
    painter->setFont(tickFont(600));
    const QFontMetrics metrics(painter->font());
    const double y = std::floor(top + (area.bottom() - top) * 0.31) + 0.5;
    // The words keep left of the slowest curve, which rises before it gets there.
    double free = to;
    const double level = state_->yMap.backward(state_->plot->yAxis->pixelToCoord(y));
    if (const auto rises = first_crossing(*curves[gap->slowest], level)) {
        free = std::clamp(state_->xPixel(rises->between), from, to);
    }
    // As much as there is room for between the curves; the unit stands at the axis as well.
    QString text = more(unit);
    for (const QString& shorter : {more(QString()), gap->at_least ? CurvePlot::tr("over %1 ×").arg(ratio)
                                                                  : CurvePlot::tr("%1 ×").arg(ratio)}) {
        if (metrics.horizontalAdvance(text) + 14 <= free - from) break;
        text = shorter;
    }
    const double width = metrics.horizontalAdvance(text);
    painter->setPen(QPen(colours.text2, 1.2));
    painter->drawLine(QPointF(from, y), QPointF(to, y));
    painter->drawLine(QPointF(from, y - 4), QPointF(from, y + 4));
    if (gap->at_least) {
        painter->drawLine(QPointF(to, y), QPointF(to - 6, y - 4));
        painter->drawLine(QPointF(to, y), QPointF(to - 6, y + 4));
    } else {
        painter->drawLine(QPointF(to, y - 4), QPointF(to, y + 4));
    }
    QRectF rect(0, 0, width + 14, metrics.height() + 2);
    rect.moveCenter(QPointF((from + free) / 2, y));
    if (width + 40 > free - from) {  // no room inside the bracket: above it, within the panel
        rect.moveBottom(y - 5);
        rect.moveLeft(
            std::clamp(rect.left(), area.left(), std::max(area.left(), area.right() - rect.width())));
    }
    painter->fillRect(rect, withAlpha(colours.surface, 0.92));
    painter->setPen(colours.text1);
    painter->drawText(rect, Qt::AlignCenter, text);
    painter->setFont(tickFont());
}

// The last point of a curve; a halo while it grows.
void MarksLayer::drawEnds(QCPPainter* painter) const {
    const std::vector<int> shown = state_->visibleSeries();
    const QRectF area = QRectF(state_->area()).adjusted(-1, -1, 1, 1);
    if (state_->compact || shown.size() > most_end_marks) {
        return;
    }
    for (const int index : shown) {
        const PlotSeries& one = state_->series[index];
        const auto& last = state_->views[static_cast<std::size_t>(index)].last;
        if (!last) {
            continue;
        }
        const QPointF place(state_->xPixel(last->x), state_->yPixel(last->y));
        if (!isInside(area, place)) {
            continue;
        }
        const QColor colour = state_->colourOf(one);
        if (one.live) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(withAlpha(colour, 0.25));
            painter->drawEllipse(place, 8, 8);
        } else if (state_->threshold && state_->threshold->markCrossings) {
            continue;  // dots mean crossings there
        }
        painter->setPen(QPen(state_->tokens().surface, 1.2));
        painter->setBrush(colour);
        painter->drawEllipse(place, 4, 4);
    }
}

void MarksLayer::drawLineEndLabels(QCPPainter* painter) {
    const Tokens& colours = state_->tokens();
    const QRectF area = state_->area();
    std::vector<Label> labels = collectLabels();
    std::vector<double> wanted;
    for (const Label& label : labels) {
        const auto& last = state_->views[static_cast<std::size_t>(label.series)].last;
        double y = last ? state_->yPixel(last->y) : area.bottom();
        y = std::isfinite(y) ? std::clamp(y, area.top(), area.bottom()) : area.bottom();
        // Pixels grow downwards and equal ends keep the order of the series.
        wanted.push_back(y);
    }
    const double half = label_height / 2.0;
    const std::vector<double> places =
        spread_apart(wanted, label_height, area.top() + half - 4, area.bottom() - half + 4);
    const double left = area.right() + 8;
    const QFont bold = tickFont(600);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const PlotSeries& one = state_->series[labels[i].series];
        const double y = std::round(places[i]);
        painter->setPen(samplePen(state_->lookOf(one), 2.4));
        painter->drawLine(QPointF(left, y), QPointF(left + tick_length, y));
        const QRectF rect(left + tick_length + 6, y - half, state_->plot->width() - left - tick_length - 14,
                          label_height);
        painter->setPen(colours.text1);
        painter->setFont(bold);
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, labels[i].name);
        painter->setFont(tickFont());
        painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter, labels[i].value);
        labelRects_.emplace_back(QRectF(left, rect.top(), rect.right() - left, label_height),
                                 labels[i].series);
    }
}

// The corner of the panel that covers the fewest drawn points.
QRectF MarksLayer::emptiestCorner(const QSizeF& size) const {
    const QRectF area = QRectF(state_->area()).adjusted(8, 8, -8, -8);
    const QRectF corners[] = {{area.topRight() - QPointF(size.width(), 0), size},
                              {area.topLeft(), size},
                              {area.bottomRight() - QPointF(size.width(), size.height()), size},
                              {area.bottomLeft() - QPointF(0, size.height()), size}};
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    QRectF best = corners[0];
    for (const QRectF& corner : corners) {
        std::size_t covered = 0;
        for (const int index : state_->visibleSeries()) {
            const Detail& drawn = state_->views[static_cast<std::size_t>(index)].detail;
            QPointF before;
            for (std::size_t i = 0; i < drawn.points.size(); ++i) {
                const QPointF place(state_->xPixel(drawn.points[i].x), state_->yPixel(drawn.points[i].y));
                // Short curves: the line between two points counts as well.
                if (i > 0 && drawn.points.size() < 400) {
                    for (int part = 1; part < 8; ++part) {
                        covered += isInside(corner, before + (place - before) * part / 8.0) ? 1 : 0;
                    }
                }
                covered += isInside(corner, place) ? 1 : 0;
                before = place;
            }
        }
        if (covered < fewest) {
            fewest = covered;
            best = corner;
        }
    }
    return best;
}

void MarksLayer::drawLegend(QCPPainter* painter) {
    const Tokens& colours = state_->tokens();
    const std::vector<Label> labels = collectLabels();
    const QFontMetrics metrics(tickFont(500));
    int width = 0;
    for (const Label& label : labels) {
        width = std::max(width, metrics.horizontalAdvance(label.name));
    }
    const QSizeF size(width + 12 + 18 + 6 + 10, static_cast<double>(labels.size()) * label_height + 10);
    const QRectF box = emptiestCorner(size);
    painter->setPen(QPen(colours.border, 1));
    painter->setBrush(withAlpha(colours.surface, 0.92));
    painter->drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), metrics::radiusField, metrics::radiusField);
    painter->setFont(tickFont(500));
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const double y = box.top() + 5 + (static_cast<double>(i) + 0.5) * label_height;
        painter->setPen(samplePen(state_->lookOf(state_->series[labels[i].series]), 2));
        painter->drawLine(QPointF(box.left() + 10, y), QPointF(box.left() + 28, y));
        const QRectF rect(box.left() + 34, y - label_height / 2.0, box.width() - 40, label_height);
        painter->setPen(colours.text1);
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, labels[i].name);
        labelRects_.emplace_back(QRectF(box.left(), rect.top(), box.width(), label_height), labels[i].series);
    }
}

}  // namespace braid::ui
