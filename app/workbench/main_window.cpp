#include "app/workbench/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QSettings>
#include <QStackedWidget>
#include <QThreadPool>
#include <QTimer>
#include <QTreeView>
#include <algorithm>

#include "app/workbench/device.h"
#include "app/workbench/dock.h"
#include "app/workbench/rail.h"
#include "app/workbench/status_bar.h"
#include "app/workbench/top_bar.h"
#include "core/mixers/builtin.h"
#include "core/spec/scale.h"
#include "core/spec/shorthand.h"
#include "widgets/common/command_palette.h"
#include "widgets/common/controls.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/theme.h"
#include "widgets/common/toast.h"
#include "widgets/figure/figure_dialog.h"
#include "widgets/runs/project_panel.h"

namespace braid::ui {

namespace {

constexpr int project_width = 205;
const QString geometry_key = QStringLiteral("window/geometry");
const QString workspace_key = QStringLiteral("window/workspace");

QString layoutKey(const QString& workspace) { return QStringLiteral("layout/") + workspace; }

}  // namespace

MainWindow::MainWindow(ProjectSession& session, RunCommands& commands, std::vector<WorkspaceEntry> workspaces,
                       const Options& options, QWidget* parent)
    : QMainWindow(parent),
      session_(session),
      commands_(commands),
      safeMode_(options.safeMode),
      topBar_(new TopBar),
      rail_(new Rail),
      inner_(new QMainWindow),
      pages_(new QStackedWidget),
      projectDock_(new Dock(QStringLiteral("projectDock"), tr("Project"), Dock::without_button)),
      inspectorDock_(new Dock(QStringLiteral("inspectorDock"), tr("Inspector"), Dock::with_button)),
      projectPanel_(new ProjectPanel(session, commands, *this)),
      statusBar_(new StatusBar(session)),
      palette_(new CommandPalette(registry_, this)),
      toasts_(new ToastHost(this)) {
    setWindowTitle(QStringLiteral("Braid"));
    setMinimumSize(720, 480);
    setMenuWidget(topBar_);
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(rail_);
    row->addWidget(inner_, 1);
    column->addLayout(row, 1);
    column->addWidget(statusBar_);
    setCentralWidget(body);

    inner_->setWindowFlags(Qt::Widget);
    inner_->setContextMenuPolicy(Qt::NoContextMenu);
    inner_->setAnimated(Theme::instance().motion(120) > 0);
    inner_->setDockNestingEnabled(false);
    inner_->setCentralWidget(pages_);
    inner_->addDockWidget(Qt::LeftDockWidgetArea, projectDock_);
    inner_->addDockWidget(Qt::RightDockWidgetArea, inspectorDock_);
    projectDock_->setContent(projectPanel_);
    for (QWidget* button : projectPanel_->titleButtons()) projectDock_->addTitleWidget(button);
    inspectorDock_->hide();

    for (WorkspaceEntry& entry : workspaces) places_.push_back({std::move(entry), nullptr, {}});
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const WorkspaceEntry& entry = places_[i].entry;
        rail_->addWorkspace(entry.id, entry.title, entry.iconName, QStringLiteral("Alt %1").arg(i + 1));
    }
    connect(rail_, &Rail::workspaceChosen, this, &MainWindow::showWorkspace);
    connect(rail_, &Rail::settingsWanted, this, &MainWindow::settingsWanted);
    connect(topBar_->commandField(), &QAbstractButton::clicked, this, &MainWindow::showPalette);
    const Device device = findDevice();
    topBar_->deviceChip()->setDevice(device.text, device.accelerator);
    buildMenus();
    addPaletteSources();
    followSession();

    const QSettings settings;
    resize(options.size.value_or(usual_window_size));
    if (!safeMode_ && options.screenshot.isEmpty())
        restoreGeometry(settings.value(geometry_key).toByteArray());
    QString first = options.workspace;
    if (!place(first) && !safeMode_) first = settings.value(workspace_key).toString();
    if (!place(first)) first = QStringLiteral("train");
    if (!place(first) && !places_.empty()) first = places_.front().entry.id;
    showWorkspace(first);
    updateTitle();
    projectPanel_->tree()->setFocus(Qt::OtherFocusReason);
}

