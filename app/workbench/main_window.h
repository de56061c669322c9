// The window: top bar, rail, docks around the page of the current workspace, status bar.
#pragma once

#include <QMainWindow>
#include <QPointer>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "app/workbench/options.h"
#include "widgets/common/command_registry.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/common/workspace.h"

class QMenu;
class QStackedWidget;

namespace braid::ui {

class CommandPalette;
class Dock;
class ProjectPanel;
class Rail;
class StatusBar;
class ToastHost;
class TopBar;

class MainWindow : public QMainWindow, public Shell {
    Q_OBJECT

public:
    static constexpr int compact_width = 1200;
    static constexpr int layout_version = 1;

    MainWindow(ProjectSession& session, RunCommands& commands, std::vector<WorkspaceEntry> workspaces,
               const Options& options, QWidget* parent = nullptr);
    ~MainWindow() override;

    void openProject(const QString& folder);
    void reportNoProject(const Error& error);  // nothing can be opened
    QString currentWorkspace() const;
    CommandRegistry& registry() { return registry_; }
    CommandPalette* commandPalette() const { return palette_; }
    ProjectPanel* projectPanel() const { return projectPanel_; }
    ToastHost* toasts() const { return toasts_; }
    void resetLayout();

    // Shell
    void notify(const QString& workspace, const QString& text, const QString& actionText = {},
                std::function<void()> action = {}) override;
    void showStatus(const QString& text) override;
    void showWorkspace(const QString& id) override;
    bool hasWorkspace(const QString& id) const override;
    void setProblems(const QString& workspace, int count, std::function<void()> show = {}) override;

Q_SIGNALS:
    void firstPainted();
    void noProject();
    void projectWanted(const QString& folder);  // from the menus: open this
    void newProjectWanted(const QString& folder);
    void exampleWanted();
    void settingsWanted();
    void shortcutsWanted();

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    struct Place {
        WorkspaceEntry entry;
        std::unique_ptr<Workspace> workspace;  // made when first shown
        QList<QAction*> actions;
        QPointer<QWidget> focus = {};  // had it when the workspace was left
    };
    void takeFocus(const Place& place);
    Place* place(const QString& id);
    Place* current() { return place(current_); }
    void makeWorkspace(Place& place);

    void buildMenus();
    void buildFileMenu(QMenu& menu);
    void buildEditMenu(QMenu& menu);
    void buildViewMenu(QMenu& menu);
    void buildRunMenu(QMenu& menu);
    void fillMenus();  // actions of the current workspace
    QAction* action(const QString& id, const QString& text, const QKeySequence& shortcut,
                    const QString& group, std::function<void()> run);
    void updateActions();
    void addPaletteSources();
    QList<CommandItem> commandsAhead();
    void forward(QAction* action, QAction* (Workspace::*which)());
    void forActiveRun(const std::function<void(const RunId&)>& call);

    void followSession();
    void runStateChanged(const RunPointer& run, RunState before);
    void newArchitecture();
    void openFigure(const QString& name);
    void copyAsCommand();
    void showPalette();
    void setSide(QWidget* side);  // null: the project's tree
    void setInspector(Workspace* workspace);
    void saveLayout();
    void restoreLayout();
    void applyDefaultLayout();
    void updateCompact();
    void updateTitle();

    ProjectSession& session_;
    RunCommands& commands_;
    CommandRegistry registry_;
    std::vector<Place> places_;
    QString current_;
    QString wantedArchitecture_;  // opened as soon as it has been written
    bool safeMode_ = false;
    bool compact_ = false, folded_ = false, painted_ = false, updatingDocks_ = false;
    std::map<QString, int> finishedBefore_;  // runs of a study, to notice that it ends

    TopBar* topBar_;
    Rail* rail_;
    QMainWindow* inner_;  // its docks surround the page; rail and bars stay outside
    QStackedWidget* pages_;
    Dock *projectDock_, *inspectorDock_;
    ProjectPanel* projectPanel_;
    QMetaObject::Connection sideTitle_;
    StatusBar* statusBar_;
    CommandPalette* palette_;
    ToastHost* toasts_;
    std::map<QString, QMenu*> menus_;  // "file", "edit", "view", "run", "tools", "help"
    QMenu* recentMenu_ = nullptr;
    std::map<QString, QAction*> actions_;
    QList<QAction*> contextActions_;  // of the current workspace, as they stand in the menus
};

}  // namespace braid::ui
