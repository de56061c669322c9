#include "widgets/scaling/profile_chart.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/analysis/axis.h"
#include "widgets/common/mixer_style.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

constexpr double top_deviance = 6;
constexpr double ninety = 2.706;  // of chi-square with one degree of freedom

}  // namespace

ProfileChart::ProfileChart(QWidget* parent) : QWidget(parent) {
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void ProfileChart::show(const ScalingContentPtr& content, const QString& exponent) {
    content_ = content;
    profiles_.clear();
    QStringList said;
    if (content_ && content_->view.record)
        for (const ScalingProfile& profile : content_->view.record->report.profiles) {
            if (profile.exponent != exponent.toStdString() || profile.values.size() < 2) continue;
            int colour = 0;
            for (const ScalingViewCurve& curve : content_->view.curves)
                if (curve.name == profile.group) colour = curve.colour;
            profiles_.emplace_back(&profile, colour);
            const auto inside = [&](std::size_t i) { return profile.deviance[i] <= ninety; };
            double low = NAN, high = NAN;
            for (std::size_t i = 0; i < profile.values.size(); ++i)
                if (inside(i)) {
                    if (std::isnan(low)) low = profile.values[i];
                    high = profile.values[i];
                }
            if (!std::isnan(low))
                said << tr("%1 from %2 to %3")
                            .arg(QString::fromStdString(profile.group), valueTextOf(low), valueTextOf(high));
        }
    setAccessibleName(tr("Likelihood profile of %1").arg(estimateName(exponent.toStdString())));
    setAccessibleDescription(said.join(QStringLiteral("; ")));
    setToolTip(said.join(QLatin1Char('\n')));
    update();
}

void ProfileChart::paintEvent(QPaintEvent*) {
    if (profiles_.empty()) return;
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    double low = INFINITY, high = -INFINITY;
    for (const auto& [profile, colour] : profiles_)
        for (std::size_t i = 0; i < profile->values.size(); ++i)
            if (profile->deviance[i] <= top_deviance * 1.2) {
                low = std::min(low, profile->values[i]);
                high = std::max(high, profile->values[i]);
            }
    if (!(low < high)) return;
    const double margin = (high - low) * 0.04;
    const AxisRange range{low - margin, high + margin};
    const QRectF area(26, 8, width() - 34, height() - 30);
    const auto x = [&](double value) {
        return area.left() + area.width() * (value - range.lower) / range.size();
    };
    const auto y = [&](double deviance) {
        return area.bottom() - area.height() * std::max(0.0, deviance) / top_deviance;
    };
    painter.setFont(Theme::instance().font(TypeStep::tick));
    for (const Tick& tick : make_ticks({AxisScale::linear}, range, {.target = 4}).major) {
        painter.setPen(t.grid);
        painter.drawLine(QPointF(x(tick.value), area.top()), QPointF(x(tick.value), area.bottom()));
        painter.setPen(t.text2);
        painter.drawText(QRectF(x(tick.value) - 25, area.bottom() + 3, 50, 15), Qt::AlignCenter,
                         QString::fromStdString(tick.label));
    }
    for (const int deviance : {0, 2, 4}) {
        painter.setPen(t.text2);
        painter.drawText(QRectF(0, y(deviance) - 8, area.left() - 5, 16), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(deviance));
    }
    QPen dashed(t.axis, 1);
    dashed.setDashPattern({4, 3});
    painter.setPen(dashed);
    painter.drawLine(QPointF(area.left(), y(ninety)), QPointF(area.right(), y(ninety)));
    painter.setPen(t.axis);
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.drawLine(area.topLeft(), area.bottomLeft());
    painter.save();
    painter.setClipRect(area);
    for (const auto& [profile, colour] : profiles_) {
        QPolygonF line;
        for (std::size_t i = 0; i < profile->values.size(); ++i)
            if (std::isfinite(profile->deviance[i]))
                line << QPointF(x(profile->values[i]), y(std::min(profile->deviance[i], 1e3)));
        painter.setPen(QPen(runColour(colour, t), 1.8));
        painter.drawPolyline(line);
    }
    painter.restore();
    painter.setPen(t.text2);
    const QString name = QStringLiteral("90 %");
    const double width_of = painter.fontMetrics().horizontalAdvance(name);
    painter.fillRect(QRectF(area.right() - width_of - 4, y(ninety) - 8, width_of + 4, 15), t.panel);
    painter.drawText(QRectF(area.right() - width_of - 2, y(ninety) - 8, width_of + 4, 15), Qt::AlignCenter,
                     name);
}

}  // namespace braid::ui
