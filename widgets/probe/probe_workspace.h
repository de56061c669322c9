// Probe: what was measured of the mechanism of checkpoints, several runs side by side.
#pragma once

#include <QPointer>

#include "widgets/common/throttle.h"
#include "widgets/common/workspace.h"

namespace braid::ui {

class CellPanel;
class ProbeChoice;
class ProbePage;
class ProbeSide;

class ProbeWorkspace : public Workspace {
    Q_OBJECT

public:
    explicit ProbeWorkspace(const WorkspaceContext& context, QObject* parent = nullptr);
    ~ProbeWorkspace() override;

    QWidget* page() override;
    QWidget* side() override;
    QWidget* inspector() override;
    QString inspectorTitle() const override { return tr("Cell"); }
    int inspectorWidth() const override { return 272; }
    QList<QAction*> actions() override { return actions_; }
    QString commandLine() const override;
    void activate() override;
    void deactivate() override;

    ProbeChoice& choice() const { return *choice_; }
    ProbePage* probePage() const;
    ProbeSide* probeSide() const;
    CellPanel* cellPanel() const;

private:
    void makeActions();

    WorkspaceContext context_;
    ProbeChoice* choice_;
    QPointer<CellPanel> panel_;
    QPointer<ProbeSide> side_;
    QPointer<ProbePage> page_;
    QList<QAction*> actions_;
    bool active_ = false;
    Throttle throttle_;
};

}  // namespace braid::ui
