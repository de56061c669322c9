#include "widgets/scaling/front_view.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/analysis/axis.h"
#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/mixer_style.h"
#include "widgets/scaling/scaling_plot.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

FrontPlot::FrontPlot(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Quality against cost"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void FrontPlot::show(const ScalingContentPtr& content, CostKind kind) {
    content_ = content;
    kind_ = kind;
    points_.clear();
    current_ = -1;
    if (content_) points_ = pareto_points(content_->state, content_->view, kind);
    if (!points_.empty()) {
        double low = INFINITY, high = -INFINITY;
        for (const FrontPoint& point : points_) {
            low = std::min(low, point.value - point.half_width);
            high = std::max(high, point.value + point.half_width);
        }
        const AxisRange y = padded_range({AxisScale::linear}, low, high, 0.1);
        const AxisRange x = padded_range({AxisScale::log}, points_.front().cost, points_.back().cost, 0.12);
        low_ = y.lower, high_ = y.upper, left_ = x.lower, right_ = x.upper;
    }
    update();
}

QRectF FrontPlot::area() const { return QRectF(rect()).adjusted(62, 32, -20, -44); }

QPointF FrontPlot::place(int index) const {
    const FrontPoint& point = points_[std::size_t(index)];
    const QRectF all = area();
    return {all.left() + all.width() * std::log(point.cost / left_) / std::log(right_ / left_),
            all.bottom() - all.height() * (point.value - low_) / (high_ - low_)};
}

QString FrontPlot::textOf(int index) const {
    const FrontPoint& point = points_[std::size_t(index)];
    const ScalingView& view = content_->view;
    QString text = QString::fromStdString(view.curves[point.curve].name);
    if (view.scales.size() > 1)
        text += QStringLiteral(", ") + QString::fromStdString(view.scales[point.scale].name);
    const QString spent = kind_ == CostKind::kv_bytes ? formatBytes(point.cost) : formatSi(point.cost);
    text += tr(": %1 %2 at %3").arg(metricText(view.metric), valueTextOf(point.value), spent);
    if (point.seeds > 1)
        text += tr(", ± %1 over %2 seeds").arg(formatSignificant(point.half_width, 2)).arg(point.seeds);
    return text + (point.dominated ? tr("; dominated") : tr("; on the front"));
}

void FrontPlot::setCurrent(int point) {
    if (point == current_) return;
    current_ = point;
    const QString said = point < 0 ? QString() : textOf(point);
    setToolTip(said);
    setAccessibleDescription(said);
    update();
}

int FrontPlot::nearest(const QPointF& at) const {
    int found = -1;
    double best = 14;
    for (int i = 0; i < int(points_.size()); ++i) {
        const QPointF away = place(i) - at;
        if (const double distance = std::hypot(away.x(), away.y()); distance < best) {
            best = distance;
            found = i;
        }
    }
    return found;
}

void FrontPlot::mouseMoveEvent(QMouseEvent* event) {
    if (const int point = nearest(event->position()); point >= 0) setCurrent(point);
}

void FrontPlot::mousePressEvent(QMouseEvent* event) {
    const int point = nearest(event->position());
    setCurrent(point);
    if (point >= 0) Q_EMIT chosen(points_[std::size_t(point)].point);
}

void FrontPlot::keyPressEvent(QKeyEvent* event) {
    const int count = int(points_.size());
    if (count == 0) return QWidget::keyPressEvent(event);
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Down)
        setCurrent(std::min(current_ + 1, count - 1));
    else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Up)
        setCurrent(std::max(current_ - 1, 0));
    else
        return QWidget::keyPressEvent(event);
    Q_EMIT chosen(points_[std::size_t(current_)].point);
}

