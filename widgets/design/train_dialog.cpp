#include "widgets/design/train_dialog.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/count.h"
#include "core/spec/cost.h"
#include "core/spec/paper_recipe.h"
#include "core/spec/scale.h"
#include "core/spec/shorthand.h"
#include "widgets/common/command_foot.h"
#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/format.h"
#include "widgets/common/parameter_editor.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/project_session.h"
#include "widgets/design/data_form.h"
#include "widgets/design/layer_text.h"
#include "widgets/design/origin_form.h"
#include "widgets/design/phases_form.h"

namespace braid::ui {

namespace {

// What everybody sets; the rest of training_parameters() is under "More settings".
const std::vector<std::string>& first_keys() {
    static const std::vector<std::string> keys = {"steps", "context",       "batch",      "micro_batches",
                                                  "seed",  "learning_rate", "device",     "gpus",
                                                  "loss",  "longce_window", "longce_cap", "checkpoint_every"};
    return keys;
}

std::vector<std::string> other_keys() {
    std::vector<std::string> keys;
    for (const ParameterDescription& parameter : training_parameters())
        if (std::find(first_keys().begin(), first_keys().end(), parameter.key) == first_keys().end())
            keys.push_back(parameter.key);
    return keys;
}

// Weights, gradients and optimizer state in f32: what a run holds besides its activations.
double state_bytes(const ArchitectureCost& cost) {
    constexpr double bytes_a_parameter = 4 + 4 + 8;
    return static_cast<double>(cost.total_parameters) * bytes_a_parameter;
}

const Scale* scale_of(const ArchitectureSpec& spec) {
    for (const Scale& scale : scales())
        if (scale.d_model == spec.d_model && scale.heads == spec.heads && scale.kv_heads == spec.kv_heads &&
            scale.head_dim == spec.head_dim && scale.ffn_width == spec.ffn_width)
            return &scale;
    return nullptr;
}

// The N of a budget: that of the scale's Full model.
std::int64_t budget_parameters(const Scale& scale, const MixerCatalog& catalog) {
    const ArchitectureSpec full = instantiate(*parse_pattern("F", catalog), scale);
    return cost(full, catalog, paper_context).non_embedding_parameters;
}

QScrollArea* scrolling(QWidget* content) {
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // Nothing is cut at the right: the scroll bar stands beside the content.
    scroll->setMinimumWidth(content->minimumSizeHint().width() + 20);
    return scroll;
}

QVBoxLayout* columnOf(QWidget* widget) {
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(metrics::gap4, metrics::gap3, metrics::gap4, metrics::gap3);
    column->setSpacing(metrics::gap2);
    return column;
}

}  // namespace

TrainDialog::TrainDialog(const ArchitectureSpec& spec, const MixerCatalog& catalog,
                         const ProjectSession& session, RunCommands& commands, QWidget* parent)
    : QDialog(parent),
      spec_(spec),
      catalog_(catalog),
      commands_(commands),
      data_(new DataForm(session.folder())),
      phases_(new PhasesForm),
      origin_(new OriginForm(session)),
      main_(new ParameterForm(training_parameters(), first_keys())),
      more_(new ParameterForm(training_parameters(), other_keys())),
      name_(new Field(tr("Name"))),
      tokens_(new Field(tr("Tokens"), tr("tokens"))),
      ratio_(new Field(tr("Tokens per parameter"), tr("tokens per parameter"))),
      more_button_(makeButton(tr("More settings"))),
      recipe_(makeButton(tr("Paper's recipe"))),
      foot_(new CommandFoot(tr("Start Training"))) {
    setWindowTitle(tr("Train %1").arg(QString::fromStdString(spec.name)));
    // A text model is not trained at the tasks' short context.
    const bool tiny = spec.vocab <= 64;
    if (!tiny) {
        training_.context = 1024;
        training_.batch = 8;
        data_->setKind(std::string(corpus_kind));
    }
    if (const Scale* scale = scale_of(spec)) scale_ = scale->name;

    auto* columns = new QHBoxLayout;
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(0);
    columns->addWidget(scrolling(makeLeft()), 1);
    columns->addWidget(makeSeparator(Qt::Vertical));
    columns->addWidget(scrolling(makeRight()), 1);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(columns, 1);
    all->addWidget(makeSeparator());
    all->addWidget(foot_);

    for (ParameterForm* form : {main_, more_}) {
        connect(form, &ParameterForm::refusedChanged, this, &TrainDialog::showProblems);
        connect(form, &ParameterForm::changed, this,
                [this](const std::string& key, const ParameterValue& value) {
                    set_training_value(training_, key, value);
                    update_();
                });
    }
    connect(foot_, &CommandFoot::started, this, &QDialog::accept);
    connect(foot_, &CommandFoot::cancelled, this, &QDialog::reject);
    connect(data_, &DataForm::changed, this, &TrainDialog::update_);
    connect(data_, &DataForm::refusedChanged, this, &TrainDialog::showProblems);
    connect(phases_, &PhasesForm::changed, this, &TrainDialog::update_);
    connect(origin_, &OriginForm::changed, this, &TrainDialog::update_);
    connect(name_, &Field::edited, this, &TrainDialog::update_);
    connect(tokens_, &Field::committed, this, &TrainDialog::setTokens);
    connect(recipe_, &QPushButton::clicked, this, &TrainDialog::applyRecipe);
    connect(ratio_->lineEdit(), &QLineEdit::returnPressed, this, &TrainDialog::applyRecipe);
    update_();
    const QSize room = screen() ? screen()->availableSize() : QSize(1440, 900);
    resize(std::min(980, room.width() - 40), std::min(720, room.height() - 60));
}

QWidget* TrainDialog::makeLeft() {
    auto* left = new QWidget;
    QVBoxLayout* column = columnOf(left);
    name_->setText(QString::fromStdString(spec_.name));
    column->addWidget(ParameterForm::makeRow(tr("Name"), name_));
    column->addWidget(makeSeparator());
    column->addWidget(data_);
    column->addWidget(makeSeparator());
    column->addWidget(origin_);
    column->addWidget(makeSeparator());
    column->addWidget(new SectionTitle(tr("Phases")));
    column->addWidget(phases_);
    column->addStretch(1);
    return left;
}

QWidget* TrainDialog::makeRight() {
    auto* right = new QWidget;
    QVBoxLayout* column = columnOf(right);
    auto* recipe = new QWidget;
    auto* line = new QHBoxLayout(recipe);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(metrics::gap2);
    ratio_->setFieldWidth(56);
    ratio_->setText(QStringLiteral("100"));
    line->addWidget(recipe_);
    line->addWidget(ratio_, 1);
    column->addWidget(ParameterForm::makeRow(tr("Recipe"), recipe));
    recipe_->setToolTip(
        tr("Batch, learning rate and schedule of Table 8 for this scale; as many tokens as "
           "the number says for each parameter of the Full model"));
    const bool known = !scale_.empty() && paper_training(scale_, 1, 1).has_value();
    setDisabledReason(recipe_, known ? QString() : tr("The paper's recipe is for the scales S1 to S5"));
    if (known) recipe_->setText(tr("Paper, %1").arg(QString::fromStdString(scale_)));
    column->addWidget(makeSeparator());
    column->addWidget(main_);
    tokens_->setFieldWidth(form_field_width);
    column->addWidget(ParameterForm::makeRow(tr("Tokens in all"), tokens_));
    column->addWidget(more_button_, 0, Qt::AlignLeft);
    column->addWidget(more_);
    column->addStretch(1);
    more_->setVisible(false);
    connect(more_button_, &QPushButton::clicked, this, [this] {
        more_->setVisible(more_->isHidden());
        more_button_->setText(more_->isHidden() ? tr("More settings") : tr("Fewer settings"));
    });
    return right;
}

ParameterEditor* TrainDialog::editor(const std::string& key) const {
    return main_->has(key) ? main_->editor(key) : more_->editor(key);
}

void TrainDialog::setTokens(const QString& text) {
    QString plain = text;
    plain.remove(QLatin1Char(' '));
    const Checked<std::int64_t> count = parse_count(plain.toStdString(), {});
    const auto a_step = static_cast<double>(training_.tokens_per_step());
    const double tokens = count ? static_cast<double>(*count) : 0;
    if (!count || tokens / a_step > 1e9) {
        tokens_->setError(tr("must be a number of tokens, such as 2.5M or 2e6"));
        tokensRefusal_ = tr("Tokens: must be a number of tokens, such as 2.5M or 2e6, got %1").arg(text);
        return showProblems();
    }
    tokens_->setError({});
    tokensRefusal_.clear();
    training_.steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(tokens / a_step)));
    update_();
}

