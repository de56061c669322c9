// The inspector of Train: how the current run stands, its buttons, the cursor table, its log.
#pragma once

#include <QWidget>

#include "widgets/common/run_view.h"
#include "widgets/common/workspace.h"
#include "widgets/plot/curve_plot.h"

class QListView;
class QPushButton;
class QStandardItemModel;
class QTableView;

namespace braid::ui {

class LogModel;
class RunProgressBar;
class SectionTitle;
class TextLabel;

class RunPanel : public QWidget {
    Q_OBJECT

public:
    explicit RunPanel(const WorkspaceContext& context, QWidget* parent = nullptr);

    void showRun(const RunPointer& run);  // null: none
    // Rows of the cursor table, in the order of the plot's series.
    struct CursorRow {
        QString name;
        int colour = 0;
        double a = 0, b = 0;  // NaN: no point there
    };
    void showCursors(const QString& what, std::optional<double> a, std::optional<double> b,
                     const std::vector<CursorRow>& rows);

    QPushButton* pauseButton() const { return pause_; }
    QPushButton* checkpointButton() const { return checkpoint_; }
    QPushButton* stopButton() const { return stop_; }

private:
    void pauseOrResume();
    void refreshButtons();

    WorkspaceContext context_;
    RunPointer run_;
    TextLabel *name_, *eta_, *percent_, *step_, *decay_, *problem_;
    RunProgressBar* progress_;
    TextLabel* values_[5];
    QPushButton *pause_, *checkpoint_, *stop_;
    SectionTitle* cursor_title_;
    QStandardItemModel* cursors_;
    QTableView* cursor_table_;
    LogModel* log_;
    QListView* log_view_;
};

}  // namespace braid::ui
