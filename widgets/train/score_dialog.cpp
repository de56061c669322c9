#include "widgets/train/score_dialog.h"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QThreadPool>
#include <QVBoxLayout>

#include "core/record/checkpoint_list.h"
#include "widgets/common/command_foot.h"
#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/format.h"
#include "widgets/common/parameter_editor.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_list_model.h"
#include "widgets/train/score_options.h"

namespace braid::ui {

namespace {

const ScoreForm& formOf(const std::string& kind) { return *findScoreForm(kind); }

}  // namespace

ScoreDialog::ScoreDialog(const RunPointer& run, const ProjectSession& session, RunCommands& commands,
                         QWidget* parent)
    : QDialog(parent),
      run_(run),
      session_(session),
      project_(session.folder()),
      commands_(commands),
      kind_(new QComboBox),
      step_(new QComboBox),
      help_(new TextLabel({}, TypeStep::table, 400, 3)),
      foot_(new CommandFoot(tr("Score"))),
      rows_(new QVBoxLayout) {
    setWindowTitle(tr("Score %1").arg(run->name));
    kind_->setAccessibleName(tr("Kind of score"));
    step_->setAccessibleName(tr("Checkpoint"));
    for (const ScoreForm& form : scoreForms())
        kind_->addItem(scoreKindTitle(form.kind), QString::fromStdString(form.kind));
    if (const auto& last = run->record->status.checkpoint)
        step_->addItem(tr("step %1").arg(formatCount(last->value)),
                       QVariant::fromValue<qlonglong>(last->value));

    auto* content = new QWidget;
    rows_->setContentsMargins(metrics::gap4, metrics::gap3, metrics::gap4, metrics::gap3);
    rows_->setSpacing(metrics::gap2);
    content->setLayout(rows_);
    rows_->addWidget(ParameterForm::makeRow(tr("Checkpoint"), step_));
    rows_->addWidget(ParameterForm::makeRow(tr("Score"), kind_));
    help_->setWordWrap(true);
    help_->setContentsMargins(form_label_width + metrics::gap2, 0, 0, 0);
    rows_->addWidget(help_);
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

    connect(kind_, &QComboBox::activated, this, &ScoreDialog::rebuild);
    connect(step_, &QComboBox::activated, this, &ScoreDialog::update_);
    connect(foot_, &CommandFoot::cancelled, this, &QDialog::reject);
    connect(foot_, &CommandFoot::started, this, &QDialog::accept);
    connect(this, &QDialog::accepted, this, [this] { commands_.startScore(request()); });
    setKind("niah");
    // The earlier checkpoints, from the run's folder.
    QPointer<ScoreDialog> self(this);
    QThreadPool::globalInstance()->start([self, folder = run->folder] {
        const std::vector<Step> found = list_checkpoints(folder.checkpoints_folder());
        QMetaObject::invokeMethod(qApp, [self, found] {
            if (!self) return;
            for (const Step step : found)
                if (self->step_->findData(QVariant::fromValue<qlonglong>(step.value)) < 0)
                    self->step_->addItem(tr("step %1").arg(formatCount(step.value)),
                                         QVariant::fromValue<qlonglong>(step.value));
            self->update_();
        });
    });
}

void ScoreDialog::setKind(const std::string& kind) {
    kind_->setCurrentIndex(kind_->findData(QString::fromStdString(kind)));
    rebuild();
}

void ScoreDialog::rebuild() {
    const std::string kind = kind_->currentData().toString().toStdString();
    const ScoreForm& form = formOf(kind);
    delete form_;
    form_ = new ParameterForm(parametersOf(form), {}, scoreKindTitle(kind));
    for (const ScoreOption& option : form.options) {
        const bool several = option.form == OptionForm::files;
        const bool checkpoint = option.form == OptionForm::checkpoint;
        if (!several && !checkpoint && option.form != OptionForm::file) continue;
        ParameterEditor* editor = form_->editor(option.parameter.key);
        QPushButton* choose = makeButton(checkpoint ? tr("Choose") : tr("Browse..."));
        choose->setAutoDefault(false);
        choose->setAccessibleName(tr("Choose: %1").arg(QString::fromStdString(option.parameter.label)));
        editor->layout()->addWidget(choose);
        editor->layout()->setAlignment(choose, Qt::AlignTop);
        if (checkpoint)
            choose->setMenu(makeCheckpointMenu(option.parameter.key, choose));
        else
            connect(choose, &QPushButton::clicked, this,
                    [this, key = option.parameter.key, several] { browse(key, several); });
    }
    rows_->insertWidget(rows_->count() - 1, form_);
    help_->setText(form.help);
    connect(form_, &ParameterForm::changed, this,
            [this, kind](const std::string& key, const ParameterValue& value) {
                values_[kind].set(key, value);
                update_();
            });
    connect(form_, &ParameterForm::refusedChanged, this, &ScoreDialog::update_);
    update_();
}

// The last checkpoints of the project's other runs.
QMenu* ScoreDialog::makeCheckpointMenu(const std::string& key, QPushButton* button) {
    auto* menu = new QMenu(button);
    for (const RunPointer& run : session_.runs()->runs()) {
        const auto& saved = run->record->status.checkpoint;
        if (!saved || run->id == run_->id) continue;
        const std::string value = run->id.str() + "@" + std::to_string(saved->value);
        menu->addAction(tr("%1, step %2").arg(run->name, formatCount(saved->value)), this,
                        [this, key, value] { setOption(key, value); });
    }
    setDisabledReason(button,
                      menu->isEmpty() ? tr("No other run of the project has a checkpoint") : QString());
    return menu;
}

void ScoreDialog::setOption(const std::string& key, const std::string& value) {
    values_[kind_->currentData().toString().toStdString()].set(key, value);
    update_();
}

void ScoreDialog::browse(const std::string& key, bool several) {
    auto* dialog = new QFileDialog(this, tr("Choose Files"), project_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(several ? QFileDialog::ExistingFiles : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::filesSelected, this, [this, key](const QStringList& files) {
        QStringList shown;
        for (const QString& file : files) {
            const QString inside = QDir(project_).relativeFilePath(file);
            shown << (inside.startsWith(QStringLiteral("..")) ? file : inside);
        }
        setOption(key, shown.join(QStringLiteral(", ")).toStdString());
    });
    dialog->open();
}

void ScoreDialog::update_() {
    const std::string kind = kind_->currentData().toString().toStdString();
    const ParameterValues& values = values_[kind];
    form_->setValues(values);
    for (const ScoreOption& option : formOf(kind).options)
        if (Field* field = form_->editor(option.parameter.key)->field(); field && !option.if_empty.empty())
            field->setPlaceholder(QString::fromStdString(option.if_empty));
    form_->clearProblems();
    QStringList lines = form_->refused();
    for (const Diagnostic& problem : checkOptions(formOf(kind), values, project_)) {
        form_->setProblem(
            problem.path,
            QString::fromStdString(
                Diagnostic{.path = {}, .rule = problem.rule, .found = problem.found}.message()));
        lines << QString::fromStdString(problem.message());
    }
    if (step_->count() == 0) lines << tr("The run has no checkpoint yet.");
    if (lines.isEmpty() && !commands_.unavailableReason().isEmpty()) lines << commands_.unavailableReason();
    foot_->setProblems(lines);
    foot_->setCommand(commands_.commandForScore(request()));
}

ScoreRequest ScoreDialog::request() const {
    const std::string kind = kind_->currentData().toString().toStdString();
    const auto values = values_.find(kind);
    return {.run = run_->id,
            .step = step_->currentData().toLongLong(),
            .kind = QString::fromStdString(kind),
            .options = optionWords(formOf(kind), values == values_.end() ? ParameterValues{} : values->second,
                                   project_)};
}

QPushButton* ScoreDialog::startButton() const { return foot_->startButton(); }
QString ScoreDialog::command() const { return foot_->command(); }

}  // namespace braid::ui