void TrainDialog::applyRecipe() {
    const Scale* scale = find_scale(scale_);
    QString plain = ratio_->text().trimmed();
    bool good = false;
    const double ratio = plain.toDouble(&good);
    const bool allowed = good && ratio > 0 && ratio <= 1e6;
    ratio_->setError(allowed ? QString() : tr("must be a number such as 100"));
    if (!scale || !allowed) return;
    std::optional<TrainingSpec> recipe =
        paper_training(scale->name, budget_parameters(*scale, catalog_), ratio);
    if (!recipe) return;
    // What is no part of the recipe stays as it was chosen.
    recipe->seed = training_.seed;
    recipe->device = training_.device;
    recipe->threads = training_.threads;
    recipe->init = training_.init;
    recipe->loss = training_.loss;
    training_ = *recipe;
    update_();
}

Diagnostics TrainDialog::problems() const {
    Diagnostics all;
    const auto take = [&all](Diagnostics more) {
        for (Diagnostic& one : more)
            if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
    };
    for (Diagnostic problem : validate(training_)) {
        problem.path = "training." + problem.path;
        take({std::move(problem)});
    }
    take(data_->problems(training_, spec_.vocab));
    take(origin_->problems(spec_));
    if (phases_->hasBrokenText())
        take({{.path = "phases", .rule = "a phase is not complete", .found = {}}});
    else if (all.empty()) {
        const auto resolved = resolve_phases(spec_, training_, data_->data(), phases_->phases(), catalog_);
        if (!resolved)
            take(resolved.error());
        else
            for (std::size_t i = 1; i < resolved->size(); ++i)
                for (Diagnostic problem : data_->problems((*resolved)[i].training, spec_.vocab)) {
                    problem.path = "phases[" + std::to_string(i - 1) + "]." + problem.path;
                    take({std::move(problem)});
                }
    }
    return all;
}

