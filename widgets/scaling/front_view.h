// Quality against cost: the front of those that nothing beats at both, the others paler.
#pragma once

#include <QWidget>

#include "widgets/figure/pareto_front.h"
#include "widgets/scaling/scaling_content.h"

class QComboBox;

namespace braid::ui {

class FrontPlot : public QWidget {
    Q_OBJECT

public:
    explicit FrontPlot(QWidget* parent = nullptr);
    void show(const ScalingContentPtr& content, CostKind kind);
    const std::vector<FrontPoint>& points() const { return points_; }
    int current() const { return current_; }
    QPointF place(int point) const;
    QString textOf(int point) const;
    QSize minimumSizeHint() const override { return {260, 180}; }

Q_SIGNALS:
    void chosen(int point);  // of the view

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    QRectF area() const;
    int nearest(const QPointF& place) const;
    void setCurrent(int point);

    ScalingContentPtr content_;
    CostKind kind_ = CostKind::kv_bytes;
    std::vector<FrontPoint> points_;
    double low_ = 0, high_ = 1, left_ = 1, right_ = 10;
    int current_ = -1;
};

class FrontView : public QWidget {
    Q_OBJECT

public:
    explicit FrontView(QWidget* parent = nullptr);
    void show(const ScalingContentPtr& content);
    FrontPlot* plot() const { return plot_; }
    QComboBox* costChoice() const { return costs_; }
    std::string wish() const;  // "eval/loss against kv_bytes"

Q_SIGNALS:
    void chosen(int point);

private:
    void refresh();
    CostKind kind() const;

    ScalingContentPtr content_;
    QComboBox* costs_;
    FrontPlot* plot_;
};

}  // namespace braid::ui
