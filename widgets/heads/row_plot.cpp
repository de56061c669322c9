#include "widgets/heads/row_plot.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/heads/map_layout.h"
#include "widgets/heads/map_scene_maker.h"

namespace braid::ui {

RowPlot::RowPlot(HeadSide side, HeadsState& state, QWidget* parent)
    : QWidget(parent), side_(side), state_(state) {
    setMouseTracking(true);
    setAccessibleName(tr("Weights of the row"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    for (const auto signal : {&HeadsState::headsChanged, &HeadsState::viewportChanged,
                              &HeadsState::cursorChanged, &HeadsState::linesChanged})
        connect(&state_, signal, this, [this] {
            describe();
            update();
        });
}

void RowPlot::setMapWidth(double width) {
    width_ = width;
    update();
}

void RowPlot::describe() {
    const std::vector<float>& line = state_.shownLine(side_);
    if (line.empty() || !state_.cursor()) return setAccessibleDescription({});
    const bool less = state_.difference() && side_ == HeadSide::b;
    const auto most = std::max_element(line.begin(), line.end(),
                                       [](float a, float b) { return std::abs(a) < std::abs(b); });
    setAccessibleDescription(
        (less ? tr("largest difference, B less A, %1 at token %2") : tr("largest weight %1 at token %2"))
            .arg(formatSignificant(double(*most), 3), formatCount(most - line.begin())));
}

QRectF RowPlot::plotRect() const { return QRectF(MapLayout::left, 6, width_, std::max(24, height() - 26)); }

void RowPlot::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.fillRect(rect(), t.surface);
    const HeadPointer& head = state_.head(side_);
    if (!head) return;
    const QRectF plot = plotRect();
    const bool column = state_.lineIsColumn();
    const bool less = state_.difference() && side_ == HeadSide::b;
    const MapViewport view = state_.viewportOf(side_);
    const double first = column ? view.query : view.key;
    const auto x = [&](double token) { return plot.left() + (token - first) / view.span * plot.width(); };
    painter.setFont(Theme::instance().font(TypeStep::tick));
    painter.setPen(t.text2);
    painter.drawText(QRectF(0, plot.top(), 44, 16), Qt::AlignRight | Qt::AlignVCenter,
                     column ? tr("column") : tr("row"));
    painter.fillRect(plot, t.sunken);

    // The sink's share of the row, beside it.
    const std::vector<float>* sink = head->sink();
    if (sink && !column && !less && state_.cursor() && std::size_t(state_.cursor()->query) < sink->size()) {
        const QRectF bar(MapLayout::left - MapLayout::sink_gap - MapLayout::sink_width, plot.top(),
                         MapLayout::sink_width, plot.height());
        painter.fillRect(bar, t.sunken);
        const double share = std::clamp(double((*sink)[std::size_t(state_.cursor()->query)]), 0.0, 1.0);
        painter.fillRect(
            QRectF(bar.left(), bar.bottom() - bar.height() * share, bar.width(), bar.height() * share),
            t.text3);
        painter.setPen(QPen(t.border, 1));
        painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    if (!column) {
        for (const CaptureNeedle& needle : head->capture->needles) {
            const double left = std::max(x(double(needle.span.begin)), plot.left());
            const double right = std::min(std::max(x(double(needle.span.end)), left + 4), plot.right());
            QColor tint = t.mark;
            tint.setAlpha(90);
            if (right > left) painter.fillRect(QRectF(left, plot.top(), right - left, plot.height()), tint);
        }
    }
    const std::vector<float>& line = state_.shownLine(side_);
    if (!line.empty()) {
        double most = 0, least = 0;
        const auto tokens = std::int64_t(line.size());
        const auto begin = std::clamp<std::int64_t>(std::int64_t(first), 0, tokens);
        const auto end = std::clamp<std::int64_t>(std::int64_t(std::ceil(first + view.span)), 0, tokens);
        for (std::int64_t i = begin; i < end; ++i) {
            most = std::max(most, double(line[std::size_t(i)]));
            least = std::min(least, double(line[std::size_t(i)]));
        }
        const double high = std::max(most, -least) > 0 ? roundUp(std::max(most, -least)) : 1;
        const double zero = least < 0 ? plot.center().y() : plot.bottom() - 1;
        const double rise = (least < 0 ? plot.height() / 2 : plot.height()) - 4;
        QPolygonF outline;
        const double ratio = devicePixelRatioF();
        const int columns = std::max(1, int(plot.width() * ratio));
        for (int i = 0; i < columns; ++i) {
            const auto from = std::int64_t(first + view.span * i / columns);
            const auto to = std::max(from + 1, std::int64_t(first + view.span * (i + 1) / columns));
            double weight = 0;
            for (std::int64_t token = std::max<std::int64_t>(from, 0); token < std::min(to, tokens); ++token)
                if (std::abs(double(line[std::size_t(token)])) > std::abs(weight))
                    weight = double(line[std::size_t(token)]);
            outline << QPointF(plot.left() + (i + 0.5) / ratio, zero - weight / high * rise);
        }
        painter.save();
        painter.setClipRect(plot);
        painter.setRenderHint(QPainter::Antialiasing);
        QPolygonF area = outline;
        area << QPointF(plot.right(), zero) << QPointF(plot.left(), zero);
        QColor fill = t.text3;
        fill.setAlpha(90);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawPolygon(area);
        painter.setPen(QPen(t.text1, 1.3));
        painter.drawPolyline(outline);
        painter.restore();
        painter.setPen(t.text3);
        QString top = formatSignificant(high, 2);
        if (less)
            top = tr("B − A, %1").arg(top);
        else if (!head->exactRows())
            top = tr("at most, %1").arg(top);
        painter.drawText(QRectF(plot.left() + 4, plot.top() + 1, 90, 14), Qt::AlignLeft | Qt::AlignVCenter,
                         top);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (state_.cursor()) {
        const double at = std::floor(x(double(column ? state_.cursor()->query : state_.cursor()->key) + 0.5));
        if (at >= plot.left() && at <= plot.right())
            painter.fillRect(QRectF(at, plot.top(), 1, plot.height()), t.axis);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(t.border, 1));
    painter.drawRect(plot.adjusted(-0.5, -0.5, 0.5, 0.5));
    painter.setPen(t.text2);
    const int most = std::max(2, int(plot.width() / 70));
    for (const TokenTick& tick : tokenTicks(first, view.span, most)) {
        const double at = x(double(tick.token));
        const double half = painter.fontMetrics().horizontalAdvance(tick.label) / 2.0 + 1;
        const double middle = std::min(at, width() - half);
        painter.drawText(QRectF(middle - 40, plot.bottom() + 3, 80, 14), Qt::AlignHCenter | Qt::AlignVCenter,
                         tick.label);
    }
}

void RowPlot::mouseMoveEvent(QMouseEvent* event) {
    const QRectF plot = plotRect();
    if (!state_.cursor() || !plot.contains(event->position())) return;
    const MapViewport view = state_.viewportOf(side_);
    const double share = (event->position().x() - plot.left()) / plot.width() * view.span;
    MapCursor pair = *state_.cursor();
    if (state_.lineIsColumn())
        pair.query = std::int64_t(view.query + share);
    else
        pair.key = std::int64_t(view.key + share);
    if (state_.lock() != MapLock::none) state_.hover(pair);
}

// A click on a peak goes there.
void RowPlot::mousePressEvent(QMouseEvent* event) {
    mouseMoveEvent(event);
    if (state_.cursor() && !state_.viewport().isWhole())
        state_.setViewport(state_.viewport().showing(state_.cursor()->query, state_.cursor()->key));
}

}  // namespace braid::ui
