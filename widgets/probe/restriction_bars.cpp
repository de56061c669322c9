#include "widgets/probe/restriction_bars.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/common/mixer_style.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr double label_width = 76, value_width = 58, bar_height = 12, bar_pitch = 16, group_gap = 8;

}  // namespace

RestrictionBars::RestrictionBars(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Receptive field, change of the loss by run and kind of layer"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void RestrictionBars::show(const std::vector<MeasuredRun>& runs, const std::string& current) {
    runs_ = runs;
    current_ = current;
    bars_ = measuredBars(runs, "change_by_kind");
    tops_.clear();
    least_ = 0;
    most_ = 1e-9;
    double y = 2;
    QStringList said;
    for (std::size_t i = 0; i < bars_.size(); ++i) {
        if (i > 0 && bars_[i].source != bars_[i - 1].source) y += group_gap;
        tops_.push_back(y);
        y += bar_pitch;
        for (const double value : {bars_[i].value.value, bars_[i].value.low, bars_[i].value.high})
            if (std::isfinite(value)) {
                least_ = std::min(least_, value);
                most_ = std::max(most_, value);
            }
        said << text(bars_[i]);
    }
    setAccessibleDescription(said.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QSize RestrictionBars::sizeHint() const {
    return {220, tops_.empty() ? 0 : int(tops_.back() + bar_pitch) + 2};
}

QString RestrictionBars::text(const MeasuredBar& bar) const {
    const MeasuredArray* array = runs_[bar.source].record->find("change_by_kind");
    return tr("%1, %2 layers restricted: %3")
        .arg(runs_[bar.source].name, bar.what,
             cellText(bar.value, array->unit, true, QString::fromStdString(array->missing)));
}

double RestrictionBars::x(double value) const {
    const double room = width() - label_width - value_width;
    return label_width + room * (value - least_) / (most_ - least_);
}

QRectF RestrictionBars::barRect(std::size_t bar) const {
    const double value = bars_[bar].value.value;
    if (!std::isfinite(value)) return {label_width, tops_[bar], 12, bar_height};
    const double from = x(std::min(0.0, value)), to = x(std::max(0.0, value));
    return {from, tops_[bar], std::max(2.0, to - from), bar_height};
}

int RestrictionBars::barAt(const QPointF& point) const {
    for (std::size_t i = 0; i < bars_.size(); ++i)
        if (point.y() >= tops_[i] - 2 && point.y() < tops_[i] + bar_pitch - 2) return int(i);
    return -1;
}

bool RestrictionBars::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const int bar = barAt(help->pos()); bar >= 0)
        QToolTip::showText(help->globalPos(), text(bars_[std::size_t(bar)]), this);
    return true;
}

void RestrictionBars::mousePressEvent(QMouseEvent* event) {
    if (const int bar = barAt(event->position()); bar >= 0)
        Q_EMIT runChosen(QString::fromStdString(runs_[bars_[std::size_t(bar)].source].run));
}

void RestrictionBars::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < bars_.size(); ++i) {
        const MeasuredBar& bar = bars_[i];
        const MeasuredRun& run = runs_[bar.source];
        const bool current = run.run == current_;
        const QRectF area = barRect(i);
        painter.setFont(Theme::instance().font(TypeStep::table, current ? 600 : 400));
        painter.setPen(t.text1);
        if (i == 0 || bars_[i - 1].source != bar.source)
            painter.drawText(
                QRectF(0, tops_[i] - 2, label_width - 8, 16), Qt::AlignLeft | Qt::AlignVCenter,
                painter.fontMetrics().elidedText(run.name, Qt::ElideMiddle, int(label_width - 8)));
        QString value = QStringLiteral("—");
        double after = area.right();
        if (std::isfinite(bar.value.value)) {
            paintMixer(painter, area, bar.what.toStdString());
            value = measuredText(bar.value.value, {}, true);
            if (std::isfinite(bar.value.low) && std::isfinite(bar.value.high)) {
                painter.setPen(QPen(t.text1, 1.2));
                painter.drawLine(QPointF(x(bar.value.low), area.center().y()),
                                 QPointF(x(bar.value.high), area.center().y()));
                after = std::max(after, x(bar.value.high));
            }
        } else {
            painter.fillRect(area, QBrush(t.borderStrong, Qt::BDiagPattern));
        }
        painter.setFont(Theme::instance().font(TypeStep::tick, current ? 600 : 400));
        painter.setPen(t.text1);
        painter.drawText(QRectF(after + 5, area.top() - 2, value_width, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         value);
    }
}

}  // namespace braid::ui
