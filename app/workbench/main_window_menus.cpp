// Menus and actions of the main window.
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <algorithm>

#include "app/workbench/about_dialog.h"
#include "app/workbench/dock.h"
#include "app/workbench/main_window.h"
#include "app/workbench/recent_projects.h"
#include "app/workbench/top_bar.h"
#include "widgets/common/controls.h"
#include "widgets/common/icons.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/theme.h"
#include "widgets/runs/project_panel.h"

namespace braid::ui {

QAction* MainWindow::action(const QString& id, const QString& text, const QKeySequence& shortcut,
                            const QString& group, std::function<void()> run) {
    auto* result = new QAction(text, this);
    result->setObjectName(id);
    result->setShortcut(shortcut);
    connect(result, &QAction::triggered, this, [run = std::move(run)] { run(); });
    addAction(result);  // works with a menu closed, and from a floating dock
    registry_.addAction(result, group);
    actions_[id] = result;
    return result;
}

void MainWindow::buildMenus() {
    QMenuBar* bar = topBar_->menuBar();
    const std::pair<const char*, QString> titles[] = {{"file", tr("&File")},   {"edit", tr("&Edit")},
                                                      {"view", tr("&View")},   {"run", tr("&Run")},
                                                      {"tools", tr("&Tools")}, {"help", tr("&Help")}};
    for (const auto& [id, title] : titles) menus_[QLatin1String(id)] = bar->addMenu(title);
    buildFileMenu(*menus_[QStringLiteral("file")]);
    buildEditMenu(*menus_[QStringLiteral("edit")]);
    buildViewMenu(*menus_[QStringLiteral("view")]);
    buildRunMenu(*menus_[QStringLiteral("run")]);
    QMenu& tools = *menus_[QStringLiteral("tools")];
    tools.addAction(action(QStringLiteral("tools.shortcuts"), tr("Keyboard shortcuts…"), {}, tr("Tools"),
                           [this] { Q_EMIT shortcutsWanted(); }));
    QMenu& help = *menus_[QStringLiteral("help")];
    help.addAction(action(QStringLiteral("help.about"), tr("About Braid"), {}, tr("Help"),
                          [this] { AboutDialog(this).exec(); }));
    connect(actions_[QStringLiteral("edit.palette")], &QAction::changed, this, [this] {
        topBar_->commandField()->setKeys(KeyHint::text(actions_[QStringLiteral("edit.palette")]->shortcut()));
    });
    topBar_->commandField()->setKeys(KeyHint::text(actions_[QStringLiteral("edit.palette")]->shortcut()));
}

void MainWindow::buildFileMenu(QMenu& menu) {
    const QString group = tr("File");
    menu.addAction(action(QStringLiteral("file.new_architecture"), tr("New architecture"), QKeySequence::New,
                          group, [this] { newArchitecture(); }));
    menu.addSeparator();
    menu.addAction(action(QStringLiteral("file.new_project"), tr("New project…"), {}, group, [this] {
        const QString folder = QFileDialog::getSaveFileName(this, tr("New project: name its folder"), {}, {},
                                                            nullptr, QFileDialog::ShowDirsOnly);
        if (!folder.isEmpty()) Q_EMIT newProjectWanted(folder);
    }));
    menu.addAction(
        action(QStringLiteral("file.open_project"), tr("Open project…"), QKeySequence::Open, group, [this] {
            const QString folder =
                QFileDialog::getExistingDirectory(this, tr("Open project"), session_.folder());
            if (!folder.isEmpty()) Q_EMIT projectWanted(folder);
        }));
    recentMenu_ = menu.addMenu(tr("Recent projects"));
    connect(recentMenu_, &QMenu::aboutToShow, this, [this] {
        recentMenu_->clear();
        for (const QString& folder : recentProjects()) {
            recentMenu_->addAction(folder, this, [this, folder] { Q_EMIT projectWanted(folder); });
        }
        if (recentMenu_->isEmpty()) recentMenu_->addAction(tr("None yet"))->setEnabled(false);
    });
    menu.addAction(action(QStringLiteral("file.open_example"), tr("Open example"), {}, group,
                          [this] { Q_EMIT exampleWanted(); }));
    menu.addSeparator();
    menu.addAction(action(QStringLiteral("file.save"), tr("Save"), QKeySequence::Save, group, [this] {
        QAction* save = current() ? current()->workspace->saveAction() : nullptr;
        if (save && save->isEnabled()) save->trigger();
    }));
    menu.addSeparator();
    menu.addAction(action(QStringLiteral("file.settings"), tr("Settings…"), QKeySequence(tr("Ctrl+,")), group,
                          [this] { Q_EMIT settingsWanted(); }));
    menu.addAction(action(QStringLiteral("file.quit"), tr("Quit"), QKeySequence(tr("Ctrl+Q")), group,
                          [this] { close(); }));
}

// Undo and redo are the current workspace's; the texts follow it.
void MainWindow::forward(QAction* outer, QAction* (Workspace::*which)()) {
    QAction* inner = current() ? (current()->workspace.get()->*which)() : nullptr;
    outer->setEnabled(inner && inner->isEnabled());
    outer->setText(inner ? inner->text() : outer->property("plainText").toString());
    if (!inner || inner->property("followed").toBool()) return;
    inner->setProperty("followed", true);
    connect(inner, &QAction::changed, this, &MainWindow::updateActions);
}

void MainWindow::buildEditMenu(QMenu& menu) {
    const QString group = tr("Edit");
    QAction* undo = action(QStringLiteral("edit.undo"), tr("Undo"), QKeySequence::Undo, group, [this] {
        if (QAction* inner = current() ? current()->workspace->undoAction() : nullptr) inner->trigger();
    });
    undo->setProperty("plainText", undo->text());
    undo->setIcon(icon(QStringLiteral("undo")));
    QAction* redo = action(QStringLiteral("edit.redo"), tr("Redo"), QKeySequence::Redo, group, [this] {
        if (QAction* inner = current() ? current()->workspace->redoAction() : nullptr) inner->trigger();
    });
    redo->setProperty("plainText", redo->text());
    redo->setIcon(icon(QStringLiteral("redo")));
    menu.addAction(undo);
    menu.addAction(redo);
    menu.addSeparator();
    QAction* copy = action(QStringLiteral("edit.copy_command"), tr("Copy as command"),
                           QKeySequence(tr("Ctrl+Shift+C")), group, [this] { copyAsCommand(); });
    copy->setIcon(icon(QStringLiteral("command")));
    menu.addAction(copy);
    menu.addAction(action(QStringLiteral("edit.filter_project"), tr("Find in project"),
                          QKeySequence(tr("Ctrl+Shift+F")), group, [this] {
                              projectDock_->show();
                              projectPanel_->setFilterVisible(true);
                          }));
    menu.addAction(action(QStringLiteral("edit.palette"), tr("Command palette"), QKeySequence(tr("Ctrl+K")),
                          group, [this] { showPalette(); }));
}

void MainWindow::buildViewMenu(QMenu& menu) {
    const QString group = tr("View");
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const WorkspaceEntry& entry = places_[i].entry;
        QAction* show = action(QStringLiteral("view.workspace_") + entry.id, entry.title,
                               QKeySequence(QStringLiteral("Alt+%1").arg(i + 1)), group,
                               [this, id = entry.id] { showWorkspace(id); });
        show->setIcon(icon(entry.iconName));
        menu.addAction(show);
    }
    menu.addSeparator();
    const auto dockAction = [&](Dock* dock, const char* id, const QString& text, const QKeySequence& keys) {
        QAction* toggle =
            action(QLatin1String(id), text, keys, group, [dock] { dock->setVisible(!dock->isVisible()); });
        toggle->setCheckable(true);
        connect(dock, &QDockWidget::visibilityChanged, this, [this, dock, toggle] {
            toggle->setChecked(!dock->isHidden());
            // Opened in a narrow window: it stays, also when the window grows again.
            if (!updatingDocks_ && dock == projectDock_ && compact_) folded_ = false;
        });
        menu.addAction(toggle);
    };
    dockAction(projectDock_, "view.project", tr("Project"), QKeySequence(tr("Ctrl+B")));
    dockAction(inspectorDock_, "view.inspector", tr("Inspector"), QKeySequence(tr("Ctrl+Alt+B")));
    menu.addAction(action(QStringLiteral("view.reset_layout"), tr("Reset layout"), {}, group,
                          [this] { resetLayout(); }));
    menu.addSeparator();
    QMenu* themes = menu.addMenu(tr("Theme"));
    auto* choice = new QActionGroup(this);
    const std::pair<ThemeMode, QString> modes[] = {{ThemeMode::system, tr("As the system")},
                                                   {ThemeMode::light, tr("Light")},
                                                   {ThemeMode::dark, tr("Dark")}};
    for (const auto& [mode, text] : modes) {
        QAction* pick = action(QStringLiteral("view.theme_") + themeModeName(mode), text, {}, tr("Theme"),
                               [mode = mode] { Theme::instance().setMode(mode); });
        pick->setCheckable(true);
        choice->addAction(pick);
        themes->addAction(pick);
    }
    const auto followTheme = [this] {
        actions_[QStringLiteral("view.theme_") + themeModeName(Theme::instance().mode())]->setChecked(true);
    };
    connect(&Theme::instance(), &Theme::changed, this, followTheme);
    followTheme();
    menu.addAction(action(QStringLiteral("view.larger"), tr("Larger text"), QKeySequence::ZoomIn, group,
                          [] { Theme::instance().setFontSize(Theme::instance().fontSize() + 1); }));
    menu.addAction(action(QStringLiteral("view.smaller"), tr("Smaller text"), QKeySequence::ZoomOut, group,
                          [] { Theme::instance().setFontSize(Theme::instance().fontSize() - 1); }));
    menu.addAction(action(QStringLiteral("view.full_screen"), tr("Full screen"), QKeySequence(Qt::Key_F11),
                          group, [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); }));
}

