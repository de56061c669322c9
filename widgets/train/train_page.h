// Curves of the selected runs: two large panels, three small ones, and the comparison beneath.
#pragma once

#include <QWidget>

#include "widgets/common/run_view.h"
#include "widgets/common/throttle.h"
#include "widgets/common/workspace.h"
#include "widgets/plot/curve_plot.h"

class QComboBox;
class QSlider;
class QStackedWidget;
class QTableView;

namespace braid::ui {

class ComparisonModel;
class EmptyState;
class PageToolbar;
class RunPanel;
class SectionTitle;
class Segments;
class TextLabel;

class TrainPage : public QWidget {
    Q_OBJECT

public:
    TrainPage(const WorkspaceContext& context, RunPanel* panel, QWidget* parent = nullptr);

    void setActive(bool active);  // a hidden page asks for no curves
    XAxis axis() const { return axis_; }
    CurvePlot* lossPlot() const { return plots_[0]; }
    CurvePlot* secondPlot() const { return plots_[1]; }
    ComparisonModel* comparison() const { return model_; }
    const std::vector<RunPointer>& shown() const { return runs_; }

public Q_SLOTS:
    void exportFigure();

private:
    void makeToolbar();
    void makePanels();
    void setAxis(int axis);
    void setScale(int scale);
    void setSmoothing(int value);
    void follow();
    void refresh();
    void chooseSecondMetric();
    void refreshMarks();
    void refreshCursors();

    WorkspaceContext context_;
    RunPanel* panel_;
    bool active_ = false;
    Throttle throttle_{100, this, [this] { refresh(); }};
    XAxis axis_ = XAxis::step;
    AxisScale scale_ = AxisScale::linear;
    double smoothing_ = 0.9;
    std::string second_metric_;
    std::vector<RunPointer> runs_;
    PageToolbar* toolbar_;
    Segments *axis_choice_, *scale_choice_;
    QSlider* smooth_;
    TextLabel* smooth_value_;
    QComboBox* metric_;
    CurvePlot* plots_[5];
    SectionTitle* comparison_title_;
    ComparisonModel* model_;
    QTableView* table_;
    QStackedWidget* pages_;
    EmptyState* empty_;
};

}  // namespace braid::ui
