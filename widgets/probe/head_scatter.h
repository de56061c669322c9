// Heads by how often they hit the needle and how spread out they look; the colour is their depth. Hover and
// the arrow keys read a head.
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/figure/measured_scatter.h"

namespace braid::ui {

class HeadScatter : public QWidget {
    Q_OBJECT

public:
    using Point = HeadPoint;
    explicit HeadScatter(QWidget* parent = nullptr);

    // The record of one run with arrays "hit_rate" and "entropy".
    void show(const MeasuredRun& run);
    const std::vector<Point>& points() const { return points_; }
    int current() const { return current_; }
    QString text(int point) const;
    QPointF place(const Point& point) const;
    QSize minimumSizeHint() const override { return {200, 140}; }

Q_SIGNALS:
    void readChanged(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF area() const;
    void setCurrent(int point);

    QString name_;
    std::vector<Point> points_;  // by hit rate
    std::size_t layers_ = 1;
    std::int64_t samples_ = 0;
    double least_ = 0, most_ = 1;  // of the entropy
    int current_ = -1;
};

}  // namespace braid::ui
