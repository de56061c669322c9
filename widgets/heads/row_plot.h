// The exact row of the cursor's query beneath its map, on the map's columns: the largest weight in each pixel
// column. While a column is locked, the weights of its key by query.
#pragma once

#include <QWidget>

#include "widgets/heads/heads_state.h"

namespace braid::ui {

class RowPlot : public QWidget {
    Q_OBJECT

public:
    RowPlot(HeadSide side, HeadsState& state, QWidget* parent = nullptr);
    void setMapWidth(double width);  // that of the map above
    QSize sizeHint() const override { return {300, 104}; }
    QSize minimumSizeHint() const override { return {120, 76}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    QRectF plotRect() const;
    void describe();

    HeadSide side_;
    HeadsState& state_;
    double width_ = 200;
};

}  // namespace braid::ui