MainWindow::~MainWindow() {
    // The pages belong to widgets that die later than the workspaces that look after them; what a workspace
    // says while it ends finds nobody.
    QThreadPool::globalInstance()->waitForDone();  // a figure may be on its way
    current_.clear();
    setSide(nullptr);
    for (Place& place : places_) {
        if (place.workspace) place.workspace->disconnect(this);
        place.workspace.reset();
    }
}

MainWindow::Place* MainWindow::place(const QString& id) {
    const auto found = std::find_if(places_.begin(), places_.end(),
                                    [&id](const Place& place) { return place.entry.id == id; });
    return found == places_.end() ? nullptr : &*found;
}

QString MainWindow::currentWorkspace() const { return current_; }

void MainWindow::makeWorkspace(Place& place) {
    if (place.workspace) return;
    place.workspace = place.entry.make({session_, commands_, registry_, *this});
    Workspace* workspace = place.workspace.get();
    pages_->addWidget(workspace->page());
    place.actions = workspace->actions();
    for (QAction* action : place.actions) registry_.addAction(action, place.entry.title);
    const QString id = place.entry.id;
    connect(workspace, &Workspace::inspectorTitleChanged, this, [this, id, workspace] {
        if (id == current_) inspectorDock_->setTitle(workspace->inspectorTitle());
    });
    connect(workspace, &Workspace::attention, this,
            [this, id](bool wanted) { rail_->setAttention(id, wanted); });
    connect(workspace, &Workspace::commandLineChanged, this, &MainWindow::updateActions);
    connect(workspace, &Workspace::unsavedChanged, this, [this] {
        bool unsaved = false;
        for (const Place& other : places_)
            unsaved = unsaved || (other.workspace && other.workspace->hasUnsavedChanges());
        statusBar_->setUnsaved(unsaved);
        setWindowModified(unsaved);
        updateActions();
    });
    workspace->setCompact(compact_);
}

void MainWindow::showWorkspace(const QString& id) {
    Place* next = place(id);
    if (!next || id == current_) return;
    bool follow = false;  // the focus was in what is hidden now
    if (Place* before = current()) {
        saveLayout();
        QWidget* focus = focusWidget();
        for (const QWidget* part :
             {before->workspace->page(), before->workspace->side(), before->workspace->inspector()})
            follow = follow || (part && focus && part->isAncestorOf(focus));
        before->focus = follow ? focus : nullptr;
        before->workspace->deactivate();
    }
    makeWorkspace(*next);
    current_ = id;
    rail_->setCurrent(id);
    pages_->setCurrentWidget(next->workspace->page());
    projectPanel_->setOrder(id == QLatin1String("design"));
    setSide(next->workspace->side());
    setInspector(next->workspace.get());
    restoreLayout();
    fillMenus();
    updateActions();
    next->workspace->activate();
    if (follow) takeFocus(*next);
    if (!safeMode_) QSettings().setValue(workspace_key, id);
}

// Where it was in this workspace; else the first control of its page.
void MainWindow::takeFocus(const Place& place) {
    QWidget* page = place.workspace->page();
    QWidget* found = place.focus && place.focus->isVisibleTo(this) ? place.focus.data() : nullptr;
    for (QWidget* at = page->nextInFocusChain(); !found && at && at != page; at = at->nextInFocusChain())
        if (page->isAncestorOf(at) && at->focusPolicy() & Qt::TabFocus && at->isEnabled() &&
            at->isVisibleTo(this))
            found = at;
    if (found) found->setFocus(Qt::OtherFocusReason);
}

bool MainWindow::hasWorkspace(const QString& id) const {
    return std::any_of(places_.begin(), places_.end(), [&](const Place& one) { return one.entry.id == id; });
}