void MainWindow::forActiveRun(const std::function<void(const RunId&)>& call) {
    if (const RunPointer run = session_.currentRun()) call(run->id);
}

void MainWindow::buildRunMenu(QMenu& menu) {
    const QString group = tr("Run");
    QAction* study =
        action(QStringLiteral("run.study"), tr("Run study"), QKeySequence(Qt::Key_F5), group, [this] {
            const QString name = session_.currentStudy();
            if (name.isEmpty()) return;
            if (commands_.isStudyRunning(name)) {
                commands_.stopStudy(name);
            } else {
                commands_.startStudy(name);
            }
            showWorkspace(QStringLiteral("train"));
        });
    study->setIcon(icon(QStringLiteral("play")));
    menu.addAction(study);
    menu.addSeparator();
    struct Item {
        const char* id;
        QString text;
        const char* iconName;
        void (RunCommands::*call)(const RunId&);
    };
    const Item items[] = {
        {"run.pause", tr("Pause"), "pause", &RunCommands::pause},
        {"run.resume", tr("Resume"), "resume", &RunCommands::resume},
        {"run.checkpoint", tr("Write checkpoint"), "checkpoint", &RunCommands::checkpoint},
        {"run.stop", tr("Stop"), "stop", &RunCommands::stop},
        {"run.resume_lost", tr("Resume from last checkpoint"), "resume", &RunCommands::resumeLost}};
    for (const Item& item : items) {
        QAction* entry = action(QLatin1String(item.id), item.text, {}, group, [this, call = item.call] {
            forActiveRun([&](const RunId& id) { (commands_.*call)(id); });
        });
        entry->setIcon(icon(QLatin1String(item.iconName)));
        menu.addAction(entry);
    }
}

