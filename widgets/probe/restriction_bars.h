// What each run loses when the layers of one kind see no farther than a horizon: a bar a mixer with its
// interval.
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/common/measured_views.h"

namespace braid::ui {

class RestrictionBars : public QWidget {
    Q_OBJECT

public:
    explicit RestrictionBars(QWidget* parent = nullptr);
    void show(const std::vector<MeasuredRun>& runs, const std::string& current);
    const std::vector<MeasuredBar>& bars() const { return bars_; }
    QString text(const MeasuredBar& bar) const;
    QRectF barRect(std::size_t bar) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void runChosen(const QString& run);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    double x(double value) const;
    int barAt(const QPointF& point) const;

    std::vector<MeasuredRun> runs_;
    std::vector<MeasuredBar> bars_;
    std::vector<double> tops_;
    std::string current_;
    double least_ = 0, most_ = 1;
};

}  // namespace braid::ui
