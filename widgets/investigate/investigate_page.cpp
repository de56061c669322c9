#include "widgets/investigate/investigate_page.h"

#include <QApplication>
#include <QComboBox>
#include <QPointer>
#include <QStackedWidget>
#include <QThreadPool>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/controls.h"
#include "widgets/common/lost_checkpoints.h"
#include "widgets/common/project_session.h"
#include "widgets/figure/named_figure.h"
#include "widgets/investigate/investigate_views.h"

namespace braid::ui {

namespace {

enum Page { ViewsPage, EmptyPage };

QComboBox* makeChoice(const QString& name) {
    auto* choice = new QComboBox;
    choice->setAccessibleName(name);
    choice->setToolTip(name);
    choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return choice;
}

// Without asking again for what is there already.
void fillChoice(QComboBox* choice, const QStringList& texts, int otherwise) {
    QStringList before;
    for (int i = 0; i < choice->count(); ++i) before << choice->itemText(i);
    if (before == texts) return;
    const QString chosen = choice->currentText();
    choice->clear();
    choice->addItems(texts);
    const int again = choice->findText(chosen);
    choice->setCurrentIndex(again >= 0 ? again : otherwise);
}

}  // namespace

InvestigatePage::InvestigatePage(const WorkspaceContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      toolbar_(new PageToolbar(tr("Investigate"))),
      early_(makeChoice(tr("Variant that looks far early"))),
      late_(makeChoice(tr("Variant that looks far late"))),
      seed_(makeChoice(tr("Seed of the charts"))),
      figure_(makeButton(tr("Figure"), QStringLiteral("export"))),
      cancel_(makeButton(tr("Cancel"))),
      measure_(makePrimaryButton(tr("Investigate"), QStringLiteral("play"))),
      views_(new InvestigateViews),
      pages_(new QStackedWidget),
      empty_(new EmptyState(tr("No run of this study has finished."), tr("Run study"))) {
    makeToolbar();
    pages_->addWidget(views_);
    pages_->addWidget(empty_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(toolbar_);
    layout->addWidget(pages_, 1);

    connect(empty_, &EmptyState::clicked, this, [this] { context_.commands.startStudy(name_); });
    ProjectSession& session = context_.session;
    const auto later = [this] {
        if (active_) throttle_.request();
    };
    connect(&session, &ProjectSession::runChanged, this, later);
    connect(&session, &ProjectSession::runRemoved, this, later);
    connect(&session, &ProjectSession::studiesChanged, this, later);
    connect(&context_.commands, &RunCommands::scoreJobChanged, this, &InvestigatePage::follow);
    for (QComboBox* choice : {early_, late_, seed_})
        connect(choice, &QComboBox::activated, this, &InvestigatePage::refresh);
    connect(views_, &InvestigateViews::seedChosen, this, [this](quint64 seed) {
        seed_->setCurrentText(tr("Seed %1").arg(seed));
        refresh();
    });
    connect(views_, &InvestigateViews::runChosen, this,
            [this](const QString& id) { context_.session.setSelectedRuns({RunId(id.toStdString())}); });
    connect(views_, &InvestigateViews::headChosen, this,
            [this](const RunId& run, qlonglong step, int layer, int head) {
                context_.session.selectHead(run, Step(step), std::size_t(layer), std::size_t(head));
                if (context_.shell.hasWorkspace(QStringLiteral("heads")))
                    context_.shell.showWorkspace(QStringLiteral("heads"));
            });
}

void InvestigatePage::makeToolbar() {
    for (QComboBox* choice : {early_, late_, seed_}) toolbar_->addWidget(choice);
    for (QWidget* widget : std::initializer_list<QWidget*>{figure_, cancel_, measure_})
        toolbar_->addWidget(widget);
    connect(figure_, &QPushButton::clicked, this, &InvestigatePage::exportFigure);
    connect(cancel_, &QPushButton::clicked, this, &InvestigatePage::cancel);
    connect(measure_, &QPushButton::clicked, this, &InvestigatePage::measure);
}

std::size_t InvestigatePage::early() const { return std::size_t(std::max(0, early_->currentIndex())); }
std::size_t InvestigatePage::late() const { return std::size_t(std::max(0, late_->currentIndex())); }
std::uint64_t InvestigatePage::seed() const {
    const auto index = std::size_t(std::max(0, seed_->currentIndex()));
    return index < shown_.seeds.size() ? shown_.seeds[index] : 0;
}

void InvestigatePage::showStudy(const QString& name) {
    if (name != name_) {
        jobs_.clear();
        left_out_.clear();
    }
    name_ = name;
    refresh();
}

void InvestigatePage::setActive(bool active) {
    active_ = active;
    if (active) refresh();
}

QString InvestigatePage::commandLine() const {
    return name_.isEmpty() ? QString() : QStringLiteral("braid-engine study investigate ") + name_;
}

std::vector<ScoreRequest> InvestigatePage::missing() const {
    std::vector<ScoreRequest> requests;
    for (const InvestigatedRun& run : shown_.runs)
        for (const char* kind : investigated_kinds) {
            const MeasurementRecord* latest =
                run.run->measurements ? run.run->measurements->latest(kind) : nullptr;
            if (latest && latest->checkpoint.step.value == run.run->step()) continue;
            requests.push_back({.run = run.run->id,
                                .step = run.run->step(),
                                .kind = QString::fromLatin1(kind),
                                .verb = ScoreRequest::Verb::measure});
        }
    return requests;
}

// Of runs whose checkpoints are not on disk nothing is tried: they are named, once.
void InvestigatePage::measure() {
    jobs_.clear();
    left_out_.clear();
    std::vector<RunPointer> runs;
    for (const InvestigatedRun& run : shown_.runs) runs.push_back(run.run);
    QPointer<InvestigatePage> self(this);
    QThreadPool::globalInstance()->start([self, runs, name = name_] {
        const std::vector<RunPointer> without = runsWithoutCheckpoint(runs);
        QMetaObject::invokeMethod(qApp, [self, without, name] {
            if (self && self->name_ == name) self->start(without);
        });
    });
}

void InvestigatePage::start(const std::vector<RunPointer>& without) {
    std::vector<RunPointer> lost;
    for (const ScoreRequest& request : missing()) {
        const auto found = std::find_if(without.begin(), without.end(),
                                        [&](const RunPointer& run) { return run->id == request.run; });
        if (found == without.end())
            context_.commands.startScore(request);
        else if (lost.empty() || lost.back() != *found)
            lost.push_back(*found);
    }
    if (!lost.empty())
        left_out_ = tr("The last checkpoint is not on disk, of %1: it was removed, or not copied with the "
                       "project. It cannot be measured.")
                        .arg(namesOfRuns(lost));
    refresh();
}

void InvestigatePage::cancel() {
    std::vector<int> active;
    for (const auto& [id, job] : jobs_)
        if (job.active()) active.push_back(id);
    // The last one first, or the next would start as soon as one ends.
    std::for_each(active.rbegin(), active.rend(), [this](int id) { context_.commands.cancelScore(id); });
}

void InvestigatePage::follow(const ScoreJob& job) {
    const bool known = jobs_.contains(job.id);
    const bool ours = job.request.isMeasurement() &&
                      std::any_of(shown_.runs.begin(), shown_.runs.end(),
                                  [&](const InvestigatedRun& run) { return run.run->id == job.request.run; });
    if (!known && !(ours && job.active())) return;
    jobs_[job.id] = job;
    if (job.state == ScoreJob::State::done) context_.session.refresh();
    refreshButtons();
}

void InvestigatePage::refresh() {
    const StudyEntry* entry = name_.isEmpty() ? nullptr : context_.session.study(name_);
    if (!entry || !entry->spec) {
        shown_ = {};
        toolbar_->setNote({});
        empty_->setSentence(name_.isEmpty() ? tr("Choose a study in the project.")
                                            : tr("The study cannot be read."));
        empty_->button()->hide();
        pages_->setCurrentIndex(EmptyPage);
        return refreshButtons();
    }
    const StudySpec& spec = *entry->spec;
    toolbar_->setNote(QString::fromStdString(spec.title));
    shown_ = investigate(spec, context_.session.runsOfStudy(name_));
    refreshChoices(spec);
    empty_->setSentence(tr("No run of this study has finished."));
    empty_->button()->setVisible(!context_.commands.isStudyRunning(name_));
    pages_->setCurrentIndex(shown_.runs.empty() ? EmptyPage : ViewsPage);
    views_->show(shown_,
                 {.early = early(),
                  .late = late(),
                  .early_name = early_->currentText(),
                  .late_name = late_->currentText(),
                  .seed = seed()},
                 QString::fromStdString(spec.description));
    refreshButtons();
}

void InvestigatePage::refreshChoices(const StudySpec& spec) {
    QStringList variants, seeds;
    for (const StudyVariant& variant : spec.variants) variants << QString::fromStdString(variant.label);
    for (const std::uint64_t one : shown_.seeds) seeds << tr("Seed %1").arg(one);
    fillChoice(early_, variants, 0);
    fillChoice(late_, variants, int(variants.size()) - 1);
    fillChoice(seed_, seeds, 0);
    seed_->setVisible(seeds.size() > 1);
}

void InvestigatePage::refreshButtons() {
    int active = 0, over = 0;
    double done = 0;
    QStringList failed;
    QString now;
    for (const auto& [id, job] : jobs_) {
        active += job.active() ? 1 : 0;
        over += job.active() ? 0 : 1;
        done += job.active() ? std::max(0.0, job.fraction) : 1;
        if (job.state == ScoreJob::State::failed) failed << job.text;
        if (job.state == ScoreJob::State::running) now = measurementTitle(job.request.kind.toStdString());
    }
    const std::size_t left = missing().size();
    views_->setProgress(active > 0 ? done / double(jobs_.size()) : -1);
    failed.removeDuplicates();
    QStringList texts = failed + shown_.problems;
    if (!left_out_.isEmpty()) texts.prepend(left_out_);
    const bool wrong = !texts.isEmpty();
    if (active > 0) texts.prepend(tr("%1 of %2 measured, now: %3").arg(over).arg(jobs_.size()).arg(now));
    views_->setState(texts.join(QLatin1Char('\n')), wrong);
    cancel_->setVisible(active > 0);
    const QString unavailable = context_.commands.unavailableReason();
    setDisabledReason(measure_, shown_.runs.empty()      ? tr("No run of this study has finished")
                                : !unavailable.isEmpty() ? unavailable
                                : active > 0             ? tr("It is being measured")
                                : left == 0              ? tr("Every finished run has been measured")
                                                         : QString());
    const bool any = std::any_of(shown_.runs.begin(), shown_.runs.end(),
                                 [](const InvestigatedRun& run) { return run.formation.has_value(); });
    setDisabledReason(figure_, any ? QString() : tr("Nothing has been measured yet"));
}

void InvestigatePage::exportFigure() {
    NamedFigure figure{.name = QStringLiteral("investigate"), .spec = FigureSpec{.kind = "measurement"}};
    for (const char* metric :
         {"trace/mass/top", "trace/entropy/top", "gradient/g"})  // as the page draws them
        figure.spec.panels.push_back({.metric = metric});
    figure.spec.panels.back().x_scale = figure.spec.panels.back().y_scale = AxisScale::log;
    for (const InvestigatedRun& run : shown_.runs) {
        if (run.seed != seed()) continue;
        figure.spec.source.runs.push_back(run.run->id.str());
        figure.spec.colours[run.run->name.toStdString()] = run.run->paletteIndex;
    }
    figure.spec.title = tr("Formation of retrieval heads").toStdString();
    figure.spec.style.size = FigureSize::double_column;
    figure.spec.style.width_mm = standard_width_mm(FigureSize::double_column, figure.spec.style.width_mm);
    figure.spec.style.height_mm = 62;
    exportFigureOf(figure, context_, this);
}

}  // namespace braid::ui
