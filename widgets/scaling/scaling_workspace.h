// Scale: studies over architectures, scales, budgets and seeds; their points, fits and figures.
#pragma once

#include <QPointer>
#include <memory>

#include "widgets/common/workspace.h"

namespace braid {
struct StudySpec;
}

namespace braid::ui {

class ExcludeDialog;
class FitCommands;
class PointPanel;
class ScalingChoice;
class ScalingPage;
class ScalingSide;
class StudyEditor;

class ScalingWorkspace : public Workspace {
    Q_OBJECT

public:
    ScalingWorkspace(const WorkspaceContext& context, std::unique_ptr<FitCommands> fits,
                     QObject* parent = nullptr);
    ~ScalingWorkspace() override;

    QWidget* page() override;
    QWidget* side() override;
    QWidget* inspector() override;
    QString inspectorTitle() const override { return tr("Point"); }
    int inspectorWidth() const override { return 288; }
    QList<QAction*> actions() override { return actions_; }
    QString commandLine() const override;
    void activate() override;
    void deactivate() override;

    ScalingChoice& choice() const { return *choice_; }
    ScalingPage* scalingPage() const;
    ScalingSide* scalingSide() const;
    PointPanel* pointPanel() const;

    ExcludeDialog* exclude();  // asks why the point that is read is left out; null: there is none
    void include(const QString& rule);
    StudyEditor* newStudy();
    StudyEditor* editStudy();  // null: there is none that can be read

private:
    void makeActions();
    void save(const StudySpec& spec);  // and fits again when it is written

    WorkspaceContext context_;
    std::unique_ptr<FitCommands> fits_;
    ScalingChoice* choice_;
    QPointer<ScalingSide> side_;
    QPointer<PointPanel> panel_;
    QPointer<ScalingPage> page_;
    QList<QAction*> actions_;
    QString awaited_;  // file of a study after whose writing is fitted
};

}  // namespace braid::ui
