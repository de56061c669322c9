// One large map: zoom with the wheel, + and -; drag to pan; a click locks a row, Shift and a click a column;
// arrow keys move the cursor. Its picture is painted by the renderer's thread.
#pragma once

#include <QElapsedTimer>
#include <QImage>
#include <QWidget>
#include <optional>

#include "widgets/heads/heads_state.h"
#include "widgets/heads/map_layout.h"

namespace braid::ui {

class MapRenderer;

class HeadMap : public QWidget {
    Q_OBJECT

public:
    HeadMap(HeadSide side, HeadsState& state, TileStore& tiles, MapRenderer& renderer,
            QWidget* parent = nullptr);
    ~HeadMap() override;

    HeadSide side() const { return side_; }
    QRectF mapRect() const { return MapLayout(size()).map; }
    // The pair under a point, wherever it is.
    MapCursor pairAt(const QPointF& point) const;
    QPointF pointOf(const MapCursor& pair) const;
    QString reading() const;  // what the cursor tells, in a sentence
    const QImage& picture() const { return picture_; }
    // Of the scene that is wanted; true when the picture shows it with all its tiles.
    bool settled() const { return !waiting_ && missing_ == 0 && !picture_.isNull(); }
    double paintMilliseconds() const { return took_; }
    int level() const { return level_; }
    QSize sizeHint() const override { return {420, int(MapLayout::heightFor(420))}; }
    QSize minimumSizeHint() const override { return {200, int(MapLayout::heightFor(200))}; }

Q_SIGNALS:
    void painted(double milliseconds);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void rebuild();  // at the next turn of the event loop
    void build();
    void zoomAt(double factor, const QPointF& point);
    void zoomAtCursor(double factor);

    HeadSide side_;
    HeadsState& state_;
    TileStore& tiles_;
    MapRenderer& renderer_;
    QImage picture_;
    bool scheduled_ = false, waiting_ = false, dragged_ = false;
    std::size_t missing_ = 0;
    int level_ = 0;
    double took_ = 0;
    std::optional<QPointF> pressed_;
    MapViewport pressedView_;
};

}  // namespace braid::ui
