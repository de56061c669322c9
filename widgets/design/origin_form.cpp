#include "widgets/design/origin_form.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/format.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/segments.h"

namespace braid::ui {

OriginForm::OriginForm(const ProjectSession& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      choice_(new Segments(tr("Start from"), {tr("Fresh weights"), tr("Checkpoint")})),
      box_(new QWidget),
      runs_(new QComboBox),
      step_(new Field(tr("Step of the checkpoint"))),
      problem_(new TextLabel({}, TypeStep::table, 400, 1)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(metrics::gap2);
    layout->addWidget(ParameterForm::makeRow(tr("Start from"), choice_));
    auto* choice = new QWidget;
    auto* line = new QHBoxLayout(choice);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(metrics::gap2);
    line->addWidget(runs_, 1);
    step_->setFieldWidth(96);
    step_->setPlaceholder(tr("last step"));
    line->addWidget(step_, 0, Qt::AlignTop);
    auto* box = new QVBoxLayout(box_);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(2);
    box->addWidget(ParameterForm::makeRow(tr("Run"), choice));
    problem_->setStatus(QStringLiteral("error"));
    problem_->setWordWrap(true);
    problem_->setContentsMargins(form_label_width + metrics::gap2, 0, 0, 0);
    problem_->hide();
    box->addWidget(problem_);
    layout->addWidget(box_);
    box_->hide();
    runs_->setAccessibleName(tr("Run of the checkpoint"));
    runs_->setMinimumContentsLength(14);
    runs_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    for (const RunPointer& run : session.runs()->runs())
        if (const auto& saved = run->record->status.checkpoint)
            runs_->addItem(tr("%1, step %2").arg(run->name, formatCount(saved->value)),
                           QString::fromStdString(run->id.str()));
    choice_->setCurrent(0);
    if (runs_->count() == 0)
        choice_->setChoiceEnabled(1, false, tr("No run of the project has a checkpoint"));
    connect(choice_, &Segments::chosen, this, [this](int chosen) {
        box_->setVisible(chosen == 1);
        Q_EMIT changed();
    });
    connect(runs_, &QComboBox::activated, this, &OriginForm::changed);
    connect(step_, &Field::edited, this, &OriginForm::changed);
}

QString OriginForm::from() const {
    if (choice_->current() != 1) return {};
    const QString run = runs_->currentData().toString();
    QString step = step_->text().trimmed();
    step.remove(QLatin1Char(','));
    return step.isEmpty() ? run : run + QLatin1Char('@') + step;
}

Diagnostics OriginForm::problems(const ArchitectureSpec& architecture) const {
    if (choice_->current() != 1) return {};
    Diagnostics problems;
    QString step = step_->text().trimmed();
    step.remove(QLatin1Char(','));
    bool number = true;
    if (!step.isEmpty()) step.toLongLong(&number);
    if (!number)
        problems.push_back({.path = "from.step", .rule = "must be a step", .found = step.toStdString()});
    const RunPointer run = session_.run(RunId(runs_->currentData().toString().toStdString()));
    if (!run || !run->plan) return problems;
    // What weights have to fit; windows and positions may change.
    const ArchitectureSpec& other = run->plan->architecture;
    const auto same = [&problems](const char* what, std::int64_t mine, std::int64_t theirs) {
        if (mine != theirs)
            problems.push_back({.path = "from",
                                .rule = std::string("the checkpoint has ") + what + " " +
                                        format_count(theirs) + ", this architecture",
                                .found = format_count(mine)});
    };
    same("a model width of", architecture.d_model, other.d_model);
    same("an FFN width of", architecture.ffn_width, other.ffn_width);
    same("a number of layers of", std::int64_t(architecture.layers.size()),
         std::int64_t(other.layers.size()));
    same("a vocabulary of", architecture.vocab, other.vocab);
    return problems;
}

void OriginForm::showProblems(const Diagnostics& problems) {
    QStringList own;
    QString step;
    for (const Diagnostic& problem : problems) {
        const QString text = QString::fromStdString(
            Diagnostic{.path = {}, .rule = problem.rule, .found = problem.found}.message());
        if (problem.path == "from.step")
            step = text;
        else if (problem.path == "from")
            own << text;
    }
    step_->setError(step);
    problem_->setText(own.join(QLatin1Char('\n')));
    problem_->setVisible(!own.isEmpty());
}

}  // namespace braid::ui
