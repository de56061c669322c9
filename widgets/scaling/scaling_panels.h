// Small multiples: a plot a curve, or a plot a scale, all on the same axes.
#pragma once

#include <QScrollArea>
#include <vector>

#include "widgets/scaling/scaling_plot.h"

class QGridLayout;

namespace braid::ui {

enum class PanelsBy { curve, scale };

class ScalingPanels : public QScrollArea {
    Q_OBJECT

public:
    explicit ScalingPanels(QWidget* parent = nullptr);

    void show(const ScalingContentPtr& content, PanelsBy by, const ScalingPlotOptions& options);
    void setCurrent(int point);
    const std::vector<ScalingPlot*>& plots() const { return plots_; }
    int columns() const { return columns_; }

Q_SIGNALS:
    void chosen(int point);
    void opened(int point);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    QWidget* inside_;
    QGridLayout* grid_;
    std::vector<ScalingPlot*> plots_;
    int columns_ = 0;
};

}  // namespace braid::ui
