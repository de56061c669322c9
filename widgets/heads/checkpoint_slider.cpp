#include "widgets/heads/checkpoint_slider.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPolygonF>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/common/format.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr double left_room = 76, right_room = 216, handle = 18;
constexpr double clear_fall = 0.1;  // of entropy, to be spoken of

QString sideName(HeadSide side) { return side == HeadSide::a ? QStringLiteral("A") : QStringLiteral("B"); }

// Where the line first comes below the middle of its highest and its lowest value after that; NaN: it does
// not fall.
double fallsAt(const std::vector<QPointF>& line) {
    if (line.size() < 2) return std::nan("");
    const auto by_value = [](const QPointF& a, const QPointF& b) { return a.y() < b.y(); };
    const auto most = std::max_element(line.begin(), line.end(), by_value);
    const auto least = std::min_element(most, line.end(), by_value);
    if (most->y() - least->y() < clear_fall) return std::nan("");
    const double middle = (most->y() + least->y()) / 2;
    for (auto at = most; at != line.end(); ++at)
        if (at->y() < middle) return at->x();
    return std::nan("");
}

}  // namespace

CheckpointSlider::CheckpointSlider(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Checkpoints"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void CheckpointSlider::setCheckpoints(std::vector<CheckpointMark> marks) {
    marks_ = std::move(marks);
    summary_ = marks_.empty() ? QString()
                              : tr("%n checkpoints, %1", nullptr, int(marks_.size()))
                                    .arg(formatSi(marks_.back().tokens, "tokens"));
    describe();
    update();
}

void CheckpointSlider::setSteps(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    if (dragged_) return;
    steps_ = {a, b};
    if (!steps_[1] && current_ == HeadSide::b) current_ = HeadSide::a;
    describe();
    update();
}

void CheckpointSlider::setEntropy(std::vector<QPointF> line) {
    const bool taller = line.empty() != line_.empty();
    line_ = std::move(line);
    if (taller) updateGeometry();
    update();
}

void CheckpointSlider::describe() {
    QStringList parts;
    for (const HeadSide side : {HeadSide::a, HeadSide::b})
        if (step(side)) parts << tr("%1 at step %2").arg(sideName(side), formatCount(*step(side)));
    parts << summary_;
    setAccessibleDescription(parts.join(QStringLiteral(", ")));
}

QRectF CheckpointSlider::track() const {
    return QRectF(left_room, height() - 26, std::max(40.0, width() - left_room - right_room), 4);
}

double CheckpointSlider::xOfTokens(double tokens) const {
    const QRectF on = track();
    if (marks_.size() < 2) return on.left();
    const double first = marks_.front().tokens, last = marks_.back().tokens;
    return on.left() + (tokens - first) / std::max(last - first, 1e-9) * on.width();
}

double CheckpointSlider::xOf(std::int64_t at) const {
    for (const CheckpointMark& mark : marks_)
        if (mark.step == at) return xOfTokens(mark.tokens);
    return track().left();
}

double CheckpointSlider::handleX(HeadSide side) const {
    if (dragged_ == side) return xOf(draggedTo_);
    const auto& at = steps_[std::size_t(side)];
    return at ? xOf(*at) : -1;
}

std::int64_t CheckpointSlider::nearest(double x) const {
    std::int64_t best = 0;
    double least = 1e30;
    for (const CheckpointMark& mark : marks_)
        if (const double off = std::abs(xOfTokens(mark.tokens) - x); off < least) {
            least = off;
            best = mark.step;
        }
    return best;
}

void CheckpointSlider::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.fillRect(rect(), t.surface);
    painter.fillRect(QRectF(0, 0, width(), 1), t.border);
    if (marks_.empty()) return;
    const QRectF on = track();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(Theme::instance().font(TypeStep::table));
    painter.setPen(t.text2);
    painter.drawText(QRectF(12, on.center().y() - 9, left_room - 12, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("tokens"));
    painter.setFont(Theme::instance().font(TypeStep::table));
    painter.drawText(QRectF(on.right() + 20, on.center().y() - 9, right_room - 32, 18),
                     Qt::AlignLeft | Qt::AlignVCenter, summary_);
    if (!line_.empty()) {
        const QRectF plot(on.left(), 10, on.width(), on.top() - 24);
        painter.drawText(QRectF(12, plot.top() - 4, left_room - 12, 18), Qt::AlignLeft | Qt::AlignVCenter,
                         QStringLiteral("H(t)"));
        QPolygonF shown;
        for (const QPointF& at : line_)
            shown << QPointF(xOfTokens(at.x()), plot.bottom() - std::clamp(at.y(), 0.0, 1.0) * plot.height());
        painter.setPen(QPen(t.text1, 1.6));
        painter.save();
        painter.setClipRect(plot.adjusted(-2, -2, 2, 2));
        painter.drawPolyline(shown);
        painter.restore();
        const double fall = fallsAt(line_);
        painter.setFont(Theme::instance().font(TypeStep::table, 600));
        painter.drawText(
            QRectF(on.right() + 20, plot.top() - 2, right_room - 32, 18), Qt::AlignLeft | Qt::AlignVCenter,
            std::isfinite(fall) ? tr("falls at %1").arg(formatSi(fall, "tokens")) : tr("does not fall"));
    }
    // Captured ones strong: they open at once.
    for (const CheckpointMark& mark : marks_) {
        const double x = std::round(xOfTokens(mark.tokens));
        painter.fillRect(QRectF(x - 0.5, on.center().y() - (mark.captured ? 6 : 4), mark.captured ? 2 : 1,
                                mark.captured ? 12 : 8),
                         mark.captured ? t.text2 : t.borderStrong);
    }
    const double a = handleX(HeadSide::a), b = handleX(HeadSide::b);
    if (a >= 0 && b >= 0) painter.fillRect(QRectF(std::min(a, b), on.top() + 0.5, std::abs(b - a), 3), t.ink);
    for (const HeadSide side : {HeadSide::a, HeadSide::b}) {
        const double x = handleX(side);
        if (x < 0) continue;
        if (!line_.empty()) painter.fillRect(QRectF(std::round(x), 8, 1, on.top() - 12), t.axis);
        const QRectF box(x - handle / 2, on.center().y() - handle / 2, handle, handle);
        const bool leads = side == HeadSide::b;
        painter.setPen(QPen(leads ? t.ink : t.axis, 1));
        painter.setBrush(leads ? t.ink : t.checked);
        painter.drawRoundedRect(box, 4, 4);
        painter.setPen(leads ? t.onInk : t.text1);
        painter.setFont(Theme::instance().font(TypeStep::table, 600));
        painter.drawText(box, Qt::AlignCenter, sideName(side));
        if (hasFocus() && current_ == side) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(t.ink, 2));
            painter.drawRoundedRect(box.adjusted(-3, -3, 3, 3), 6, 6);
        }
    }
}

void CheckpointSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || marks_.empty()) return;
    const double x = event->position().x();
    const double a = handleX(HeadSide::a), b = handleX(HeadSide::b);
    // Where both handles lie on one place B is pulled off; a second handle comes from the only one with Ctrl.
    HeadSide side = HeadSide::a;
    if (b >= 0)
        side = std::abs(x - b) <= std::abs(x - a) ? HeadSide::b : HeadSide::a;
    else if (event->modifiers() & Qt::ControlModifier)
        side = HeadSide::b;
    current_ = side;
    dragged_ = side;
    draggedTo_ = nearest(x);
    update();
}

void CheckpointSlider::mouseMoveEvent(QMouseEvent* event) {
    if (!dragged_) return;
    draggedTo_ = nearest(event->position().x());
    update();
}

void CheckpointSlider::mouseReleaseEvent(QMouseEvent*) {
    if (!dragged_) return;
    const HeadSide side = *dragged_;
    const std::int64_t to = draggedTo_;
    dragged_.reset();
    const bool changed = step(side) != to;
    update();
    if (changed) Q_EMIT chosen(side, to);
}

void CheckpointSlider::keyPressEvent(QKeyEvent* event) {
    const int off = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (event->key() == Qt::Key_A || event->key() == Qt::Key_B) {
        const HeadSide side = event->key() == Qt::Key_A ? HeadSide::a : HeadSide::b;
        if (step(side)) current_ = side;
        update();
        return;
    }
    const bool end = event->key() == Qt::Key_End, home = event->key() == Qt::Key_Home;
    if ((off == 0 && !home && !end) || !step(current_) || marks_.empty())
        return QWidget::keyPressEvent(event);
    const auto at = std::find_if(marks_.begin(), marks_.end(),
                                 [this](const CheckpointMark& mark) { return mark.step == *step(current_); });
    auto next = std::clamp<std::ptrdiff_t>((at - marks_.begin()) + off, 0, std::ptrdiff_t(marks_.size()) - 1);
    if (home) next = 0;
    if (end) next = std::ptrdiff_t(marks_.size()) - 1;
    const std::int64_t to = marks_[std::size_t(next)].step;
    if (to != *step(current_)) Q_EMIT chosen(current_, to);
}

bool CheckpointSlider::focusNextPrevChild(bool next) {
    if (next && current_ == HeadSide::a && step(HeadSide::b)) {
        current_ = HeadSide::b;
        update();
        return true;
    }
    if (!next && current_ == HeadSide::b && step(HeadSide::a)) {
        current_ = HeadSide::a;
        update();
        return true;
    }
    return QWidget::focusNextPrevChild(next);
}

void CheckpointSlider::focusInEvent(QFocusEvent* event) {
    if (event->reason() == Qt::TabFocusReason) current_ = HeadSide::a;
    if (event->reason() == Qt::BacktabFocusReason && step(HeadSide::b)) current_ = HeadSide::b;
    update();
}
void CheckpointSlider::focusOutEvent(QFocusEvent*) { update(); }

bool CheckpointSlider::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && !marks_.empty()) {
        auto* help = static_cast<QHelpEvent*>(event);
        const std::int64_t at = nearest(help->pos().x());
        for (const CheckpointMark& mark : marks_)
            if (mark.step == at)
                QToolTip::showText(help->globalPos(),
                                   tr("step %1, %2%3")
                                       .arg(formatCount(mark.step), formatSi(mark.tokens, "tokens"),
                                            mark.captured ? QString() : tr(", not captured yet")),
                                   this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace braid::ui
