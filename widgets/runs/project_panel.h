// The project dock: tree, filter, and what can be done with an architecture, a study, a run or a figure.
#pragma once

#include <QList>
#include <QWidget>

#include "widgets/common/workspace.h"
#include "widgets/runs/project_model.h"

class QLineEdit;
class QMenu;
class QSortFilterProxyModel;
class QTreeView;

namespace braid::ui {

class ProjectPanel : public QWidget {
    Q_OBJECT

public:
    ProjectPanel(ProjectSession& session, RunCommands& commands, Shell& shell, QWidget* parent = nullptr);

    ProjectModel* model() const { return model_; }
    QTreeView* tree() const { return tree_; }
    QList<QWidget*> titleButtons() const { return titleButtons_; }  // filter and new, for the dock's title

    // Design shows architectures first, the others studies and runs.
    void setOrder(bool architecturesFirst);
    void setFilterVisible(bool visible);

Q_SIGNALS:
    // A click or Return: show it in the workspace that it belongs to.
    void architectureOpened(const QString& name);
    void studyOpened(const QString& name);
    void runOpened(const braid::RunId& id);
    void figureOpened(const QString& name);
    void newArchitectureWanted();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void openIndex(const QModelIndex& index);
    void takeSelection();
    void showSelection();
    void showMenu(const QPoint& position);
    void fillArchitectureMenu(QMenu& menu, const QString& name);
    void fillStudyMenu(QMenu& menu, const QString& name);
    void fillRunMenu(QMenu& menu, const RunPointer& run);
    void removeCurrent();
    void removeRun(const RunPointer& run);
    void removeArchitecture(const QString& name);
    void renameArchitecture(const QString& name);

    ProjectSession& session_;
    RunCommands& commands_;
    Shell& shell_;
    ProjectModel* model_;
    QSortFilterProxyModel* proxy_;
    QTreeView* tree_;
    QLineEdit* filter_;
    QList<QWidget*> titleButtons_;
    bool settingSelection_ = false;
};

}  // namespace braid::ui
