#include "widgets/probe/class_bars.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/common/format.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr double bar_room = 44, gap = 4;

}  // namespace

ClassBars::ClassBars(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Accuracy by class"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void ClassBars::show(const std::vector<MeasuredCell>& classes) {
    classes_ = classes;
    QStringList said;
    for (std::size_t i = 0; i < classes_.size(); ++i) said << text(i);
    setAccessibleDescription(said.join(QStringLiteral("; ")));
    setVisible(!classes_.empty());
    update();
}

QString ClassBars::text(std::size_t index) const {
    return tr("class %1: %2").arg(index).arg(cellText(classes_.at(index), "%", false, {}));
}

double ClassBars::pitch() const {
    return double(width()) / double(std::max<std::size_t>(1, classes_.size()));
}

bool ClassBars::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto index = std::size_t(std::max(0.0, help->pos().x() / pitch()));
    if (index < classes_.size()) QToolTip::showText(help->globalPos(), text(index), this);
    return true;
}

void ClassBars::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(Theme::instance().font(TypeStep::tick));
    for (std::size_t i = 0; i < classes_.size(); ++i) {
        const double value = classes_[i].value;
        const QRectF room(pitch() * double(i), 0, pitch() - gap, bar_room);
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.sunken);
        painter.drawRoundedRect(room, metrics::radiusCell, metrics::radiusCell);
        if (std::isfinite(value)) {
            painter.setBrush(t.axis);
            const double tall = std::max(2.0, room.height() * std::clamp(value / 100, 0.0, 1.0));
            painter.drawRoundedRect(QRectF(room.left(), room.bottom() - tall, room.width(), tall),
                                    metrics::radiusCell, metrics::radiusCell);
        } else {
            painter.setBrush(QBrush(t.borderStrong, Qt::BDiagPattern));
            painter.drawRect(room);
        }
        painter.setPen(t.text2);
        painter.drawText(QRectF(room.left() - gap, bar_room + 2, room.width() + 2 * gap, 15), Qt::AlignCenter,
                         std::isfinite(value) ? formatFixed(value, 0) : QStringLiteral("—"));
    }
}

}  // namespace braid::ui
