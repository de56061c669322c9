#include "widgets/scaling/gain_bars.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/common/format.h"
#include "widgets/common/mixer_style.h"

namespace braid::ui {

namespace {

constexpr int row = 24, foot = 18;
constexpr double least_reach = 0.1, most_reach = 1.5;  // of the logarithm, both ways

}  // namespace

GainBars::GainBars(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

QString GainBars::text(const GainBar& bar) {
    if (!bar.share) return tr("never");
    return formatFixed(*bar.share, 2) + QStringLiteral(" ×");
}

void GainBars::show(std::vector<GainBar> bars) {
    bars_ = std::move(bars);
    QStringList said;
    for (const GainBar& bar : bars_) {
        QString line = bar.name + QLatin1Char(' ') + text(bar);
        if (bar.interval)
            line += tr(", interval %1 to %2")
                        .arg(formatFixed(bar.interval->low, 2), formatFixed(bar.interval->high, 2));
        said << line;
    }
    setAccessibleName(tr("Tokens to match the baseline"));
    setAccessibleDescription(said.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QSize GainBars::sizeHint() const { return {200, int(bars_.size()) * row + foot}; }

void GainBars::paintEvent(QPaintEvent*) {
    if (bars_.empty()) return;
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    double reach = least_reach;
    for (const GainBar& bar : bars_) {
        if (!bar.share) continue;
        reach = std::max(reach, std::abs(std::log(*bar.share)) * 1.25);
        if (bar.interval && bar.interval->low > 0 && std::isfinite(bar.interval->high))
            reach = std::max({reach, std::abs(std::log(bar.interval->low)), std::log(bar.interval->high)});
    }
    reach = std::min(reach, most_reach);
    const double names = std::min(width() * 0.42, 110.0), values = 58;
    const QRectF area(names + 6, 0, width() - names - values - 12, double(bars_.size()) * row);
    const auto place = [&](double share) {
        return area.center().x() +
               area.width() / 2 * std::clamp(std::log(std::max(share, 1e-9)) / reach, -1.0, 1.0);
    };
    QPen dashed(t.axis, 1);
    dashed.setDashPattern({3, 3});
    painter.setPen(dashed);
    painter.drawLine(QPointF(area.center().x(), 0), QPointF(area.center().x(), area.bottom()));
    painter.setFont(Theme::instance().font(TypeStep::tick));
    painter.setPen(t.text3);
    painter.drawText(QRectF(area.center().x() - 30, area.bottom(), 60, foot), Qt::AlignCenter,
                     QStringLiteral("1 ×"));
    for (std::size_t i = 0; i < bars_.size(); ++i) {
        const GainBar& bar = bars_[i];
        const double top = double(i) * row, middle = top + row / 2.0;
        painter.setFont(Theme::instance().font(TypeStep::table));
        painter.setPen(t.text1);
        painter.drawText(QRectF(0, top, names, row), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(bar.name, Qt::ElideMiddle, int(names)));
        painter.setFont(Theme::instance().font(TypeStep::table, 600));
        painter.drawText(QRectF(width() - values, top, values, row), Qt::AlignRight | Qt::AlignVCenter,
                         text(bar));
        if (!bar.share) continue;
        const QColor colour = runColour(bar.colour, t);
        if (bar.interval) {
            painter.setPen(QPen(colour, 1.5));
            painter.drawLine(QPointF(place(bar.interval->low), middle),
                             QPointF(place(bar.interval->high), middle));
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawEllipse(QPointF(place(*bar.share), middle), 4, 4);
    }
}

bool GainBars::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int at = help->pos().y() / row;
    if (at < 0 || at >= int(bars_.size())) return QWidget::event(event);
    const GainBar& bar = bars_[std::size_t(at)];
    QString said = tr("%1: %2").arg(bar.name, text(bar));
    if (bar.interval)
        said += tr(", 90 % interval %1 to %2")
                    .arg(formatFixed(bar.interval->low, 2), formatFixed(bar.interval->high, 2));
    if (!bar.warning.isEmpty()) said += QLatin1Char('\n') + bar.warning;
    QToolTip::showText(help->globalPos(), said, this);
    return true;
}

}  // namespace braid::ui