void TrainDialog::showProblems() {
    const Diagnostics all = problems();
    constexpr std::string_view training_prefix = "training.";
    for (ParameterForm* form : {main_, more_}) form->clearProblems();
    QStringList lines = main_->refused() + more_->refused() + data_->refused();
    if (!tokensRefusal_.isEmpty()) lines << tokensRefusal_;
    if (!more_->refused().isEmpty() && more_->isHidden()) more_button_->click();
    for (const Diagnostic& problem : all) {
        lines << QString::fromStdString(problem.message());
        if (!problem.path.starts_with(training_prefix)) continue;
        const std::string key = problem.path.substr(training_prefix.size());
        const QString text = QString::fromStdString(
            Diagnostic{.path = {}, .rule = problem.rule, .found = problem.found}.message());
        for (ParameterForm* form : {main_, more_}) form->setProblem(key, text);
        if (more_->has(key) && more_->isHidden()) more_button_->click();
    }
    data_->showProblems(all);
    origin_->showProblems(all);
    phases_->showProblems(all);
    if (lines.isEmpty() && !commands_.unavailableReason().isEmpty()) lines << commands_.unavailableReason();
    foot_->setProblems(lines);
}

void TrainDialog::update_() {
    ParameterValues values;
    for (const ParameterDescription& parameter : training_parameters())
        values.set(parameter.key, training_value(training_, parameter.key));
    main_->setValues(values);
    more_->setValues(values);
    const std::int64_t first = training_.tokens_per_step() * training_.steps;
    if (!tokens_->lineEdit()->hasFocus()) {
        tokens_->setText(formatCount(first));
        tokens_->setError({});
        tokensRefusal_.clear();
    }
    const std::int64_t steps = total_steps(training_, phases_->phases());
    const auto tokens = static_cast<double>(tokens_after(training_, phases_->phases(), Step(steps)).value);
    const ArchitectureCost price = cost(spec_, catalog_, training_.context);
    QString text =
        tr("%1 parameters; %2 tokens in %3 steps of %4 tokens; %5 FLOPs; weights, gradients and "
           "optimizer take %6 besides activations.")
            .arg(quantityText(static_cast<double>(price.total_parameters)), quantityText(tokens),
                 formatCount(steps), formatCount(training_.tokens_per_step()),
                 quantityText(price.training_flops_per_token * tokens, 3), byteText(state_bytes(price)));
    if (!phases_->phases().empty()) text = tr("%1 phases. ").arg(phases_->phases().size() + 1) + text;
    foot_->setSummary(text);
    foot_->setCommand(commands_.commandFor(plan()));
    showProblems();
}

QPushButton* TrainDialog::startButton() const { return foot_->startButton(); }
QString TrainDialog::summary() const { return foot_->summary(); }
QString TrainDialog::problemText() const { return foot_->problemText(); }

TrainingPlan TrainDialog::plan() const {
    TrainingPlan plan;
    plan.name = name_->text().trimmed();
    plan.architecture = spec_;
    plan.training = training_;
    plan.data = data_->data();
    if (plan.data.kind != corpus_kind) plan.data.corpus.clear();
    plan.phases = phases_->phases();
    plan.from = origin_->from();
    return plan;
}

}  // namespace braid::ui
