#include <algorithm>
#include <cmath>

#include "widgets/common/mixer_style.h"
#include "widgets/plot/layers.h"

namespace braid::ui {
namespace {

constexpr int most_readings = 8;

}  // namespace

OverlayLayer::OverlayLayer(PlotState* state)
    : QCPLayerable(state->plot, QStringLiteral("overlay")), state_(state) {}

void OverlayLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    applyAntialiasingHint(painter, true, QCP::aeItems);
}

void OverlayLayer::draw(QCPPainter* painter) {
    const Tokens& colours = state_->tokens();
    const QRectF area = state_->area();
    if (state_->hoverX && !state_->pointer) {
        const double x = std::floor(state_->xPixel(*state_->hoverX)) + 0.5;
        if (x >= area.left() && x <= area.right()) {
            painter->setPen(QPen(colours.axis, 1, Qt::DotLine));
            painter->drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        }
    }
    for (const int which : {0, 1}) {
        drawCursor(painter, which);
    }
    if (state_->boxZoom) {
        QColor fill = colours.ink;
        fill.setAlphaF(0.08f);
        painter->setPen(QPen(colours.ink, 1, Qt::DashLine));
        painter->setBrush(fill);
        painter->drawRect(state_->boxZoom->normalized().intersected(area));
    }
    if (state_->focusRing) {
        painter->setPen(QPen(colours.ink, 2));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(area.adjusted(-2, -2, 2, 2));
    }
    drawReadout(painter);
}

// A full line with its letter in a badge above the panel.
void OverlayLayer::drawCursor(QCPPainter* painter, int which) const {
    if (!state_->cursors[which]) {
        return;
    }
    const Tokens& colours = state_->tokens();
    const QRectF area = state_->area();
    const double x = std::floor(state_->xPixel(*state_->cursors[which])) + 0.5;
    if (!(x >= area.left() && x <= area.right() + 1)) {
        return;
    }
    QPen pen(colours.text2, 1.2);
    if (state_->compact) {
        pen.setDashPattern({2, 3});
    }
    painter->setPen(pen);
    painter->drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    if (state_->compact) {
        return;
    }
    const QRectF badge(x - 7.5, area.top() - 4, 15, 15);
    painter->setPen(Qt::NoPen);
    painter->setBrush(colours.text2);
    painter->drawRoundedRect(badge, metrics::radiusCell, metrics::radiusCell);
    painter->setFont(Theme::instance().font(TypeStep::tick, 600));
    painter->setPen(colours.surface);
    painter->drawText(badge, Qt::AlignCenter, which == 0 ? QStringLiteral("A") : QStringLiteral("B"));
}

