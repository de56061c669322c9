// Train: a study's page, or the curves of the selected runs.
#pragma once

#include <QPointer>

#include "widgets/common/workspace.h"

class QStackedWidget;

namespace braid::ui {

class RunPanel;
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
    bool showsStudy() const;

private:
    void makeActions();
    void showStudy(const QString& name);
    void showRuns();
    void applyActive();

    WorkspaceContext context_;
    QPointer<QStackedWidget> pages_;
    QPointer<RunPanel> panel_;
    StudyPage* study_ = nullptr;
    TrainPage* runs_ = nullptr;
    QList<QAction*> actions_;
    bool active_ = false;
};

}  // namespace braid::ui
