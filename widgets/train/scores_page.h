// Scores of the project's checkpoints: a list at the left; the map of needles, or the loss by position, of
// the chosen one; beneath it its tasks, answers and settings.
#pragma once

#include <QWidget>
#include <optional>

#include "widgets/common/run_view.h"
#include "widgets/common/workspace.h"
#include "widgets/train/throttle.h"

class QComboBox;
class QPushButton;
class QStackedWidget;
class QStandardItemModel;
class QTableView;

namespace braid::ui {

class CurvePlot;
class EmptyState;
class NeedleMap;
class PageToolbar;
class RunPanel;
class ScoreDetails;
class Segments;
class TextLabel;

class ScoresPage : public QWidget {
    Q_OBJECT

public:
    ScoresPage(const WorkspaceContext& context, RunPanel* panel, QWidget* parent = nullptr);

    void setActive(bool active);
    // The last score of the run that has this headline number.
    void openScore(const RunId& run, const QString& metric);
    const ScoreRecord* current() const { return current_ ? &*current_ : nullptr; }
    void exportFigure();

    NeedleMap* map() const { return map_; }
    QTableView* valuesTable() const { return values_view_; }
    QTableView* list() const { return list_view_; }
    ScoreDetails* details() const { return details_; }
    QComboBox* stepChoice() const { return steps_; }
    QComboBox* taskChoice() const { return tasks_; }
    Segments* form() const { return form_; }
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
    void showSeries();
    void showReading();
    void showHeld();
    const Entry* find(const QString& file) const;

    WorkspaceContext context_;
    RunPanel* panel_;
    bool active_ = false;
    Throttle throttle_{250, this, [this] { refresh(); }};
    std::vector<Entry> entries_;
    QString file_;  // of the current score
    std::optional<ScoreRecord> current_;
    RunPointer run_;
    PageToolbar* toolbar_;
    QComboBox *steps_, *tasks_;
    Segments* form_;
    QPushButton *figure_, *score_;
    QStandardItemModel *list_, *values_;
    QTableView *list_view_, *values_view_;
    NeedleMap* map_;
    CurvePlot* series_;
    TextLabel *reading_, *no_map_;
    QStackedWidget *top_, *pages_;
    QWidget* picture_;
    ScoreDetails* details_;
    EmptyState* empty_;
};

}  // namespace braid::ui
