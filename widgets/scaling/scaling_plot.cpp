#include "widgets/scaling/scaling_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

constexpr double reach_px = 14;  // of the pointer
constexpr double residual_share = 0.17;
const QPointF nowhere(qQNaN(), qQNaN());

bool isPlace(const QPointF& place) { return !std::isnan(place.x()) && !std::isnan(place.y()); }

struct Span {
    double low = INFINITY, high = -INFINITY;
    void add(double value) {
        if (!std::isfinite(value) || value <= 0) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

}  // namespace

std::optional<ScalingRanges> scaling_ranges(const ScalingContent& content,
                                            const ScalingPlotOptions& options) {
    Span x, y;
    double residual = 0;
    for (const ScalingViewPoint& point : content.view.points) {
        if (!options.shows(point.curve, point.scale) || !content.view.can_draw(point)) continue;
        if (!point.finished() && std::isnan(point.predicted)) continue;
        x.add(options.flops ? point.flops() : point.tokens);
        if (point.finished()) y.add(*point.value);
        if (point.finished() && point.use != PointUse::excluded && std::isfinite(point.log_residual))
            residual = std::max(residual, std::abs(point.log_residual));
    }
    for (const ScalingLine& line : content.lines) {
        if (!options.shows(line.curve, line.scale)) continue;
        const double factor = options.flops ? 6 * line.parameters : 1;
        for (std::size_t i = 0; i < line.tokens.size(); ++i) {
            x.add(line.tokens[i] * factor);
            y.add(line.loss[i]);
        }
    }
    if (!(x.low <= x.high) || !(y.low <= y.high)) return std::nullopt;
    const AxisMap map{AxisScale::log};
    ScalingRanges ranges{padded_range(map, x.low, x.high, 0.03), padded_range(map, y.low, y.high, 0.05)};
    ranges.residual = std::clamp(residual * 1.25, 0.002, 1.5);
    return ranges;
}

ScalingPlot::ScalingPlot(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Points of the study with their fitted lines"));
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        sprites_.clear();
        stillValid_ = false;
        update();
    });
}

QSize ScalingPlot::minimumSizeHint() const { return options_.compact ? QSize(170, 120) : QSize(320, 220); }

void ScalingPlot::show(const ScalingContentPtr& content, const ScalingPlotOptions& options,
                       const std::optional<ScalingRanges>& ranges) {
    const bool same_study = content && content_ && content->study == content_->study;
    content_ = content;
    options_ = options;
    shared_ = ranges;
    hovered_ = -1;
    if (!same_study) current_ = -1;
    if (content_ && current_ >= int(content_->view.points.size())) current_ = -1;
    layOut();
    update();
}

double ScalingPlot::along(double parameters, double tokens) const {
    return options_.flops ? 6 * parameters * tokens : tokens;
}

double ScalingPlot::xOf(double value) const {
    if (!ranges_ || value <= 0) return qQNaN();
    const double low = std::log(ranges_->x.lower), high = std::log(ranges_->x.upper);
    return area_.left() + area_.width() * (std::log(value) - low) / (high - low);
}

double ScalingPlot::yOf(double loss) const {
    if (!ranges_ || loss <= 0) return qQNaN();
    const double low = std::log(ranges_->y.lower), high = std::log(ranges_->y.upper);
    return area_.bottom() - area_.height() * (std::log(loss) - low) / (high - low);
}

double ScalingPlot::residualY(double log_residual) const {
    return residuals_.center().y() - residuals_.height() / 2 * log_residual / ranges_->residual;
}

