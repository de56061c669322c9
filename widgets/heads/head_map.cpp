#include "widgets/heads/head_map.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QTimer>
#include <algorithm>
#include <cmath>

#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/heads/map_renderer.h"
#include "widgets/heads/map_scene_maker.h"

namespace braid::ui {

namespace {

constexpr double key_zoom = 1.5, click_zoom = 4;
constexpr double notch = 120;  // of a wheel

}  // namespace

HeadMap::HeadMap(HeadSide side, HeadsState& state, TileStore& tiles, MapRenderer& renderer, QWidget* parent)
    : QWidget(parent), side_(side), state_(state), tiles_(tiles), renderer_(renderer) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(side == HeadSide::a ? tr("Attention map A") : tr("Attention map B"));
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    policy.setHeightForWidth(false);
    setSizePolicy(policy);
    for (const auto signal : {&HeadsState::headsChanged, &HeadsState::viewportChanged,
                              &HeadsState::cursorChanged, &HeadsState::linksChanged})
        connect(&state_, signal, this, &HeadMap::rebuild);
    connect(&state_, &HeadsState::cursorChanged, this, [this] { setAccessibleDescription(reading()); });
    connect(&tiles_, &TileStore::arrived, this, [this](quintptr client) {
        if (client == quintptr(this)) rebuild();
    });
    connect(&renderer_, &MapRenderer::painted, this,
            [this](quintptr client, const QImage& picture, double took) {
                if (client != quintptr(this)) return;
                picture_ = picture;
                picture_.setDevicePixelRatio(devicePixelRatioF());
                took_ = took;
                waiting_ = false;
                update();
                Q_EMIT painted(took);
            });
}

HeadMap::~HeadMap() { tiles_.want(quintptr(this), {}, {}); }

MapCursor HeadMap::pairAt(const QPointF& point) const {
    const QRectF map = mapRect();
    const MapViewport view = state_.viewportOf(side_);
    return {std::int64_t(std::floor(view.queryAt(point.y(), map))),
            std::int64_t(std::floor(view.keyAt(point.x(), map)))};
}

QPointF HeadMap::pointOf(const MapCursor& pair) const {
    const QRectF map = mapRect();
    const MapViewport view = state_.viewportOf(side_);
    return {view.x(double(pair.key) + 0.5, map), view.y(double(pair.query) + 0.5, map)};
}

QString HeadMap::reading() const {
    const HeadPointer& head = state_.head(side_);
    if (!head || !state_.cursor()) return {};
    const MapCursor& cursor = *state_.cursor();
    const bool less = state_.difference() && side_ == HeadSide::b;
    return tr("query %1 “%2”, key %3 “%4”, %5 %6")
        .arg(formatCount(cursor.query), tokenText(*head->capture, cursor.query), formatCount(cursor.key),
             tokenText(*head->capture, cursor.key), less ? tr("B − A") : tr("weight"),
             formatSignificant(state_.shownWeight(side_), 3));
}

void HeadMap::rebuild() {
    if (scheduled_) return;
    scheduled_ = true;
    waiting_ = true;
    QTimer::singleShot(0, this, &HeadMap::build);
}

void HeadMap::build() {
    scheduled_ = false;
    if (!isVisible() || size().isEmpty()) {
        tiles_.want(quintptr(this), {}, {});
        waiting_ = false;
        return;
    }
    MadeScene made = makeMapScene(
        {.state = state_, .side = side_, .size = size(), .ratio = devicePixelRatioF(), .focused = hasFocus()},
        tiles_);
    missing_ = made.missing.size();
    level_ = made.level;
    tiles_.want(quintptr(this), state_.source(side_), std::move(made.missing));
    waiting_ = true;
    renderer_.paint(quintptr(this), std::move(made.scene));
}

bool HeadMap::event(QEvent* event) {
    // Single letters of the map are its own, not shortcuts of the window.
    if (event->type() == QEvent::ShortcutOverride) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->modifiers() == Qt::NoModifier || key->modifiers() == Qt::ShiftModifier ||
            key->modifiers() == Qt::KeypadModifier) {
            switch (key->key()) {
                case Qt::Key_Plus:
                case Qt::Key_Equal:
                case Qt::Key_Minus:
                case Qt::Key_N:
                case Qt::Key_C:
                case Qt::Key_Space:
                case Qt::Key_Escape:
                    event->accept();
                    return true;
                default:
                    break;
            }
        }
    }
    if (event->type() == QEvent::StyleChange || event->type() == QEvent::PaletteChange) rebuild();
    return QWidget::event(event);
}

void HeadMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), tokens().surface);
    if (!picture_.isNull()) painter.drawImage(QPointF(0, 0), picture_);
}

