#include "widgets/probe/measure_dialog.h"

#include <QApplication>
#include <QComboBox>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QThreadPool>
#include <QVBoxLayout>
#include <algorithm>

#include "core/record/checkpoint_list.h"
#include "widgets/common/command_foot.h"
#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/lost_checkpoints.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/run_measurements.h"
#include "widgets/probe/measure_options.h"
#include "widgets/probe/probe_choice.h"

namespace braid::ui {

namespace {

constexpr qlonglong last_checkpoint = -1;

}  // namespace

MeasureDialog::MeasureDialog(const std::vector<RunPointer>& runs, const RunPointer& current,
                             const std::string& kind, const QString& projectFolder, RunCommands& commands,
                             QWidget* parent)
    : QDialog(parent),
      runs_(runs),
      project_(projectFolder),
      commands_(commands),
      kind_(new QComboBox),
      run_(new QComboBox),
      step_(new QComboBox),
      help_(new TextLabel({}, TypeStep::table, 400, 3)),
      foot_(new CommandFoot(tr("Measure"))),
      rows_(new QVBoxLayout) {
    setWindowTitle(tr("Measure"));
    kind_->setAccessibleName(tr("Kind of measurement"));
    run_->setAccessibleName(tr("Run"));
    step_->setAccessibleName(tr("Checkpoint"));
    for (const MeasurementKind* each : probeKinds())
        kind_->addItem(QString::fromStdString(each->title), QString::fromStdString(each->id));
    if (runs_.size() > 1) run_->addItem(tr("all %1 chosen runs").arg(runs_.size()), -1);
    for (std::size_t i = 0; i < runs_.size(); ++i) run_->addItem(runs_[i]->name, int(i));
    if (current && runs_.size() > 1 && current->measurements &&
        current->measurements->latest(kind) == nullptr) {
        // Where the others have it already, it is the one that lacks it.
        int lacking = 0;
        for (const RunPointer& run : runs_)
            if (!run->measurements || !run->measurements->latest(kind)) ++lacking;
        if (lacking == 1) run_->setCurrentIndex(run_->findText(current->name));
    }

    auto* content = new QWidget;
    rows_->setContentsMargins(metrics::gap4, metrics::gap3, metrics::gap4, metrics::gap3);
    rows_->setSpacing(metrics::gap2);
    content->setLayout(rows_);
    rows_->addWidget(ParameterForm::makeRow(tr("Measurement"), kind_));
    help_->setWordWrap(true);
    help_->setContentsMargins(form_label_width + metrics::gap2, 0, 0, 0);
    rows_->addWidget(help_);
    rows_->addWidget(ParameterForm::makeRow(tr("Run"), run_));
    rows_->addWidget(ParameterForm::makeRow(tr("Checkpoint"), step_));
    rows_->addWidget(makeSeparator());
    rows_->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(scroll, 1);
    all->addWidget(makeSeparator());
    all->addWidget(foot_);
    resize(560, 560);

    connect(kind_, &QComboBox::activated, this, &MeasureDialog::rebuild);
    connect(run_, &QComboBox::activated, this, &MeasureDialog::readSteps);
    connect(step_, &QComboBox::activated, this, &MeasureDialog::update_);
    connect(foot_, &CommandFoot::cancelled, this, &QDialog::reject);
    connect(foot_, &CommandFoot::started, this, &QDialog::accept);
    connect(this, &QDialog::accepted, this, [this] {
        for (const ScoreRequest& request : requests()) commands_.startScore(request);
    });
    setKind(kind);
    readSteps();
    findLacking();
}

// What cannot be measured is said before it is tried.
void MeasureDialog::findLacking() {
    QPointer<MeasureDialog> self(this);
    QThreadPool::globalInstance()->start([self, runs = runs_] {
        const std::vector<RunPointer> without = runsWithoutCheckpoint(runs);
        QMetaObject::invokeMethod(qApp, [self, without] {
            if (!self) return;
            self->lacking_ = without;
            self->update_();
        });
    });
}

const MeasurementKind& MeasureDialog::kind() const {
    return *find_measurement(kind_->currentData().toString().toStdString());
}

void MeasureDialog::setKind(const std::string& kind) {
    kind_->setCurrentIndex(std::max(0, kind_->findData(QString::fromStdString(kind))));
    rebuild();
}

std::vector<RunPointer> MeasureDialog::wanted() const {
    const int one = run_->currentData().toInt();
    return run_->count() == 0 || one < 0 ? runs_ : std::vector{runs_[std::size_t(one)]};
}

void MeasureDialog::rebuild() {
    const std::string id = kind().id;
    delete form_;
    form_ = new ParameterForm(kind().parameters, {}, kind_->currentText());
    rows_->insertWidget(rows_->count() - 1, form_);
    help_->setText(QStringLiteral("%1 %2").arg(
        QString::fromStdString(kind().help), tr("After: %1.").arg(QString::fromStdString(kind().citation))));
    connect(form_, &ParameterForm::changed, this,
            [this, id](const std::string& key, const ParameterValue& value) {
                values_[id].set(key, value);
                update_();
            });
    connect(form_, &ParameterForm::refusedChanged, this, &MeasureDialog::update_);
    update_();
}

// The earlier checkpoints of a single run, from its folder.
void MeasureDialog::readSteps() {
    step_->clear();
    step_->addItem(tr("the last one"), last_checkpoint);
    update_();
    if (wanted().size() != 1) return;
    const RunPointer run = wanted().front();
    QPointer<MeasureDialog> self(this);
    QThreadPool::globalInstance()->start([self, run] {
        const std::vector<Step> found = list_checkpoints(run->folder.checkpoints_folder());
        QMetaObject::invokeMethod(qApp, [self, found, run] {
            if (!self || self->wanted().size() != 1 || self->wanted().front() != run) return;
            for (const Step step : found)
                self->step_->addItem(tr("step %1").arg(formatCount(step.value)),
                                     QVariant::fromValue<qlonglong>(step.value));
        });
    });
}

void MeasureDialog::update_() {
    if (!form_) return;
    const ParameterValues& values = values_[kind().id];
    form_->setValues(values);
    form_->clearProblems();
    QStringList lines = form_->refused();
    for (const Diagnostic& problem : checkMeasure(kind(), values, project_)) {
        const Diagnostic beneath{.path = {}, .rule = problem.rule, .found = problem.found};
        form_->setProblem(problem.path, QString::fromStdString(beneath.message()));
        lines << QString::fromStdString(problem.message());
    }
    const std::vector<ScoreRequest> all = requests();
    std::vector<RunPointer> left_out;
    if (step_->currentData().toLongLong() < 0)
        for (const RunPointer& run : wanted())
            if (std::find(lacking_.begin(), lacking_.end(), run) != lacking_.end()) left_out.push_back(run);
    const QString lost = left_out.empty()
                             ? QString()
                             : tr("The last checkpoint is not on disk, of %1: it was removed, or "
                                  "not copied with the project.")
                                   .arg(namesOfRuns(left_out));
    if (all.empty()) lines << (lost.isEmpty() ? tr("No run has a checkpoint yet.") : lost);
    if (lines.isEmpty() && !commands_.unavailableReason().isEmpty()) lines << commands_.unavailableReason();
    foot_->setProblems(lines);
    QStringList summary;
    if (!all.empty() && !lost.isEmpty()) summary << lost + QLatin1Char(' ') + tr("They are left out.");
    if (all.size() > 1)
        summary << tr("%1 checkpoints, one after the other; the first of them:").arg(all.size());
    foot_->setSummary(summary.join(QLatin1Char('\n')));
    foot_->setCommand(all.empty() ? QString() : commands_.commandForScore(all.front()));
}

std::vector<ScoreRequest> MeasureDialog::requests() const {
    const auto values = values_.find(kind().id);
    const QStringList words =
        measureWords(kind(), values == values_.end() ? ParameterValues{} : values->second, project_);
    std::vector<ScoreRequest> all;
    for (const RunPointer& run : wanted()) {
        const qlonglong step = step_->count() == 0 ? last_checkpoint : step_->currentData().toLongLong();
        const auto& last = run->record->status.checkpoint;
        const bool lost = std::find(lacking_.begin(), lacking_.end(), run) != lacking_.end();
        if (step < 0 && (!last || lost)) continue;
        all.push_back({.run = run->id,
                       .step = step < 0 ? last->value : step,
                       .kind = QString::fromStdString(kind().id),
                       .options = words,
                       .verb = ScoreRequest::Verb::measure});
    }
    return all;
}

QPushButton* MeasureDialog::startButton() const { return foot_->startButton(); }
QPushButton* MeasureDialog::cancelButton() const { return foot_->cancelButton(); }
QString MeasureDialog::command() const { return foot_->command(); }
QString MeasureDialog::summary() const { return foot_->summary(); }
QString MeasureDialog::problemText() const { return foot_->problemText(); }

}  // namespace braid::ui