void ScalingPlot::layOut() {
    stillValid_ = false;
    places_.clear();
    order_.clear();
    ranges_ = shared_;
    if (content_ && !ranges_) ranges_ = scaling_ranges(*content_, options_);
    const bool compact = options_.compact;
    const QFontMetrics small(Theme::instance().font(TypeStep::tick));
    const double left = compact ? 42 : 54, top = 28;
    double names = 0;
    if (content_ && !compact)
        for (const ScalingViewScale& scale : content_->view.scales)
            names = std::max(names, double(small.horizontalAdvance(scaleText(scale))));
    const bool fitted = content_ && content_->view.record && options_.residuals;
    if (fitted)
        names =
            std::max(names, double(small.horizontalAdvance(tr("held out %1").arg(QStringLiteral("10.0 %")))));
    const double right = compact ? 10 : std::clamp(names + 12, 40.0, 130.0);
    const double beneath = compact ? 32 : 40;
    const double below = fitted ? std::clamp(height() * residual_share, 44.0, 110.0) + 16 : 0;
    area_ = QRectF(left, top, std::max(40.0, width() - left - right),
                   std::max(40.0, height() - top - beneath - below));
    residuals_ = fitted ? QRectF(left, area_.bottom() + 16, area_.width(), below - 16) : QRectF();
    if (!content_ || !ranges_) return;
    const ScalingView& view = content_->view;
    places_.assign(view.points.size(), nowhere);
    for (std::size_t i = 0; i < view.points.size(); ++i) {
        const ScalingViewPoint& point = view.points[i];
        if (!options_.shows(point.curve, point.scale)) continue;
        if (point.finished() && view.can_draw(point)) {
            places_[i] = {xOf(along(point.parameters, point.tokens)), yOf(*point.value)};
        } else if (!point.run.empty() && !is_final(point.state)) {
            // One that trains stands where it will end, on its line.
            const double tokens = double(content_->state.points[point.point].planned.tokens());
            const ScalingFit* fit = view.curves[point.curve].fit;
            const double loss = fit                    ? fit->curve.loss(point.parameters, tokens)
                                : view.can_draw(point) ? *point.value
                                                       : qQNaN();
            places_[i] = {xOf(along(point.parameters, fit ? tokens : point.tokens)), yOf(loss)};
        }
        if (isPlace(places_[i]) && !area_.adjusted(-4, -4, 4, 4).contains(places_[i])) places_[i] = nowhere;
        if (isPlace(places_[i])) order_.push_back(int(i));
    }
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
        const ScalingViewPoint &one = view.points[std::size_t(a)], &two = view.points[std::size_t(b)];
        return std::tie(one.curve, one.scale, one.tokens) < std::tie(two.curve, two.scale, two.tokens);
    });
}

std::optional<QPointF> ScalingPlot::place(int point) const {
    if (point < 0 || point >= int(places_.size()) || !isPlace(places_[std::size_t(point)]))
        return std::nullopt;
    return places_[std::size_t(point)];
}

QString ScalingPlot::textOf(int point) const {
    if (!content_ || point < 0 || point >= int(content_->view.points.size())) return {};
    return pointText(content_->view, content_->view.points[std::size_t(point)]);
}

void ScalingPlot::setCurrent(int point) {
    if (point == current_) return;
    current_ = point;
    setAccessibleDescription(textOf(point));
    update();
}

int ScalingPlot::nearest(const QPointF& place) const {
    int found = -1;
    double best = reach_px;
    for (const int point : order_) {
        const QPointF away = places_[std::size_t(point)] - place;
        const double distance = std::hypot(away.x(), away.y());
        if (distance < best) {
            best = distance;
            found = point;
        }
    }
    if (found >= 0 || residuals_.isEmpty() || !residuals_.contains(place)) return found;
    for (const int point : order_) {
        const double residual = content_->view.points[std::size_t(point)].log_residual;
        if (std::isnan(residual)) continue;
        const QPointF away = QPointF(places_[std::size_t(point)].x(), residualY(residual)) - place;
        const double distance = std::hypot(away.x(), away.y());
        if (distance < best) {
            best = distance;
            found = point;
        }
    }
    return found;
}

void ScalingPlot::resizeEvent(QResizeEvent*) { layOut(); }

void ScalingPlot::mouseMoveEvent(QMouseEvent* event) {
    const int point = nearest(event->position());
    if (point == hovered_) return;
    hovered_ = point;
    update();
    Q_EMIT hoverChanged(point);
}

void ScalingPlot::leaveEvent(QEvent*) {
    if (hovered_ < 0) return;
    hovered_ = -1;
    update();
    Q_EMIT hoverChanged(-1);
}

void ScalingPlot::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
    const int point = nearest(event->position());
    setCurrent(point);
    Q_EMIT chosen(point);
}

void ScalingPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const int point = nearest(event->position()); point >= 0) Q_EMIT opened(point);
}

void ScalingPlot::keyPressEvent(QKeyEvent* event) {
    const auto at = std::find(order_.begin(), order_.end(), current_);
    const int count = int(order_.size());
    int index = at == order_.end() ? -1 : int(at - order_.begin());
    switch (event->key()) {
        case Qt::Key_Right:
        case Qt::Key_Down:
            index = std::min(index + 1, count - 1);
            break;
        case Qt::Key_Left:
        case Qt::Key_Up:
            index = std::max(index - 1, 0);
            break;
        case Qt::Key_Home:
            index = 0;
            break;
        case Qt::Key_End:
            index = count - 1;
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (current_ >= 0) Q_EMIT opened(current_);
            return;
        case Qt::Key_Escape:
            if (current_ < 0) return QWidget::keyPressEvent(event);
            setCurrent(-1);
            Q_EMIT chosen(-1);
            return;
        default:
            return QWidget::keyPressEvent(event);
    }
    if (count == 0) return;
    setCurrent(order_[std::size_t(index)]);
    Q_EMIT chosen(current_);
}

void ScalingPlot::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}
void ScalingPlot::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

}  // namespace braid::ui