void MainWindow::setSide(QWidget* side) {
    projectDock_->setContent(side ? side : projectPanel_);
    for (QWidget* button : projectPanel_->titleButtons()) button->setVisible(!side);
    // What takes the tree's place may have a title of its own.
    disconnect(sideTitle_);
    const auto follow = [this](const QString& title) {
        projectDock_->setTitle(title.isEmpty() ? tr("Project") : title);
    };
    follow(side ? side->windowTitle() : QString());
    if (side) sideTitle_ = connect(side, &QWidget::windowTitleChanged, this, follow);
}

void MainWindow::setInspector(Workspace* workspace) {
    inspectorDock_->setContent(workspace->inspector());
    inspectorDock_->setTitle(workspace->inspectorTitle());
}

// --- layout

void MainWindow::saveLayout() {
    if (current_.isEmpty() || compact_) return;  // what was folded for want of room is no wish of the user
    QSettings().setValue(layoutKey(current_), inner_->saveState(layout_version));
}

void MainWindow::restoreLayout() {
    updatingDocks_ = true;
    const QByteArray saved = safeMode_ ? QByteArray() : QSettings().value(layoutKey(current_)).toByteArray();
    if (saved.isEmpty() || !inner_->restoreState(saved, layout_version)) applyDefaultLayout();
    if (!current()->workspace->inspector()) inspectorDock_->hide();
    if (compact_) projectDock_->setVisible(!folded_);
    updatingDocks_ = false;
}

void MainWindow::applyDefaultLayout() {
    for (Dock* dock : {projectDock_, inspectorDock_}) dock->setFloating(false);
    inner_->addDockWidget(Qt::LeftDockWidgetArea, projectDock_);
    inner_->addDockWidget(Qt::RightDockWidgetArea, inspectorDock_);
    Workspace* workspace = current() ? current()->workspace.get() : nullptr;
    const bool inspector = workspace && workspace->inspector();
    projectDock_->setVisible(!compact_);
    inspectorDock_->setVisible(inspector);
    QList<QDockWidget*> docks{projectDock_};
    QList<int> widths{project_width};
    if (inspector) {
        docks << inspectorDock_;
        widths << workspace->inspectorWidth();
    }
    inner_->resizeDocks(docks, widths, Qt::Horizontal);
}

void MainWindow::resetLayout() {
    QSettings settings;
    settings.remove(QStringLiteral("layout"));
    updatingDocks_ = true;
    applyDefaultLayout();
    updatingDocks_ = false;
}

void MainWindow::updateCompact() {
    const bool compact = width() < compact_width;
    if (compact == compact_) return;
    if (compact) saveLayout();
    compact_ = compact;
    updatingDocks_ = true;
    if (compact) {
        folded_ = !projectDock_->isHidden();
        projectDock_->hide();
    } else if (folded_) {
        projectDock_->show();
        folded_ = false;
    }
    updatingDocks_ = false;
    for (const Place& place : places_) {
        if (place.workspace) place.workspace->setCompact(compact);
    }
    // The page has become narrower only now; the docks were laid out around what it was before.
    QTimer::singleShot(0, this, [this] {
        const Place* shown = current();
        if (!shown || !shown->workspace || inspectorDock_->isHidden()) return;
        inner_->resizeDocks({inspectorDock_}, {shown->workspace->inspectorWidth()}, Qt::Horizontal);
    });
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    updateCompact();
}

void MainWindow::paintEvent(QPaintEvent* event) {
    QMainWindow::paintEvent(event);
    if (painted_) return;
    painted_ = true;
    QTimer::singleShot(0, this, &MainWindow::firstPainted);  // after all of it was drawn and shown
}

// Unsaved work is not asked about: it is kept beside the document and offered at the next start.
void MainWindow::closeEvent(QCloseEvent* event) {
    for (const Place& place : places_) {
        if (place.workspace) place.workspace->prepareToClose();
    }
    saveLayout();
    if (!safeMode_) QSettings().setValue(geometry_key, saveGeometry());
    event->accept();
}