void HeadMap::resizeEvent(QResizeEvent*) { rebuild(); }
void HeadMap::showEvent(QShowEvent*) { rebuild(); }

void HeadMap::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (pressed_ && event->buttons() & Qt::LeftButton) {
        const QPointF off = at - *pressed_;
        if (!dragged_ && off.manhattanLength() < QApplication::startDragDistance()) return;
        dragged_ = true;
        setCursor(Qt::ClosedHandCursor);
        const double perPixel = pressedView_.span / mapRect().width();
        state_.setViewport(pressedView_.moved(-off.x() * perPixel, -off.y() * perPixel));
        return;
    }
    if (mapRect().adjusted(0, -MapLayout::top, 0, 0).contains(at))
        state_.hover(pairAt(at));
    else
        state_.hover(std::nullopt);
}

void HeadMap::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
    pressed_ = event->position();
    pressedView_ = state_.viewport();
    dragged_ = false;
}

void HeadMap::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !pressed_) return;
    pressed_.reset();
    if (dragged_) {
        unsetCursor();
        return;
    }
    const QRectF map = mapRect();
    const MapCursor pair = pairAt(event->position());
    if (map.contains(event->position())) {
        const bool column = event->modifiers() & Qt::ShiftModifier;
        state_.lockAt(pair, column ? MapLock::column : MapLock::row);
    } else if (event->position().x() < map.left() && event->position().y() >= map.top() &&
               event->position().y() < map.bottom()) {
        state_.lockAt({pair.query, state_.cursor() ? state_.cursor()->key : 0}, MapLock::row);
    } else if (event->position().y() < map.top() && event->position().x() >= map.left() &&
               event->position().x() < map.right()) {
        state_.lockAt({state_.cursor() ? state_.cursor()->query : state_.tokens() - 1, pair.key},
                      MapLock::column);
    }
}

void HeadMap::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !mapRect().contains(event->position())) return;
    if (state_.viewport().span <= MapViewport::fewest * 1.01)
        state_.setViewport(MapViewport::whole(state_.tokens()));
    else
        zoomAt(1 / click_zoom, event->position());
}

void HeadMap::zoomAt(double factor, const QPointF& point) {
    const QRectF map = mapRect();
    const QPointF share(std::clamp((point.x() - map.left()) / map.width(), 0.0, 1.0),
                        std::clamp((point.y() - map.top()) / map.height(), 0.0, 1.0));
    state_.setViewport(state_.viewport().zoomed(factor, share));
}

void HeadMap::zoomAtCursor(double factor) {
    const QRectF map = mapRect();
    const QPointF cursor = state_.cursor() ? pointOf(*state_.cursor()) : map.center();
    zoomAt(factor, map.contains(cursor) ? cursor : map.center());
}

void HeadMap::wheelEvent(QWheelEvent* event) {
    const double turned = event->angleDelta().y();
    if (turned == 0) return event->ignore();
    zoomAt(std::pow(2.0, -turned / notch / 2), event->position());
    event->accept();
}

void HeadMap::leaveEvent(QEvent*) { state_.hover(std::nullopt); }
void HeadMap::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    rebuild();
}
void HeadMap::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    rebuild();
}

void HeadMap::keyPressEvent(QKeyEvent* event) {
    // A step that is seen: a token, or as many as a pixel holds; ten pixels with Shift.
    const double perPixel = state_.viewport().span / mapRect().width();
    auto step = std::max<std::int64_t>(1, std::int64_t(perPixel));
    if (event->modifiers() & Qt::ShiftModifier)
        step = std::max<std::int64_t>(step * 10, std::int64_t(perPixel * 10));
    switch (event->key()) {
        case Qt::Key_Left:
            return state_.moveCursor(0, -step);
        case Qt::Key_Right:
            return state_.moveCursor(0, step);
        case Qt::Key_Up:
            return state_.moveCursor(-step, 0);
        case Qt::Key_Down:
            return state_.moveCursor(step, 0);
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoomAtCursor(1 / key_zoom);
        case Qt::Key_Minus:
            return zoomAtCursor(key_zoom);
        case Qt::Key_Home:
        case Qt::Key_0:
            return state_.setViewport(MapViewport::whole(state_.tokens()));
        case Qt::Key_N:
            state_.jumpToNeedle();
            return;
        case Qt::Key_Space:
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (state_.lock() == MapLock::none && state_.cursor())
                return state_.lockAt(*state_.cursor(), MapLock::row);
            return state_.unlock();
        case Qt::Key_C:
            if (state_.cursor())
                state_.lockAt(*state_.cursor(),
                              state_.lock() == MapLock::column ? MapLock::row : MapLock::column);
            return;
        case Qt::Key_Escape:
            if (state_.lock() != MapLock::none) return state_.unlock();
            [[fallthrough]];
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace braid::ui