void MainWindow::fillMenus() {
    for (QAction* action : contextActions_) {
        for (const auto& [id, menu] : menus_) menu->removeAction(action);
        if (action->isSeparator()) action->deleteLater();
    }
    contextActions_.clear();
    if (!current()) return;
    std::map<QMenu*, QAction*> before;  // the place in each menu: in front of its last group
    for (QAction* entry : current()->actions) {
        const QString wanted = entry->property("menu").toString();
        const auto found = menus_.find(wanted);
        QMenu* menu = found == menus_.end() ? menus_[QStringLiteral("tools")] : found->second;
        if (!before.contains(menu)) {
            QAction* anchor = nullptr;
            for (QAction* existing : menu->actions()) {
                if (existing->isSeparator()) anchor = existing;
            }
            auto* separator = new QAction(this);
            separator->setSeparator(true);
            menu->insertAction(anchor, separator);
            before[menu] = anchor;
            contextActions_ << separator;
        }
        menu->insertAction(before[menu], entry);
        contextActions_ << entry;
    }
}

void MainWindow::updateActions() {
    if (actions_.empty()) return;
    const auto enable = [this](const char* id, bool enabled) {
        actions_[QLatin1String(id)]->setEnabled(enabled);
    };
    Workspace* workspace = current() ? current()->workspace.get() : nullptr;
    forward(actions_[QStringLiteral("edit.undo")], &Workspace::undoAction);
    forward(actions_[QStringLiteral("edit.redo")], &Workspace::redoAction);
    enable("file.save", workspace && workspace->saveAction() && workspace->saveAction()->isEnabled());
    // A workspace that has its own for this key is asked: two actions of one key would do nothing.
    QAction* fresh = actions_[QStringLiteral("file.new_architecture")];
    const QList<QAction*> own = current() ? current()->actions : QList<QAction*>();
    fresh->setVisible(std::none_of(own.begin(), own.end(), [&](const QAction* entry) {
        return !fresh->shortcut().isEmpty() && entry->shortcuts().contains(fresh->shortcut());
    }));
    enable("file.new_architecture", session_.isOpen() && !session_.isReadOnly());
    enable("edit.copy_command", workspace && !workspace->commandLine().isEmpty());
    const RunPointer run = session_.currentRun();
    enable("run.pause", run && run->state() == RunState::running);
    enable("run.resume", run && run->state() == RunState::paused);
    enable("run.checkpoint", run && run->active());
    enable("run.stop", run && (run->active() || run->state() == RunState::planned));
    enable("run.resume_lost", run && run->resumable());
    const QString study = session_.currentStudy();
    QAction* runStudy = actions_[QStringLiteral("run.study")];
    const bool running = !study.isEmpty() && commands_.isStudyRunning(study);
    runStudy->setText(running           ? tr("Stop study %1").arg(study)
                      : study.isEmpty() ? tr("Run study")
                                        : tr("Run study %1").arg(study));
    runStudy->setEnabled(!study.isEmpty() && commands_.unavailableReason().isEmpty());
}

