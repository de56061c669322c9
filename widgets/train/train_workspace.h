// Train: curves (of a study, or of the selected runs), the table of runs, their scores, key tokens, and what
// a study shows of its mechanism.
#pragma once

#include <QPointer>

#include "core/base/id.h"
#include "widgets/common/workspace.h"

class QStackedWidget;
class QTabBar;

namespace braid::ui {

class InvestigatePage;
class KeyTokensPage;
class RunPanel;
class RunsTablePage;
class ScoreDialog;
class ScoresPage;
class StudyPage;
class TrainPage;

class TrainWorkspace : public Workspace {
    Q_OBJECT

public:
    explicit TrainWorkspace(const WorkspaceContext& context, QObject* parent = nullptr);
    ~TrainWorkspace() override;

    QWidget* page() override;
    QWidget* inspector() override;
    QString inspectorTitle() const override { return tr("Run"); }
    int inspectorWidth() const override { return 290; }
    QList<QAction*> actions() override { return actions_; }
    QString commandLine() const override;
    void activate() override;
    void deactivate() override;

    StudyPage* studyPage() const { return study_; }
    TrainPage* trainPage() const { return runs_; }
    RunsTablePage* tablePage() const { return table_; }
    ScoresPage* scoresPage() const { return scores_; }
    KeyTokensPage* keyTokensPage() const { return keys_; }
    InvestigatePage* investigatePage() const { return investigate_; }
    QTabBar* tabs() const { return tabs_; }
    bool showsStudy() const;
    enum Tab { Curves, Table, Scores, KeyTokens, Investigate };
    void showTab(int tab);
    // Asks which score of the run; null: there is no such run.
    ScoreDialog* score(const RunId& run);

private:
    void makeActions();
    void showStudy(const QString& name);
    void showRuns();
    void makeTabs();
    void applyActive();
    QString investigatedStudy() const;

    WorkspaceContext context_;
    QPointer<QWidget> page_;
    QPointer<QStackedWidget> pages_;
    QTabBar* tabs_ = nullptr;
    QPointer<RunPanel> panel_;
    StudyPage* study_ = nullptr;
    TrainPage* runs_ = nullptr;
    RunsTablePage* table_ = nullptr;
    ScoresPage* scores_ = nullptr;
    KeyTokensPage* keys_ = nullptr;
    InvestigatePage* investigate_ = nullptr;
    bool study_shown_ = false;  // in the tab of curves
    QList<QAction*> actions_;
    bool active_ = false;
};

}  // namespace braid::ui