void OverlayLayer::drawReadout(QCPPainter* painter) const {
    state_->readout.clear();
    state_->readoutRect = {};
    const QRectF area = state_->area();
    if (!state_->pointer || !area.contains(*state_->pointer) || state_->boxZoom) {
        return;
    }
    const QPointF pointer = *state_->pointer;
    const double x = state_->xValue(pointer.x());
    struct Row {
        int series;
        PlotReading reading;
        double distance;
    };
    std::vector<Row> rows;
    for (const int index : state_->visibleSeries()) {
        const PlotReading reading = state_->read(index, x);
        if (std::isnan(reading.raw) && std::isnan(reading.smoothed)) {
            continue;
        }
        const double y = state_->yPixel(reading.smoothed);
        rows.push_back({index, reading, std::isfinite(y) ? std::abs(y - pointer.y()) : 1e9});
    }
    if (rows.empty()) {
        return;
    }
    const std::size_t found = rows.size();
    const auto shown = std::min<std::size_t>(found, most_readings);
    std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown), rows.end(),
                      [](const Row& a, const Row& b) { return a.distance < b.distance; });
    rows.resize(shown);
    // Nearest decide which; they are listed from top to bottom as on the panel.
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.reading.smoothed > b.reading.smoothed; });

    const Tokens& colours = state_->tokens();
    const QFont plain = Theme::instance().font(TypeStep::tick);
    const QFont bold = Theme::instance().font(TypeStep::tick, 600);
    const QFontMetrics plainMetrics(plain);
    const QFontMetrics boldMetrics(bold);
    const QString title =
        state_->xText(x) + (state_->xTitle.isEmpty() ? QString() : QLatin1Char(' ') + state_->xTitle);
    const bool smoothing = state_->smoothing > 0;
    int nameWidth = 0;
    int valueWidth = 0;
    QStringList lines{title};
    std::vector<std::pair<QString, QString>> texts;
    for (const Row& row : rows) {
        const QString name = state_->series[row.series].label;
        QString value = state_->valueText(row.reading.smoothed);
        if (smoothing) {
            value += QStringLiteral("  (") + state_->valueText(row.reading.raw) + QLatin1Char(')');
        }
        nameWidth = std::max(nameWidth, plainMetrics.horizontalAdvance(name));
        valueWidth = std::max(valueWidth, boldMetrics.horizontalAdvance(value));
        lines << name + QLatin1Char(' ') + value;
        texts.emplace_back(name, value);
    }
    const QString more = found > shown ? CurvePlot::tr("and %1 more").arg(found - shown) : QString();
    if (!more.isEmpty()) {
        lines << more;
    }
    state_->readout = lines.join(QLatin1Char('\n'));

    const int lineHeight = plainMetrics.height() + 2;
    const QRectF bounds = QRectF(state_->plot->rect()).adjusted(2, 2, -2, -2);
    const double width = std::min<double>(
        bounds.width(),
        std::max(20 + nameWidth + 12 + valueWidth, boldMetrics.horizontalAdvance(title)) + 16);
    QRectF box(0, 0, width, static_cast<double>(lines.size() * lineHeight) + 12);
    // Right of the pointer, else left of it; then pushed back inside, whatever the size of the plot.
    box.moveTopLeft(pointer + QPointF(14, 12));
    if (box.right() > bounds.right()) {
        box.moveRight(pointer.x() - 14);
    }
    box.moveLeft(
        std::clamp(box.left(), bounds.left(), std::max(bounds.left(), bounds.right() - box.width())));
    box.moveTop(std::clamp(box.top(), bounds.top(), std::max(bounds.top(), bounds.bottom() - box.height())));
    box = box.intersected(bounds);
    state_->readoutRect = box;

    const double lineX = std::floor(pointer.x()) + 0.5;
    painter->setPen(QPen(colours.axis, 1, Qt::DotLine));
    painter->drawLine(QPointF(lineX, area.top()), QPointF(lineX, area.bottom()));
    for (const Row& row : rows) {
        const double y = state_->yPixel(row.reading.smoothed);
        if (y >= area.top() && y <= area.bottom()) {
            painter->setPen(QPen(colours.surface, 1));
            painter->setBrush(state_->colourOf(state_->series[row.series]));
            painter->drawEllipse(QPointF(lineX, y), 3.5, 3.5);
        }
    }
    painter->setPen(QPen(colours.borderStrong, 1));
    painter->setBrush(colours.raised);
    painter->drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), metrics::radiusField, metrics::radiusField);
    painter->save();
    painter->setClipRect(box);
    QRectF line(box.left() + 8, box.top() + 6, box.width() - 16, lineHeight);
    painter->setFont(bold);
    painter->setPen(colours.text1);
    painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter, title);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        line.translate(0, lineHeight);
        painter->setPen(samplePen(state_->lookOf(state_->series[rows[i].series]), 2.4));
        painter->drawLine(QPointF(line.left(), line.center().y()),
                          QPointF(line.left() + 12, line.center().y()));
        painter->setPen(colours.text2);
        painter->setFont(plain);
        painter->drawText(line.adjusted(20, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, texts[i].first);
        painter->setPen(colours.text1);
        painter->setFont(bold);
        painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, texts[i].second);
    }
    if (!more.isEmpty()) {
        line.translate(0, lineHeight);
        painter->setFont(plain);
        painter->setPen(colours.text3);
        painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter, more);
    }
    painter->restore();
}

}  // namespace braid::ui