// Of workspaces that nobody has opened yet: whose own actions are not there.
QList<CommandItem> MainWindow::commandsAhead() {
    QList<CommandItem> items;
    for (const Place& ahead : places_) {
        if (ahead.workspace) continue;
        for (const auto& [name, text] : ahead.entry.commands)
            items.push_back({.text = text,
                             .group = ahead.entry.title,
                             .iconName = ahead.entry.iconName,
                             .run = [this, id = ahead.entry.id, name = name] {
                                 showWorkspace(id);
                                 for (QAction* action : place(id)->actions)
                                     if (action->objectName() == name) action->trigger();
                             }});
    }
    return items;
}

void MainWindow::addPaletteSources() {
    registry_.addSource(this, [this] {
        QList<CommandItem> items = commandsAhead();
        for (const RunPointer& run : session_.runs()->runs()) {
            items.push_back({.text = run->name,
                             .group = tr("Run, %1").arg(runStateText(run->state())),
                             .iconName = QStringLiteral("train"),
                             .run = [this, id = run->id] {
                                 session_.setSelectedRuns({id});
                                 showWorkspace(QStringLiteral("train"));
                             }});
        }
        for (const ArchitectureEntry& entry : session_.architectures()) {
            items.push_back({.text = entry.name,
                             .group = tr("Architecture"),
                             .iconName = QStringLiteral("design"),
                             .run = [this, name = entry.name] {
                                 session_.setCurrentArchitecture(name);
                                 showWorkspace(QStringLiteral("design"));
                             }});
        }
        for (const StudyEntry& entry : session_.studies()) {
            items.push_back({.text = entry.name,
                             .group = tr("Study"),
                             .iconName = QStringLiteral("study"),
                             .run = [this, name = entry.name] {
                                 session_.setCurrentStudy(name);
                                 showWorkspace(QStringLiteral("train"));
                             }});
        }
        return items;
    });
}

}  // namespace braid::ui
