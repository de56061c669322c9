// Depth by length, in cividis: hover reads a cell, a click or Return holds it, arrow keys move. What was not
// measured is hatched. Its accessible twin is the table of values beside it.
#pragma once

#include <QWidget>
#include <optional>
#include <utility>

#include "widgets/common/needle_grid.h"

namespace braid::ui {

class NeedleMap : public QWidget {
    Q_OBJECT

public:
    explicit NeedleMap(QWidget* parent = nullptr);

    using Place = std::pair<std::size_t, std::size_t>;  // depth, length

    void show(NeedleGrid grid);
    const NeedleGrid& grid() const { return grid_; }
    std::optional<Place> held() const { return held_; }
    void hold(std::optional<Place> place);
    // The cell read out: the one held, else the one under the pointer or the focus.
    std::optional<Place> read() const { return held_ ? held_ : hovered_; }
    QRectF cellRect(Place place) const;
    QSize sizeHint() const override { return {560, 300}; }
    QSize minimumSizeHint() const override { return {280, 160}; }

Q_SIGNALS:
    void readChanged();
    void heldChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    QRectF mapRect() const;
    std::optional<Place> placeAt(const QPointF& point) const;
    void hover(std::optional<Place> place);
    void paintCells(QPainter& painter) const;
    void paintAxes(QPainter& painter) const;
    void paintBar(QPainter& painter) const;

    NeedleGrid grid_;
    std::optional<Place> hovered_, held_;
};

}  // namespace braid::ui
