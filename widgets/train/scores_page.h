// Scores of the project's checkpoints: a list at the left; the map of needles, or the loss by position, of
// the chosen one; beneath it its tasks, answers and settings.
#pragma once

#include <QWidget>
#include <optional>

#include "widgets/common/run_commands.h"
#include "widgets/common/run_view.h"
#include "widgets/common/throttle.h"
#include "widgets/common/workspace.h"
#include "widgets/train/position_chart.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QStandardItemModel;
class QTableView;

namespace braid::ui {

class EmptyState;
class NeedleMap;
class PageToolbar;
class RunPanel;
class ScoreDetails;
class ScorePicture;
class Segments;

class ScoresPage : public QWidget {
    Q_OBJECT

public:
    ScoresPage(const WorkspaceContext& context, RunPanel* panel, QWidget* parent = nullptr);

    void setActive(bool active);
    // The last score of the run that has this headline number.
    void openScore(const RunId& run, const QString& metric);
    const ScoreRecord* current() const { return current_ ? &*current_ : nullptr; }
    void exportFigure();

    ScorePicture* picture() const { return picture_; }
    NeedleMap* map() const;
    QTableView* valuesTable() const;
    QTableView* list() const { return list_view_; }
    ScoreDetails* details() const { return details_; }
    QComboBox* stepChoice() const { return steps_; }
    QComboBox* taskChoice() const { return tasks_; }
    Segments* form() const;
    QLineEdit* filter() const { return filter_; }
    QString reading() const;

Q_SIGNALS:
    void scoreRun(const braid::RunId& run);

private:
    struct Entry {
        RunPointer run;
        const ScoreRecord* record;  // lives as long as run->scores
    };
    void makeToolbar();
    QWidget* makeContent();
    void refresh();
    void fillList();
    void choose(const QString& file);
    void showTask(const std::string& task);
    void showHeld();
    void selectRow();  // of the current score, where the filter shows it
    static PositionLine lineOf(const RunPointer& run, Step step);
    std::optional<PositionLine> otherLine() const;
    const Entry* find(const QString& file) const;
    const Entry* arrived(const std::vector<Entry>& before) const;  // the awaited one; null: not yet

    WorkspaceContext context_;
    RunPanel* panel_;
    bool active_ = false;
    Throttle throttle_{250, this, [this] { refresh(); }};
    std::vector<Entry> entries_;
    QString file_;                         // of the current score
    std::optional<ScoreRequest> awaited_;  // that was computed just now: shown when it is read
    std::optional<ScoreRecord> current_;
    RunPointer run_;
    PageToolbar* toolbar_;
    QComboBox *steps_, *tasks_;
    QPushButton *figure_, *score_;
    QStandardItemModel* list_;
    QSortFilterProxyModel* shown_;
    QLineEdit* filter_;
    QTableView* list_view_;
    QStackedWidget* pages_;
    ScorePicture* picture_;
    ScoreDetails* details_;
    EmptyState* empty_;
};

}  // namespace braid::ui
