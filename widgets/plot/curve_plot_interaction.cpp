// Mouse and keys of a CurvePlot. Drag pans, Ctrl+drag or the right button zooms into a box, the wheel zooms x
// at the pointer (Shift: y, Ctrl: both; on a page that scrolls only these), a double click fits. Keys:
// arrows, + and -, Home, A and B.
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "widgets/plot/curve_plot_private.h"

namespace braid::ui {
namespace {

constexpr double click_slack = 4;   // pixels a click may move
constexpr double cursor_grip = 5;   // pixels beside a cursor where it can be taken
constexpr double line_grip = 8;     // pixels beside a line where a click means it
constexpr double wheel_zoom = 1.2;  // per notch

}  // namespace

bool CurvePlot::eventFilter(QObject* watched, QEvent* event) {
    return (watched == d_->plot && d_->event(event)) || QWidget::eventFilter(watched, event);
}

bool CurvePlot::Private::event(QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseButtonPress:
            press(static_cast<QMouseEvent*>(event));
            return true;
        case QEvent::MouseMove:
            move(static_cast<QMouseEvent*>(event));
            return true;
        case QEvent::MouseButtonRelease:
            release(static_cast<QMouseEvent*>(event));
            return true;
        case QEvent::MouseButtonDblClick:
            if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton) {
                drag = Drag::none;
                q->fit();
            }
            return true;
        case QEvent::Wheel:
            wheel(static_cast<QWheelEvent*>(event));
            return true;
        case QEvent::Leave:
            leave();
            return false;
        default:
            return false;
    }
}

void CurvePlot::Private::press(QMouseEvent* event) {
    q->setFocus(Qt::MouseFocusReason);
    const QPointF place = event->position();
    dragStart = place;
    dragX = plot->xAxis->range();
    dragY = plot->yAxis->range();
    moved = false;
    drag = Drag::none;
    if (!QRectF(state.area()).adjusted(0, -12, 0, 0).contains(place)) {
        return;
    }
    const bool box = event->button() == Qt::RightButton ||
                     (event->button() == Qt::LeftButton && event->modifiers().testFlag(Qt::ControlModifier));
    if (box) {
        drag = Drag::box;
        return;
    }
    if (event->button() != Qt::LeftButton) {
        return;
    }
    drag = Drag::pan;
    for (const int which : {0, 1}) {
        if (cursorsEnabled && state.cursors[which] &&
            std::abs(state.xPixel(*state.cursors[which]) - place.x()) <= cursor_grip) {
            drag = which == 0 ? Drag::cursorA : Drag::cursorB;
        }
    }
}

void CurvePlot::Private::move(QMouseEvent* event) {
    const QPointF place = event->position();
    if (drag != Drag::none && (place - dragStart).manhattanLength() > click_slack) {
        moved = true;
    }
    const QRectF area = state.area();
    state.pointer = area.contains(place) ? std::optional(place) : std::nullopt;
    switch (drag) {
        case Drag::none: {
            bool onCursor = false;
            for (const auto& cursor : state.cursors) {
                onCursor = onCursor || (cursorsEnabled && cursor && area.contains(place) &&
                                        std::abs(state.xPixel(*cursor) - place.x()) <= cursor_grip);
            }
            const bool onLabel = marks->labelAt(place) >= 0;
            plot->setCursor(onCursor ? Qt::SplitHCursor : onLabel ? Qt::PointingHandCursor : Qt::ArrowCursor);
            break;
        }
        case Drag::pan:
            if (moved) {
                state.pointer.reset();  // no readout while the panel moves beneath the pointer
                plot->setCursor(Qt::ClosedHandCursor);
                plot->xAxis->setRange(dragX);
                plot->yAxis->setRange(dragY);
                pan(place.x() - dragStart.x(), dragStart.y() - place.y());
            }
            return;
        case Drag::box:
            state.boxZoom = moved ? std::optional(QRectF(dragStart, place)) : std::nullopt;
            break;
        case Drag::cursorA:
        case Drag::cursorB:
            setCursorAt(drag == Drag::cursorA ? 0 : 1,
                        state.xValue(std::clamp(place.x(), area.left(), area.right())));
            break;
    }
    Q_EMIT q->hoverMoved(state.pointer ? std::optional(state.xValue(place.x())) : std::nullopt);
    repaintOverlay();
}

void CurvePlot::Private::release(QMouseEvent* event) {
    const Drag ended = drag;
    drag = Drag::none;
    plot->setCursor(Qt::ArrowCursor);
    if (ended == Drag::box) {
        const QRectF box = QRectF(dragStart, event->position()).normalized().intersected(state.area());
        state.boxZoom.reset();
        if (moved && box.width() > click_slack && box.height() > click_slack) {
            const QCPRange x(plot->xAxis->pixelToCoord(box.left()), plot->xAxis->pixelToCoord(box.right()));
            const QCPRange y(plot->yAxis->pixelToCoord(box.bottom()), plot->yAxis->pixelToCoord(box.top()));
            plot->xAxis->setRange(x);
            plot->yAxis->setRange(y);
            fitY = false;
            userMovedX();
        }
        schedule();
        return;
    }
    if (moved || event->button() != Qt::LeftButton) {
        return;
    }
    const QPointF place = event->position();
    const int label = marks->labelAt(place);
    const int near = label >= 0 ? label : seriesNear(place);
    if (near >= 0) {
        const QString id = state.series[near].id;
        Q_EMIT q->seriesActivated(id);
    }
    if (cursorsEnabled && label < 0 && ended == Drag::pan) {
        setCursorAt(event->modifiers().testFlag(Qt::ShiftModifier) ? 1 : 0, state.xValue(place.x()));
    }
}

