// The page of Scale: points and fits, compared curves, maps and fronts; coefficients beneath.
#pragma once

#include <QWidget>

#include "widgets/common/workspace.h"
#include "widgets/scaling/scaling_choice.h"

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTabBar;

namespace braid::ui {

class CoefficientTable;
class EmptyState;
class FitCommands;
class FrontView;
class MapView;
class PairView;
class PageToolbar;
class RunProgressBar;
class ScalingPanels;
class ScalingPlot;
class Segments;
class TextLabel;

class ScalingPage : public QWidget {
    Q_OBJECT

public:
    enum Tab { Curves, Pairs, Map, Front };

    ScalingPage(const WorkspaceContext& context, ScalingChoice& choice, FitCommands& fits,
                QWidget* parent = nullptr);

    void fit();  // again, or for the first time
    void cancelFit();
    void exportFigure();
    void openRun();  // of the point that is read, in Train
    QString commandLine() const;
    bool isFitting() const { return fitting_; }

    ScalingPlot* plot() const { return plot_; }
    ScalingPanels* panels() const { return panels_; }
    PairView* pairs() const { return pairs_; }
    MapView* map() const { return map_; }
    FrontView* front() const { return front_; }
    CoefficientTable* coefficients() const { return coefficients_; }
    QComboBox* metricChoice() const { return metrics_; }
    QComboBox* panelChoice() const { return by_; }
    Segments* axis() const { return axis_; }
    Segments* form() const { return form_; }
    Segments* seeds() const { return seeds_; }
    QTabBar* tabs() const { return tabs_; }
    QPushButton* fitButton() const { return fit_; }
    QPushButton* cancelButton() const { return cancel_; }
    QPushButton* figureButton() const { return figure_; }
    EmptyState* empty() const { return empty_; }
    QString state() const;  // the sentence above the plot; empty: none
    bool isEmpty() const;

Q_SIGNALS:
    void runWanted();
    void newStudyWanted();

private:
    void makeToolbar();
    QWidget* makeCurves();
    void refresh();
    void refreshPlots();
    void refreshState();
    void refreshCurrent();
    void makeTabs();

    WorkspaceContext context_;
    ScalingChoice& choice_;
    FitCommands& fits_;
    PageToolbar* toolbar_;
    QTabBar* tabs_;
    QComboBox *metrics_, *by_;
    Segments *axis_, *form_, *seeds_;
    QPushButton *cancel_, *fit_, *figure_;
    TextLabel* state_;
    RunProgressBar* progress_;
    QStackedWidget *pages_, *forms_, *views_;
    ScalingPlot* plot_;
    ScalingPanels* panels_;
    PairView* pairs_;
    MapView* map_;
    FrontView* front_;
    CoefficientTable* coefficients_;
    EmptyState* empty_;
    bool fitting_ = false;
    QString fitProblem_, fitText_;
    QString fitStudy_;
};

}  // namespace braid::ui
