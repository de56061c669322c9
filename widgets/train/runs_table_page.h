// The table of runs by scores: sort, filter, pin, choose columns, copy; opens runs and scores.
#pragma once

#include <QWidget>

#include "widgets/common/run_view.h"
#include "widgets/common/throttle.h"
#include "widgets/common/workspace.h"

class QComboBox;
class QLineEdit;
class QMenu;
class QModelIndex;
class QPoint;
class QPushButton;
class QStackedWidget;

namespace braid::ui {

class ColumnChooser;
class EmptyState;
class PageToolbar;
class PinnedTable;
class RunPanel;
class RunsTableModel;
class RunsTableProxy;
class Segments;
class TextLabel;

class RunsTablePage : public QWidget {
    Q_OBJECT

public:
    RunsTablePage(const WorkspaceContext& context, RunPanel* panel, QWidget* parent = nullptr);

    void setActive(bool active);
    RunsTableModel* model() const { return model_; }
    RunsTableProxy* proxy() const { return proxy_; }
    PinnedTable* table() const { return table_; }
    QLineEdit* filter() const { return filter_; }
    QPushButton* scoreButton() const { return score_; }
    // What is shown, with a header line; numbers in full precision. Only selected rows where there are some.
    QString text(QChar separator) const;
    ColumnChooser* chooseColumns();
    RunPointer currentRun() const;

Q_SIGNALS:
    void openRuns(const std::vector<braid::RunId>& runs);
    void openScore(const braid::RunId& run, const QString& metric);
    void scoreRun(const braid::RunId& run);

private:
    void makeToolbar();
    void refresh();
    void activated(const QModelIndex& index);
    void showMenu(const QPoint& place);
    void showHeaderMenu(const QPoint& place, bool pinned);
    void fillColumnMenu(QMenu& menu, int section);
    void columnsChanged();
    void saveColumns() const;
    std::vector<RunId> selectedRuns() const;
    void copy(QChar separator);

    WorkspaceContext context_;
    RunPanel* panel_;
    bool active_ = false;
    Throttle throttle_{250, this, [this] { refresh(); }};
    PageToolbar* toolbar_;
    Segments* which_;
    QLineEdit* filter_;
    TextLabel* problem_;
    QPushButton *score_, *open_;
    RunsTableModel* model_;
    RunsTableProxy* proxy_;
    PinnedTable* table_;
    QStackedWidget* pages_;
    EmptyState* empty_;
};

}  // namespace braid::ui