void CurvePlot::Private::wheel(QWheelEvent* event) {
    if (wheelScrolls && !(event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier))) {
        return event->ignore();  // on to the page
    }
    // Shift turns the wheel sideways on some platforms.
    const QPoint delta = event->angleDelta();
    const double notches = (delta.y() != 0 ? delta.y() : delta.x()) / 120.0;
    const QPointF place = event->position();
    const QRectF area = state.area();
    if (notches == 0) {
        return;
    }
    const bool both = event->modifiers().testFlag(Qt::ControlModifier);
    const bool overY = place.x() < area.left() && place.y() < area.bottom();
    const bool y = both || overY || event->modifiers().testFlag(Qt::ShiftModifier);
    zoom(std::pow(wheel_zoom, -notches), place, both || !y, y);
    event->accept();
}

void CurvePlot::Private::zoom(double factor, const QPointF& centre, bool x, bool y) {
    const auto about = [&](QCPAxis* axis, double pixel) {
        const QCPRange range = axis->range();
        const double place = std::clamp(axis->pixelToCoord(pixel), range.lower, range.upper);
        const QCPRange wanted(place + (range.lower - place) * factor, place + (range.upper - place) * factor);
        // Beyond these the numbers of the axis are no longer distinct.
        const double size = wanted.size();
        if (size > 1e-12 * std::max(1e-300, std::max(std::abs(wanted.lower), std::abs(wanted.upper))) &&
            size < 1e250) {
            axis->setRange(wanted);
        }
    };
    if (y) {
        about(plot->yAxis, centre.y());
        fitY = false;
    }
    if (x) {
        about(plot->xAxis, centre.x());
        userMovedX();
    }
    schedule();
}

void CurvePlot::Private::pan(double right, double up) {
    const QRectF area = state.area();
    const QCPRange x = plot->xAxis->range();
    const QCPRange y = plot->yAxis->range();
    plot->xAxis->setRange(x.lower - right * x.size() / area.width(),
                          x.upper - right * x.size() / area.width());
    plot->yAxis->setRange(y.lower - up * y.size() / area.height(), y.upper - up * y.size() / area.height());
    fitY = false;
    userMovedX();
    schedule();
}

void CurvePlot::Private::userMovedX() {
    fitX = false;
    Q_EMIT q->xRangeChanged(state.xRange());
}

void CurvePlot::Private::setCursorAt(int which, std::optional<double> x) {
    state.cursors[which] = x;
    Q_EMIT q->cursorMoved(which == 0 ? PlotCursor::a : PlotCursor::b, x);
    repaintOverlay();
}

int CurvePlot::Private::seriesNear(const QPointF& place) const {
    if (!state.area().contains(place.toPoint())) {
        return -1;
    }
    int nearest = -1;
    double distance = line_grip;
    for (const int index : state.visibleSeries()) {
        const double y = state.yPixel(state.read(index, state.xValue(place.x())).smoothed);
        if (std::abs(y - place.y()) < distance) {  // false for NaN
            distance = std::abs(y - place.y());
            nearest = index;
        }
    }
    return nearest;
}

void CurvePlot::Private::leave() {
    state.pointer.reset();
    Q_EMIT q->hoverMoved(std::nullopt);
    repaintOverlay();
}

void CurvePlot::Private::repaintOverlay() {
    if (!frame.isActive()) {  // else the coming frame draws it
        plot->layer(QStringLiteral("overlay"))->replot();
    }
}

bool CurvePlot::Private::key(QKeyEvent* event) {
    const QRectF area = state.area();
    const bool control = event->modifiers().testFlag(Qt::ControlModifier);
    if (control || event->modifiers().testFlag(Qt::AltModifier)) {
        return false;
    }
    const QPointF centre = state.pointer.value_or(area.center());
    switch (event->key()) {
        case Qt::Key_Left:
            pan(area.width() * 0.1, 0);
            return true;
        case Qt::Key_Right:
            pan(-area.width() * 0.1, 0);
            return true;
        case Qt::Key_Up:
            pan(0, -area.height() * 0.1);
            return true;
        case Qt::Key_Down:
            pan(0, area.height() * 0.1);
            return true;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoom(1 / wheel_zoom, centre, true, false);
            return true;
        case Qt::Key_Minus:
            zoom(wheel_zoom, centre, true, false);
            return true;
        case Qt::Key_Home:
        case Qt::Key_0:
            q->fit();
            return true;
        case Qt::Key_Escape:
            if (!cursorsEnabled || (!state.cursors[0] && !state.cursors[1])) {
                return false;
            }
            setCursorAt(0, std::nullopt);
            setCursorAt(1, std::nullopt);
            return true;
        case Qt::Key_A:
        case Qt::Key_B:
            if (!cursorsEnabled) {
                return false;
            }
            setCursorAt(event->key() == Qt::Key_A ? 0 : 1, state.xValue(centre.x()));
            return true;
        default:
            return false;
    }
}

void CurvePlot::keyPressEvent(QKeyEvent* event) {
    if (!d_->key(event)) {
        QWidget::keyPressEvent(event);
    }
}

void CurvePlot::focusInEvent(QFocusEvent* event) {
    d_->state.focusRing = event->reason() == Qt::TabFocusReason ||
                          event->reason() == Qt::BacktabFocusReason ||
                          event->reason() == Qt::ShortcutFocusReason;
    QWidget::focusInEvent(event);
    d_->schedule();
}

void CurvePlot::focusOutEvent(QFocusEvent* event) {
    d_->state.focusRing = false;
    QWidget::focusOutEvent(event);
    d_->schedule();
}

}  // namespace braid::ui
