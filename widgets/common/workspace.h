// What a workspace (Design, Train, ...) is to the main window. A new one is a class of this interface and one
// line in app/workbench/workspaces.cpp. It is made when it is shown for the first time.
#pragma once

#include <QIcon>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <functional>
#include <memory>

class QAction;
class QWidget;

namespace braid::ui {

class ProjectSession;
class RunCommands;
class CommandRegistry;
class Workspace;

// What the shell can show for a workspace without knowing it.
class Shell {
public:
    virtual ~Shell() = default;
    // A toast, bottom right; shown only when `workspace` (an id) is not the visible one. `actionText` may be
    // empty.
    virtual void notify(const QString& workspace, const QString& text, const QString& actionText = {},
                        std::function<void()> action = {}) = 0;
    // A sentence in the status bar, a few seconds.
    virtual void showStatus(const QString& text) = 0;
    virtual void showWorkspace(const QString& id) = 0;
    virtual bool hasWorkspace(const QString& id) const = 0;
    // The live count at the right of the status bar ("1 problem"); 0 hides it. Clicking calls `show`.
    virtual void setProblems(const QString& workspace, int count, std::function<void()> show = {}) = 0;
};

struct WorkspaceContext {
    ProjectSession& session;
    RunCommands& commands;
    CommandRegistry& registry;  // entries for the command palette beyond actions()
    Shell& shell;
};

struct WorkspaceEntry {
    QString id;        // "design": settings key, --workspace name
    QString title;     // "Design"; translated
    QString iconName;  // of widgets/common/icons.h
    std::function<std::unique_ptr<Workspace>(const WorkspaceContext&)> make;
    // Actions that the command palette offers before the workspace has been made: object name, text.
    QList<std::pair<QString, QString>> commands = {};
};

class Workspace : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // The page; owned by the workspace until the shell puts it into its window, made once. The toolbar (44
    // px: title left, buttons right) is part of the page.
    virtual QWidget* page() = 0;
    // Takes the place of the project's tree in the left dock; null: the tree stays.
    virtual QWidget* side() { return nullptr; }
    // The right dock's content and title; null: the dock is hidden in this workspace.
    virtual QWidget* inspector() { return nullptr; }
    virtual QString inspectorTitle() const { return tr("Inspector"); }
    // Width the inspector dock first gets.
    virtual int inspectorWidth() const { return 276; }
    // Actions with texts, shortcuts and object names ("design.duplicate"): they appear in the menu named by
    // the action's "menu" property ("edit", "view", "run", "tools", "file"; default "tools") while the
    // workspace is visible, in the command palette, and in the shortcuts dialog. Shortcuts should be
    // Qt::WidgetWithChildrenShortcut with the action added to the page when they are plain letters.
    virtual QList<QAction*> actions() { return {}; }
    // braid-engine line that repeats what the view shows, for "Copy as command"; empty: nothing to copy.
    virtual QString commandLine() const { return {}; }
    // Undo, redo, copy, ... of the Edit menu go here; null: the focused widget decides.
    virtual QAction* undoAction() { return nullptr; }
    virtual QAction* redoAction() { return nullptr; }
    virtual QAction* saveAction() { return nullptr; }
    virtual bool hasUnsavedChanges() const { return false; }
    // Called before the window closes; must be quick: unsaved work goes to
    // ProjectSession::autosaveArchitecture().
    virtual void prepareToClose() {}
    // Became visible / hidden. A hidden workspace draws nothing.
    virtual void activate() {}
    virtual void deactivate() {}
    // Below 1200 px: fold into the narrow form.
    virtual void setCompact(bool compact) { Q_UNUSED(compact); }

Q_SIGNALS:
    void inspectorTitleChanged();
    void commandLineChanged();
    void unsavedChanged();        // of hasUnsavedChanges()
    void attention(bool wanted);  // dot on the rail button
};

}  // namespace braid::ui