// --- project

void MainWindow::openProject(const QString& folder) {
    for (const Place& place : places_) {
        if (place.workspace) place.workspace->prepareToClose();
    }
    session_.open(folder);
}

void MainWindow::reportNoProject(const Error& error) {
    toasts_->show(QString::fromStdString(describe(error)));
    Q_EMIT noProject();
}

void MainWindow::updateTitle() {
    const QString name = session_.isOpen() ? session_.name() : QString();
    setWindowTitle(name.isEmpty() ? QStringLiteral("Braid[*]") : QStringLiteral("%1[*] - Braid").arg(name));
    projectDock_->setNote(session_.isReadOnly() ? tr("%1, read-only").arg(name) : name);
}

void MainWindow::followSession() {
    connect(&session_, &ProjectSession::opened, this, [this] {
        updateTitle();
        updateActions();
        finishedBefore_.clear();
        for (const StudyEntry& study : session_.studies()) finishedBefore_[study.name] = study.finished;
    });
    connect(&session_, &ProjectSession::closed, this, &MainWindow::updateTitle);
    connect(&session_, &ProjectSession::openFailed, this, [this](const QString&, const Error& error) {
        toasts_->show(QString::fromStdString(describe(error)));
        updateTitle();
    });
    connect(&session_, &ProjectSession::saveFailed, this, [this](const QString&, const Error& error) {
        toasts_->show(tr("Not saved. %1").arg(QString::fromStdString(describe(error))));
    });
    connect(&session_, &ProjectSession::runStateChanged, this, &MainWindow::runStateChanged);
    connect(&session_, &ProjectSession::runChanged, this, &MainWindow::updateActions);
    connect(&session_, &ProjectSession::selectedRunsChanged, this, &MainWindow::updateActions);
    connect(&session_, &ProjectSession::studiesChanged, this, [this] {
        for (const StudyEntry& study : session_.studies()) {
            int& before = finishedBefore_[study.name];
            if (study.runs > 0 && study.finished == study.runs && before < study.runs) {
                notify(QStringLiteral("train"), tr("Study %1 is finished.").arg(study.name), tr("Show"),
                       [this, name = study.name] {
                           session_.setCurrentStudy(name);
                           showWorkspace(QStringLiteral("train"));
                       });
            }
            before = study.finished;
        }
        updateActions();
    });
    connect(&session_, &ProjectSession::architecturesChanged, this, [this] {
        if (wantedArchitecture_.isEmpty() || !session_.architecture(wantedArchitecture_)) return;
        session_.setCurrentArchitecture(std::exchange(wantedArchitecture_, {}));
        showWorkspace(QStringLiteral("design"));
    });
    connect(&commands_, &RunCommands::failed, this,
            [this](const Error& error) { toasts_->show(QString::fromStdString(describe(error))); });
    connect(&commands_, &RunCommands::done, this, &MainWindow::showStatus);
    connect(&commands_, &RunCommands::studyStateChanged, this, &MainWindow::updateActions);
    connect(&commands_, &RunCommands::started, this, [this](const RunId& id) {
        session_.setSelectedRuns({id});
        showWorkspace(QStringLiteral("train"));
    });

    connect(projectPanel_, &ProjectPanel::architectureOpened, this, [this](const QString& name) {
        session_.setCurrentArchitecture(name);
        showWorkspace(QStringLiteral("design"));
    });
    connect(projectPanel_, &ProjectPanel::studyOpened, this, [this](const QString& name) {
        session_.setCurrentStudy(name);
        showWorkspace(QStringLiteral("train"));
    });
    const auto openRun = [this](const RunId& id) {
        session_.setSelectedRuns({id});
        showWorkspace(QStringLiteral("train"));
    };
    connect(projectPanel_, &ProjectPanel::runOpened, this, openRun);
    connect(projectPanel_, &ProjectPanel::figureOpened, this, &MainWindow::openFigure);
    connect(projectPanel_, &ProjectPanel::newArchitectureWanted, this, &MainWindow::newArchitecture);
    connect(statusBar_, &StatusBar::runClicked, this, openRun);
    connect(statusBar_, &StatusBar::queueClicked, this, [this] { showWorkspace(QStringLiteral("train")); });
}

