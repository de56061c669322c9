// The inspector of Train: how the current run stands, its buttons, the cursor table, its log.
#pragma once

#include <QWidget>

#include "widgets/common/run_view.h"
#include "widgets/common/workspace.h"
#include "widgets/plot/curve_plot.h"

class QListView;
class QPushButton;
class QStackedLayout;
class QStandardItemModel;
class QTableView;
class QVBoxLayout;

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
    // The study's plots have no cursors: a click in them selects the run.
    void setCursorsVisible(bool visible);
    void showCursors(const QString& what, std::optional<double> a, std::optional<double> b,
                     const std::vector<CursorRow>& rows);

    QPushButton* pauseButton() const { return pause_; }
    QPushButton* checkpointButton() const { return checkpoint_; }
    QPushButton* stopButton() const { return stop_; }
    QTableView* cursorTable() const { return cursor_table_; }

private:
    void pauseOrResume();
    void refreshButtons();
    QWidget* makeContent();
    void makeFacts(QVBoxLayout* layout);
    void makeCursors(QVBoxLayout* layout);
    void makeLog(QVBoxLayout* layout);

    WorkspaceContext context_;
    RunPointer run_;
    TextLabel *name_, *eta_, *percent_, *step_, *decay_, *problem_;
    RunProgressBar* progress_;
    TextLabel* values_[5];
    QPushButton *pause_, *checkpoint_, *stop_;
    SectionTitle* cursor_title_;
    QWidget* cursor_section_;
    TextLabel* cursor_hint_;  // instead of the table while no cursor is set
    QStandardItemModel* cursors_;
    QTableView* cursor_table_;
    LogModel* log_;
    TextLabel* log_hint_;
    QListView* log_view_;
    QStackedLayout* pages_;  // nothing selected; the run
};

}  // namespace braid::ui