void FrontPlot::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}
void FrontPlot::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void FrontPlot::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.fillRect(rect(), t.surface);
    if (points_.empty()) return;
    const QRectF all = area();
    const ScalingView& view = content_->view;
    painter.setFont(Theme::instance().font(TypeStep::control, 600));
    painter.setPen(t.text1);
    painter.drawText(QRectF(12, 5, width() - 24, 22), Qt::AlignLeft | Qt::AlignVCenter,
                     metricText(view.metric) +
                         (lower_is_better(view.metric) ? tr(", lower is better") : tr(", higher is better")));
    painter.setFont(Theme::instance().font(TypeStep::tick));
    const auto y = [&](double value) {
        return all.bottom() - all.height() * (value - low_) / (high_ - low_);
    };
    const auto x = [&](double cost) {
        return all.left() + all.width() * std::log(cost / left_) / std::log(right_ / left_);
    };
    for (const Tick& tick : make_ticks({AxisScale::linear}, {low_, high_}, {.target = 6}).major) {
        painter.setPen(t.grid);
        painter.drawLine(QPointF(all.left(), y(tick.value)), QPointF(all.right(), y(tick.value)));
        painter.setPen(t.text2);
        painter.drawText(QRectF(0, y(tick.value) - 8, all.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                         QString::fromStdString(tick.label));
    }
    double last = -1e9;
    const Ticks ticks = make_ticks({AxisScale::log}, {left_, right_}, {.target = 6});
    std::vector<double> values;
    for (const Tick& tick : ticks.major) values.push_back(tick.value);
    if (values.size() < 3)
        for (const Tick& tick : ticks.minor) values.push_back(tick.value);
    std::sort(values.begin(), values.end());
    for (const double value : values) {
        const QString words = kind_ == CostKind::kv_bytes ? formatBytes(value) : formatSi(value);
        const double half = painter.fontMetrics().horizontalAdvance(words) / 2.0;
        painter.setPen(t.grid);
        painter.drawLine(QPointF(x(value), all.top()), QPointF(x(value), all.bottom()));
        if (x(value) - half < last + 8) continue;
        last = x(value) + half;
        painter.setPen(t.text2);
        painter.drawText(QRectF(x(value) - 50, all.bottom() + 4, 100, 15), Qt::AlignCenter, words);
    }
    painter.setPen(t.axis);
    painter.drawLine(all.bottomLeft(), all.bottomRight());
    painter.drawLine(all.topLeft(), all.bottomLeft());
    painter.setPen(t.text2);
    painter.drawText(QRectF(all.left(), all.bottom() + 21, all.width(), 16),
                     Qt::AlignRight | Qt::AlignVCenter, QString::fromStdString(cost_title(kind_)));
    painter.setRenderHint(QPainter::Antialiasing);
    QPolygonF front;
    for (int i = 0; i < int(points_.size()); ++i)
        if (!points_[std::size_t(i)].dominated) front << place(i);
    painter.setPen(QPen(t.text2, 1.5));
    painter.drawPolyline(front);
    std::vector<QRectF> taken;
    for (const bool dominated : {false, true})
        for (int i = 0; i < int(points_.size()); ++i) {
            const FrontPoint& point = points_[std::size_t(i)];
            if (point.dominated != dominated) continue;
            const QPointF at = place(i);
            const QColor colour = runColour(view.curves[point.curve].colour, t);
            painter.setOpacity(dominated ? 0.45 : 1);
            if (point.half_width > 0) {
                painter.setPen(QPen(colour, 1.3));
                painter.drawLine(QPointF(at.x(), y(point.value - point.half_width)),
                                 QPointF(at.x(), y(point.value + point.half_width)));
            }
            paintScaleMark(painter, at, point.scale, 5, colour, false, t.surface);
            painter.setOpacity(1);
            if (i == current_) {
                painter.setBrush(Qt::NoBrush);
                painter.setPen(QPen(t.ink, 2));
                painter.drawEllipse(at, 9, 9);
            }
            QString name = QString::fromStdString(view.curves[point.curve].name);
            if (view.scales.size() > 1)
                name += QStringLiteral(", ") + QString::fromStdString(view.scales[point.scale].name);
            const double wide = painter.fontMetrics().horizontalAdvance(name);
            QRectF box(at.x() + 10, at.y() - 8, wide, 16);
            if (box.right() > width() - 4) box.moveRight(at.x() - 10);
            const bool free = std::none_of(taken.begin(), taken.end(),
                                           [&](const QRectF& other) { return other.intersects(box); });
            if (!free && i != current_) continue;
            taken.push_back(box);
            painter.setPen(dominated ? t.text3 : t.text1);
            painter.drawText(box.adjusted(0, 0, 2, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
        }
    if (!hasFocus()) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(t.ink, 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), metrics::radiusField,
                            metrics::radiusField);
}

FrontView::FrontView(QWidget* parent) : QWidget(parent), costs_(new QComboBox), plot_(new FrontPlot) {
    costs_->setAccessibleName(tr("Cost"));
    costs_->addItem(tr("KV cache and state"), QStringLiteral("kv_bytes"));
    costs_->addItem(tr("Parameters"), QStringLiteral("parameters"));
    costs_->addItem(tr("FLOPs per token"), QStringLiteral("flops_per_token"));
    auto* line = new QHBoxLayout;
    line->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap1);
    line->addWidget(new TextLabel(tr("Against"), TypeStep::table, 400, 2));
    line->addWidget(costs_);
    line->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(line);
    layout->addWidget(plot_, 1);
    connect(costs_, &QComboBox::activated, this, &FrontView::refresh);
    connect(plot_, &FrontPlot::chosen, this, &FrontView::chosen);
}

CostKind FrontView::kind() const {
    return cost_kind(costs_->currentData().toString().toStdString()).value_or(CostKind::kv_bytes);
}

void FrontView::show(const ScalingContentPtr& content) {
    content_ = content;
    refresh();
}

void FrontView::refresh() { plot_->show(content_, kind()); }

std::string FrontView::wish() const {
    std::string text = content_ ? content_->view.metric : std::string();
    return text.append(" against ").append(to_text(kind()));
}

}  // namespace braid::ui