void MainWindow::runStateChanged(const RunPointer& run, RunState before) {
    bool active = false;
    for (const RunPointer& other : session_.runs()->runs()) active = active || other->active();
    rail_->setAttention(QStringLiteral("train"), active);
    const auto show = [this, id = run->id] {
        session_.setSelectedRuns({id});
        showWorkspace(QStringLiteral("train"));
    };
    const QString train = QStringLiteral("train");
    switch (run->state()) {
        case RunState::failed:
            notify(train, tr("%1 failed. %2").arg(run->name, run->problem), tr("Show"), show);
            break;
        case RunState::lost:
            notify(train, tr("%1 was lost: its engine is gone.").arg(run->name), tr("Resume"),
                   [this, id = run->id] { commands_.resumeLost(id); });
            break;
        case RunState::finished:
            // The end of a study is one message, not one a run.
            if (run->study().isEmpty()) notify(train, tr("%1 is finished.").arg(run->name), tr("Show"), show);
            break;
        default:
            break;
    }
    Q_UNUSED(before);
}

void MainWindow::newArchitecture() {
    if (!session_.isOpen() || session_.isReadOnly()) return;
    const Checked<Pattern> pattern = parse_pattern("FS x2", builtin_mixers());
    const Scale* scale = find_scale("tiny");
    if (!pattern || !scale) return;
    ArchitectureSpec spec = instantiate(*pattern, *scale);
    wantedArchitecture_ = session_.freeArchitectureName(tr("hybrid"));
    spec.name = wantedArchitecture_.toStdString();
    session_.saveArchitecture(wantedArchitecture_, spec);
}

// The description is read off the GUI thread; the dialog looks for its data by itself.
void MainWindow::openFigure(const QString& name) {
    const auto& figures = session_.figures();
    const auto found = std::find_if(figures.begin(), figures.end(),
                                    [&name](const FigureEntry& entry) { return entry.name == name; });
    if (found == figures.end()) return;
    QThreadPool::globalInstance()->start([this, name, file = found->file.toStdString()] {
        const Result<FigureSpec> spec = read_figure(file);
        QMetaObject::invokeMethod(this, [this, name, spec] {
            if (!spec) {
                toasts_->show(QString::fromStdString(describe(spec.error())));
                return;
            }
            auto* dialog = new FigureDialog(*spec, {.projectFolder = session_.folder(), .name = name}, this);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            connect(dialog, &QDialog::accepted, this, [this] { session_.refresh(); });
            dialog->open();
        });
    });
}

// --- shell

void MainWindow::notify(const QString& workspace, const QString& text, const QString& actionText,
                        std::function<void()> action) {
    if (workspace == current_ && isActiveWindow()) {
        showStatus(text);
    } else {
        toasts_->show(text, actionText, std::move(action));
    }
}

void MainWindow::showStatus(const QString& text) { statusBar_->showMessage(text); }

void MainWindow::setProblems(const QString& workspace, int count, std::function<void()> show) {
    statusBar_->setProblems(workspace, count, std::move(show));
}

void MainWindow::showPalette() { palette_->open(metrics::topBar - 6); }

void MainWindow::copyAsCommand() {
    const Place* shown = current();
    const QString line = shown && shown->workspace ? shown->workspace->commandLine() : QString();
    if (line.isEmpty()) {
        showStatus(tr("Nothing here has a command."));
        return;
    }
    QApplication::clipboard()->setText(line);
    showStatus(tr("Copied: %1").arg(line));
}

}  // namespace braid::ui
