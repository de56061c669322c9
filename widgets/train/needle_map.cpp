#include "widgets/train/needle_map.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "widgets/common/colour_map.h"
#include "widgets/common/format.h"
#include "widgets/common/run_scores.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr double left_room = 62, right_room = 84, top_room = 14, bottom_room = 46;
constexpr double bar_gap = 18, bar_width = 14;

QString valueIn(const NeedleGrid& grid, double value) {
    return grid.unit == "%" ? formatFixed(value, 0) : formatFixed(value, 2);
}

}  // namespace

NeedleMap::NeedleMap(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Map of needles, depth by length"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void NeedleMap::show(NeedleGrid grid) {
    const bool same = grid.lengths == grid_.lengths && grid.depths == grid_.depths;
    grid_ = std::move(grid);
    if (!same) {
        hovered_.reset();
        if (held_) hold(std::nullopt);
    }
    update();
    Q_EMIT readChanged();
}

QRectF NeedleMap::mapRect() const {
    return QRectF(rect()).adjusted(left_room, top_room, -right_room, -bottom_room);
}

QRectF NeedleMap::cellRect(Place place) const {
    const QRectF map = mapRect();
    const double w = map.width() / double(std::max<std::size_t>(1, grid_.lengths.size()));
    const double h = map.height() / double(std::max<std::size_t>(1, grid_.depths.size()));
    return {map.left() + w * double(place.second), map.top() + h * double(place.first), w, h};
}

std::optional<NeedleMap::Place> NeedleMap::placeAt(const QPointF& point) const {
    const QRectF map = mapRect();
    if (grid_.isEmpty() || !map.contains(point)) return std::nullopt;
    const auto index = [](double share, std::size_t count) {
        return std::min(count - 1, std::size_t(share * double(count)));
    };
    return Place{index((point.y() - map.top()) / map.height(), grid_.depths.size()),
                 index((point.x() - map.left()) / map.width(), grid_.lengths.size())};
}

void NeedleMap::hover(std::optional<Place> place) {
    if (place == hovered_) return;
    hovered_ = place;
    if (const auto now = read()) setAccessibleDescription(needleText(grid_, now->first, now->second));
    update();
    Q_EMIT readChanged();
}

void NeedleMap::hold(std::optional<Place> place) {
    if (place == held_) return;
    held_ = place;
    if (const auto now = read(); now && !grid_.isEmpty())
        setAccessibleDescription(needleText(grid_, now->first, now->second));
    update();
    Q_EMIT heldChanged();
    Q_EMIT readChanged();
}

void NeedleMap::mouseMoveEvent(QMouseEvent* event) { hover(placeAt(event->position())); }

void NeedleMap::mousePressEvent(QMouseEvent* event) {
    const auto place = placeAt(event->position());
    hold(place == held_ ? std::nullopt : place);
}

void NeedleMap::leaveEvent(QEvent*) {
    if (!hasFocus()) hover(std::nullopt);
}

void NeedleMap::focusInEvent(QFocusEvent* event) {
    if (!hovered_ && !grid_.isEmpty() && event->reason() != Qt::MouseFocusReason) hover(Place{0, 0});
    QWidget::focusInEvent(event);
}

void NeedleMap::keyPressEvent(QKeyEvent* event) {
    if (grid_.isEmpty()) return QWidget::keyPressEvent(event);
    Place place = read().value_or(Place{0, 0});
    switch (event->key()) {
        case Qt::Key_Left:
            if (place.second > 0) --place.second;
            break;
        case Qt::Key_Right:
            place.second = std::min(place.second + 1, grid_.lengths.size() - 1);
            break;
        case Qt::Key_Up:
            if (place.first > 0) --place.first;
            break;
        case Qt::Key_Down:
            place.first = std::min(place.first + 1, grid_.depths.size() - 1);
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            return hold(held_ ? std::nullopt : std::optional(place));
        case Qt::Key_Escape:
            if (held_) return hold(std::nullopt);
            return QWidget::keyPressEvent(event);
        default:
            return QWidget::keyPressEvent(event);
    }
    hovered_ = place;
    if (held_)
        hold(place);
    else {
        setAccessibleDescription(needleText(grid_, place.first, place.second));
        update();
        Q_EMIT readChanged();
    }
}

void NeedleMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), tokens().surface);
    if (grid_.isEmpty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    paintCells(painter);
    paintAxes(painter);
    paintBar(painter);
}

