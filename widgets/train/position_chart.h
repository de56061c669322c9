// Loss by position in the context, with its interval, and the paired difference to the checkpoint it was
// scored against. Both charts share their x axis, which is logarithmic unless it is asked otherwise.
#pragma once

#include <QWidget>
#include <optional>

#include "core/analysis/axis.h"
#include "core/record/score.h"

namespace braid::ui {

class CurvePlot;

// A line of the chart: a checkpoint and its run's colour.
struct PositionLine {
    QString label;
    int colour = 0;  // stored palette index of the run
};

class PositionChart : public QWidget {
    Q_OBJECT

public:
    explicit PositionChart(QWidget* parent = nullptr);

    // `other` is what it was scored against, where that is known.
    void show(const LossSeries& series, const PositionLine& line, const std::optional<PositionLine>& other);
    void setLogarithmic(bool logarithmic);
    CurvePlot* lossPlot() const { return loss_; }
    CurvePlot* differencePlot() const { return difference_; }

private:
    void follow(const CurvePlot* plot, CurvePlot* other, AxisRange range);

    bool following_ = false;
    CurvePlot *loss_, *difference_;
};

}  // namespace braid::ui
