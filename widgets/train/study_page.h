// The page of a study: what it asks, the curve that answers it, the table, and what to do next.
#pragma once

#include <QWidget>

#include "widgets/common/throttle.h"
#include "widgets/common/workspace.h"
#include "widgets/train/study_summary.h"

class QBoxLayout;
class QPushButton;
class QTableView;

namespace braid::ui {

class CurvePlot;
class PageToolbar;
class RunProgressBar;
class StudyTableModel;
class TextLabel;

class StudyPage : public QWidget {
    Q_OBJECT

public:
    explicit StudyPage(const WorkspaceContext& context, QWidget* parent = nullptr);

    void showStudy(const QString& name);  // empty: none
    QString study() const { return name_; }
    void setActive(bool active);  // a hidden page asks for no curves

    QPushButton* runButton() const { return run_; }
    QPushButton* pauseButton() const { return pause_; }
    QPushButton* scaleButton() const { return scale_; }
    QPushButton* stopButton() const { return stop_; }
    CurvePlot* farPlot() const { return far_; }
    StudyTableModel* table() const { return model_; }
    QString headline() const;

Q_SIGNALS:
    // The run that the inspector tells about: of the chosen row, else the first that works.
    void runShown(const braid::ui::RunPointer& run);
    void investigateWanted();

public Q_SLOTS:
    void runStudy();
    void pauseOrResume();
    void stopStudy();
    void exportFigure();
    void changeOne();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();  // beside each other, or beneath each other where that is too wide
    void makePlots();
    void makeNextSteps();
    void follow();   // asks the session for the curves of the study's runs
    void refresh();  // from the session's snapshots
    void refreshButtons(const StudySummary& summary);

    WorkspaceContext context_;
    QString name_;
    bool active_ = false;
    Throttle throttle_{100, this, [this] { refresh(); }};
    PageToolbar* toolbar_;
    QBoxLayout *plot_row_ = nullptr, *small_plots_ = nullptr, *next_row_ = nullptr;
    QWidgetList separators_;  // of the plots that stand beside each other
    QWidget *content_ = nullptr, *plots_ = nullptr, *rows_ = nullptr, *next_ = nullptr;
    QPushButton* scale_;  // of a study over scales, budgets or axes, which has many runs a variant
    QPushButton *run_, *pause_, *stop_;
    TextLabel *status_, *headline_, *explanation_, *eta_;
    RunProgressBar* progress_;
    CurvePlot *far_, *near_, *mid_, *loss_;
    StudyTableModel* model_;
    QTableView* table_;
    QPushButton *investigate_ = nullptr, *export_ = nullptr, *change_ = nullptr;
};

}  // namespace braid::ui