void NeedleMap::paintCells(QPainter& painter) const {
    const Tokens& t = tokens();
    painter.setFont(Theme::instance().font(TypeStep::tick, 500));
    const QFontMetricsF metrics(painter.font());
    for (std::size_t d = 0; d < grid_.depths.size(); ++d)
        for (std::size_t l = 0; l < grid_.lengths.size(); ++l) {
            const NeedleCell& cell = grid_.at(d, l);
            const QRectF area = cellRect({d, l}).adjusted(0.5, 0.5, -0.5, -0.5);
            if (!cell.value) {
                painter.fillRect(area, t.sunken);
                painter.fillRect(area, QBrush(t.axis, Qt::BDiagPattern));
                continue;
            }
            const QColor fill = cividis(grid_.share(*cell.value));
            painter.fillRect(area, fill);
            const QString text = valueIn(grid_, *cell.value);
            if (metrics.horizontalAdvance(text) + 6 > area.width() || metrics.height() > area.height())
                continue;
            painter.setPen(strongestOn(fill));
            painter.drawText(area, Qt::AlignCenter, text);
        }
    if (const auto place = read()) {
        const QRectF area = cellRect(*place);
        painter.setBrush(Qt::NoBrush);
        // Seen on any colour: the ink ring of the theme within one of its opposite.
        painter.setPen(QPen(t.surface, 4));
        painter.drawRect(area);
        painter.setPen(QPen(held_ ? t.mark : t.ink, 2));
        painter.drawRect(area);
    }
}

void NeedleMap::paintAxes(QPainter& painter) const {
    const Tokens& t = tokens();
    const QRectF map = mapRect();
    painter.setFont(Theme::instance().font(TypeStep::tick));
    painter.setPen(t.text2);
    const QFontMetricsF metrics(painter.font());
    // As many labels as have room.
    double widest = 0;
    for (const std::int64_t length : grid_.lengths)
        widest = std::max(widest, metrics.horizontalAdvance(formatCount(length)) + 8);
    const auto every = [](double need, double room) { return std::max(1, int(std::ceil(need / room))); };
    const int columns = every(widest, map.width() / double(grid_.lengths.size()));
    for (std::size_t l = 0; l < grid_.lengths.size(); l += std::size_t(columns)) {
        const QRectF cell = cellRect({0, l});
        painter.drawText(QRectF(cell.center().x() - 60, map.bottom() + 4, 120, 16), Qt::AlignCenter,
                         formatCount(grid_.lengths[l]));
    }
    const int rows = every(metrics.height() + 2, map.height() / double(grid_.depths.size()));
    for (std::size_t d = 0; d < grid_.depths.size(); d += std::size_t(rows)) {
        const QRectF cell = cellRect({d, 0});
        painter.drawText(QRectF(map.left() - 48, cell.center().y() - 8, 42, 16),
                         Qt::AlignRight | Qt::AlignVCenter, depthText(grid_.depths[d]));
    }
    painter.setPen(t.text3);
    painter.drawText(QRectF(map.left(), map.bottom() + 22, map.width(), 18), Qt::AlignCenter,
                     tr("context length, tokens"));
    painter.save();
    painter.translate(10, map.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-100, -8, 200, 16), Qt::AlignCenter, tr("depth of the needle"));
    painter.restore();
}

void NeedleMap::paintBar(QPainter& painter) const {
    const Tokens& t = tokens();
    const QRectF map = mapRect();
    const QRectF bar(map.right() + bar_gap, map.top(), bar_width, map.height());
    for (int y = 0; y < int(bar.height()); ++y)
        painter.fillRect(QRectF(bar.left(), bar.bottom() - y - 1, bar.width(), 1.2),
                         cividis(y / bar.height()));
    painter.setPen(t.text2);
    painter.setFont(Theme::instance().font(TypeStep::tick));
    const QString unit =
        grid_.unit.empty() ? QString() : QLatin1Char(' ') + QString::fromStdString(grid_.unit);
    for (const double part : {0.0, 0.5, 1.0}) {
        const double value = grid_.least() + (grid_.most() - grid_.least()) * part;
        const double y = bar.bottom() - bar.height() * part;
        painter.drawText(QRectF(bar.right() + 5, y - 8, 60, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         valueIn(grid_, value) + (part == 1 ? unit : QString()));
    }
    // The one that is read, on its scale.
    const auto place = read();
    if (!place) return;
    const NeedleCell& cell = grid_.at(place->first, place->second);
    if (!cell.value) return;
    const double y = bar.bottom() - bar.height() * std::clamp(grid_.share(*cell.value), 0.0, 1.0);
    painter.setPen(QPen(held_ ? t.mark : t.ink, 2));
    painter.drawLine(QPointF(bar.left() - 3, y), QPointF(bar.right() + 3, y));
}

}  // namespace braid::ui
