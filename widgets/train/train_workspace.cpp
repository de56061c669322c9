#include "widgets/train/train_workspace.h"

#include <QAction>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/icons.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/common/score_jobs.h"
#include "widgets/investigate/investigate_page.h"
#include "widgets/train/key_tokens_page.h"
#include "widgets/train/run_panel.h"
#include "widgets/train/runs_table_page.h"
#include "widgets/train/score_dialog.h"
#include "widgets/train/scores_page.h"
#include "widgets/train/study_page.h"
#include "widgets/train/train_page.h"

namespace braid::ui {

TrainWorkspace::TrainWorkspace(const WorkspaceContext& context, QObject* parent)
    : Workspace(parent),
      context_(context),
      page_(new QWidget),
      pages_(new QStackedWidget),
      tabs_(new QTabBar),
      panel_(new RunPanel(context)),
      study_(new StudyPage(context)),
      runs_(new TrainPage(context, panel_)),
      table_(new RunsTablePage(context, panel_)),
      scores_(new ScoresPage(context, panel_)),
      keys_(new KeyTokensPage(context)),
      investigate_(new InvestigatePage(context)) {
    for (QWidget* page : std::initializer_list<QWidget*>{study_, runs_, table_, scores_, keys_, investigate_})
        pages_->addWidget(page);
    makeTabs();
    makeActions();
    ProjectSession& session = context_.session;
    connect(&session, &ProjectSession::currentStudyChanged, this, &TrainWorkspace::showStudy);
    connect(&session, &ProjectSession::selectedRunsChanged, this, [this] {
        if (context_.session.selectedRuns().empty()) return;
        // The other tabs show the selection in their own way.
        if (tabs_->currentIndex() == Curves)
            showRuns();
        else
            study_shown_ = false;
    });
    // A project that has a study and nothing selected begins with its study.
    const auto first = [this] {
        const std::vector<StudyEntry>& studies = context_.session.studies();
        if (!context_.session.selectedRuns().empty()) return;
        if (studies.empty()) {  // the page of runs says what to do
            showRuns();
            return;
        }
        const QString chosen = context_.session.currentStudy();
        showStudy(context_.session.study(chosen) != nullptr ? chosen : studies.front().name);
    };
    connect(&session, &ProjectSession::studiesChanged, this, [this, first] {
        if (study_->study().isEmpty()) first();
    });
    connect(&session, &ProjectSession::opened, this, first);
    connect(study_, &StudyPage::runShown, panel_, &RunPanel::showRun);
    connect(study_, &StudyPage::investigateWanted, this, [this] { showTab(Investigate); });
    if (session.selectedRuns().empty())
        first();
    else
        showRuns();
}

TrainWorkspace::~TrainWorkspace() {
    // The shell owns them once they are in its window; it may be gone already.
    if (page_ && !page_->parent()) delete page_;
    if (panel_ && !panel_->parent()) delete panel_;
}

void TrainWorkspace::makeTabs() {
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    tabs_->setAccessibleName(tr("Views of the runs"));
    for (const QString& title :
         {tr("Curves"), tr("Runs by scores"), tr("Scores"), tr("Key tokens"), tr("Investigate")})
        tabs_->addTab(title);
    auto* layout = new QVBoxLayout(page_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* strip = new QWidget;
    auto* line = new QHBoxLayout(strip);
    line->setContentsMargins(metrics::gap1, 0, 0, 0);
    line->addWidget(tabs_);
    line->addStretch();
    layout->addWidget(strip);
    layout->addWidget(makeSeparator());
    layout->addWidget(pages_, 1);
    layout->addWidget(new ScoreJobs(context_.session, context_.commands, ScoreRequest::Verb::eval));
    connect(tabs_, &QTabBar::currentChanged, this, &TrainWorkspace::showTab);
    connect(table_, &RunsTablePage::openRuns, this, [this](const std::vector<RunId>& runs) {
        if (runs.empty()) return;
        context_.session.setSelectedRuns(runs);
        showRuns();
    });
    connect(table_, &RunsTablePage::openScore, this, [this](const RunId& run, const QString& metric) {
        showTab(Scores);
        scores_->openScore(run, metric);
    });
    connect(table_, &RunsTablePage::scoreRun, this, [this](const RunId& run) { score(run); });
    connect(scores_, &ScoresPage::scoreRun, this, [this](const RunId& run) {
        ScoreDialog* dialog = score(run);  // another of the kind that is looked at
        if (dialog && scores_->current()) dialog->setKind(scores_->current()->kind);
    });
}

void TrainWorkspace::showTab(int tab) {
    if (!pages_) return;
    QWidget* const pages[] = {study_shown_ ? static_cast<QWidget*>(study_) : runs_, table_, scores_, keys_,
                              investigate_};
    pages_->setCurrentWidget(pages[tab]);
    tabs_->setCurrentIndex(tab);
    applyActive();
    Q_EMIT commandLineChanged();
}

ScoreDialog* TrainWorkspace::score(const RunId& id) {
    const RunPointer run = context_.session.run(id);
    if (!run) return nullptr;
    auto* dialog = new ScoreDialog(run, context_.session, context_.commands, page_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
    return dialog;
}

QWidget* TrainWorkspace::page() { return page_; }
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
    add("train.score", tr("Score checkpoint..."), "check", [this] {
        const RunPointer run =
            tabs_->currentIndex() == Table ? table_->currentRun() : context_.session.currentRun();
        if (run) score(run->id);
    });
    add("train.figure", tr("Export figure..."), "export", [this] {
        if (tabs_->currentIndex() == Scores)
            scores_->exportFigure();
        else if (showsStudy())
            study_->exportFigure();
        else
            runs_->exportFigure();
    });
    for (int tab = Curves; tab <= Investigate; ++tab) {
        static const char* const names[] = {"train.curves", "train.table", "train.scores", "train.key-tokens",
                                            "train.investigate"};
        auto* action = new QAction(tr("Show %1").arg(tabs_->tabText(tab)), this);
        action->setObjectName(QLatin1String(names[tab]));
        action->setProperty("menu", QStringLiteral("view"));
        connect(action, &QAction::triggered, this, [this, tab] { showTab(tab); });
        actions_ << action;
    }
}

void TrainWorkspace::showStudy(const QString& name) {
    if (name.isEmpty() || !pages_) return;
    study_->showStudy(name);
    study_shown_ = true;
    showTab(Curves);
}

void TrainWorkspace::showRuns() {
    if (!pages_) return;
    study_shown_ = false;
    showTab(Curves);
}

// The study at hand: the one that is shown, else that of the current run, else the first.
QString TrainWorkspace::investigatedStudy() const {
    const ProjectSession& session = context_.session;
    if (!session.currentStudy().isEmpty()) return session.currentStudy();
    if (const RunPointer run = session.currentRun(); run && session.study(run->study())) return run->study();
    return session.studies().empty() ? QString() : session.studies().front().name;
}

void TrainWorkspace::applyActive() {
    const QWidget* shown = pages_->currentWidget();
    study_->setActive(active_ && shown == study_);
    runs_->setActive(active_ && shown == runs_);
    table_->setActive(active_ && shown == table_);
    scores_->setActive(active_ && shown == scores_);
    keys_->setActive(active_ && shown == keys_);
    if (shown == investigate_) investigate_->showStudy(investigatedStudy());
    investigate_->setActive(active_ && shown == investigate_);
    if (!panel_) return;
    panel_->setCursorsVisible(shown == runs_);
    if (active_ && shown == keys_) panel_->showRun(context_.session.currentRun());
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
    if (tabs_->currentIndex() == Investigate) return investigate_->commandLine();
    if (tabs_->currentIndex() == Scores && scores_->current())
        return QString::fromStdString(scores_->current()->command);
    const RunPointer run = context_.session.currentRun();
    if (!run || !run->plan) return {};
    return QString::fromStdString(run->plan->command);
}

}  // namespace braid::ui
