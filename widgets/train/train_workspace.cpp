#include "widgets/train/train_workspace.h"

#include <QAction>
#include <QStackedWidget>

#include "widgets/common/icons.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/train/run_panel.h"
#include "widgets/train/study_page.h"
#include "widgets/train/train_page.h"

namespace braid::ui {

TrainWorkspace::TrainWorkspace(const WorkspaceContext& context, QObject* parent)
    : Workspace(parent),
      context_(context),
      pages_(new QStackedWidget),
      panel_(new RunPanel(context)),
      study_(new StudyPage(context)),
      runs_(new TrainPage(context, panel_)) {
    pages_->addWidget(study_);
    pages_->addWidget(runs_);
    makeActions();
    ProjectSession& session = context_.session;
    connect(&session, &ProjectSession::currentStudyChanged, this, &TrainWorkspace::showStudy);
    connect(&session, &ProjectSession::selectedRunsChanged, this, [this] {
        if (!context_.session.selectedRuns().empty()) showRuns();
    });
    // A project that has a study and nothing selected begins with its study.
    const auto first = [this] {
        const std::vector<StudyEntry>& studies = context_.session.studies();
        if (!context_.session.selectedRuns().empty() || studies.empty()) return;
        const QString chosen = context_.session.currentStudy();
        showStudy(context_.session.study(chosen) != nullptr ? chosen : studies.front().name);
    };
    connect(&session, &ProjectSession::studiesChanged, this, [this, first] {
        if (study_->study().isEmpty()) first();
    });
    connect(&session, &ProjectSession::opened, this, first);
    connect(study_, &StudyPage::runShown, panel_, &RunPanel::showRun);
    if (session.selectedRuns().empty())
        first();
    else
        showRuns();
}

TrainWorkspace::~TrainWorkspace() {
    // The shell owns them once they are in its window; it may be gone already.
    if (pages_ && !pages_->parent()) delete pages_;
    if (panel_ && !panel_->parent()) delete panel_;
}

QWidget* TrainWorkspace::page() { return pages_; }
QWidget* TrainWorkspace::inspector() { return panel_; }
bool TrainWorkspace::showsStudy() const { return pages_ && pages_->currentWidget() == study_; }

void TrainWorkspace::makeActions() {
    const auto add = [this](const char* name, const QString& text, const char* iconName, auto slot) {
        auto* action = new QAction(icon(QLatin1String(iconName)), text, this);
        action->setObjectName(QLatin1String(name));
        action->setProperty("menu", QStringLiteral("run"));
        connect(action, &QAction::triggered, this, slot);
        actions_ << action;
    };
    add("train.run-study", tr("Run study"), "play", [this] { study_->runStudy(); });
    add("train.pause-study", tr("Pause or resume study"), "pause", [this] { study_->pauseOrResume(); });
    add("train.stop-study", tr("Stop study"), "stop", [this] { study_->stopStudy(); });
    add("train.figure", tr("Export figure..."), "export", [this] {
        if (showsStudy())
            study_->exportFigure();
        else
            runs_->exportFigure();
    });
}

void TrainWorkspace::showStudy(const QString& name) {
    if (name.isEmpty() || !pages_) return;
    study_->showStudy(name);
    pages_->setCurrentWidget(study_);
    applyActive();
    Q_EMIT commandLineChanged();
}

void TrainWorkspace::showRuns() {
    if (!pages_) return;
    pages_->setCurrentWidget(runs_);
    applyActive();
    Q_EMIT commandLineChanged();
}

void TrainWorkspace::applyActive() {
    study_->setActive(active_ && showsStudy());
    runs_->setActive(active_ && !showsStudy());
    if (panel_) panel_->setCursorsVisible(!showsStudy());
}

void TrainWorkspace::activate() {
    active_ = true;
    applyActive();
}

void TrainWorkspace::deactivate() {
    active_ = false;
    if (pages_) applyActive();
}

QString TrainWorkspace::commandLine() const {
    if (showsStudy()) return context_.commands.commandForStudy(study_->study());
    const RunPointer run = context_.session.currentRun();
    if (!run || !run->plan) return {};
    return QString::fromStdString(run->plan->command);
}

}  // namespace braid::ui
