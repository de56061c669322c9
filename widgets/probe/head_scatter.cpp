#include "widgets/probe/head_scatter.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/common/colour_map.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"

namespace braid::ui {

HeadScatter::HeadScatter(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Entropy against hit rate, a point a head"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void HeadScatter::show(const MeasuredRun& run) {
    points_.clear();
    current_ = -1;
    name_ = run.name;
    points_ = headPoints(*run.record);
    if (points_.empty()) return update();
    const MeasuredArray& hit = *run.record->find("hit_rate");
    layers_ = std::max<std::size_t>(1, hit.axes[0].ticks.size());
    samples_ = hit.samples.empty() ? 0 : hit.samples[0];
    std::stable_sort(points_.begin(), points_.end(),
                     [](const Point& a, const Point& b) { return a.hit < b.hit; });
    least_ = 0;
    most_ = 1;
    for (const Point& point : points_) most_ = std::max(most_, point.entropy);
    update();
}

QRectF HeadScatter::area() const { return QRectF(rect()).adjusted(44, 34, -16, -38); }

QPointF HeadScatter::place(const Point& point) const {
    const QRectF frame = area();
    return {frame.left() + frame.width() * point.hit,
            frame.bottom() - frame.height() * (point.entropy - least_) / (most_ - least_)};
}

QString HeadScatter::text(int point) const {
    const Point& at = points_.at(std::size_t(point));
    return tr("%1, head %2: hit rate %3, entropy %4, %5 samples")
        .arg(name_, headText(at.layer, at.head), formatFixed(at.hit, 3), formatFixed(at.entropy, 3),
             formatCount(samples_));
}

void HeadScatter::setCurrent(int point) {
    if (point == current_) return;
    current_ = point;
    const QString said = point < 0 ? QString() : text(point);
    setAccessibleDescription(said);
    setToolTip(said);
    update();
    Q_EMIT readChanged(said);
}

void HeadScatter::mouseMoveEvent(QMouseEvent* event) {
    int nearest = -1;
    double best = 14;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const QPointF away = place(points_[i]) - event->position();
        const double distance = std::hypot(away.x(), away.y());
        if (distance < best) {
            best = distance;
            nearest = int(i);
        }
    }
    setCurrent(nearest);
}

void HeadScatter::keyPressEvent(QKeyEvent* event) {
    const int count = int(points_.size());
    if (count > 0 && (event->key() == Qt::Key_Right || event->key() == Qt::Key_Up))
        setCurrent(std::min(current_ + 1, count - 1));
    else if (count > 0 && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Down))
        setCurrent(std::max(current_ - 1, 0));
    else
        QWidget::keyPressEvent(event);
}

void HeadScatter::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.fillRect(rect(), t.surface);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(Theme::instance().font(TypeStep::table, 600));
    painter.setPen(t.text1);
    painter.drawText(QRectF(12, 4, width() - 24, 22), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("Entropy against hit rate"));
    const double after = painter.fontMetrics().horizontalAdvance(tr("Entropy against hit rate")) + 22;
    const QRectF frame = area();
    painter.setFont(Theme::instance().font(TypeStep::tick));
    painter.setPen(t.text3);
    painter.drawText(QRectF(after, 4, width() - after, 22), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("%1, bright: deep layers").arg(name_));
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        const double x = frame.left() + frame.width() * part, y = frame.bottom() - frame.height() * part;
        painter.setPen(t.grid);
        painter.drawLine(QPointF(x, frame.top()), QPointF(x, frame.bottom()));
        painter.drawLine(QPointF(frame.left(), y), QPointF(frame.right(), y));
        painter.setPen(t.text2);
        painter.drawText(QRectF(x - 20, frame.bottom() + 3, 40, 14), Qt::AlignCenter, formatFixed(part, 2));
        painter.drawText(QRectF(0, y - 8, frame.left() - 5, 16), Qt::AlignRight | Qt::AlignVCenter,
                         formatFixed(least_ + (most_ - least_) * part, 2));
    }
    painter.setPen(t.text2);
    painter.drawText(QRectF(frame.left(), frame.bottom() + 18, frame.width(), 16),
                     Qt::AlignRight | Qt::AlignVCenter, tr("hit rate"));
    for (std::size_t i = 0; i < points_.size(); ++i) {
        painter.setBrush(cividis(double(points_[i].layer) / double(std::max<std::size_t>(1, layers_ - 1))));
        painter.setPen(QPen(int(i) == current_ ? t.mark : t.axis, int(i) == current_ ? 2.5 : 0.8));
        const double radius = int(i) == current_ ? 6 : 4;
        painter.drawEllipse(place(points_[i]), radius, radius);
    }
}

}  // namespace braid::ui
