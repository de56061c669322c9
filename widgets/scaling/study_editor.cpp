#include "widgets/scaling/study_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QMetaObject>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "core/mixers/builtin.h"
#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/format.h"
#include "widgets/common/latest_worker.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_list_model.h"
#include "widgets/design/data_form.h"
#include "widgets/scaling/fact_list.h"
#include "widgets/scaling/study_forecast.h"
#include "widgets/scaling/study_lines.h"

namespace braid::ui {

namespace {

constexpr int check_ms = 250;

std::vector<std::string> trainingKeys() {
    std::vector<std::string> keys;
    for (const ParameterDescription& parameter : training_parameters())
        if (parameter.key != "seed") keys.push_back(parameter.key);
    return keys;
}

// "variants[2].pattern" belongs to "variants", "fit.excluded[0]" to "fit.excluded".
std::string listOf(const std::string& path) {
    const std::size_t end = path.find('[');
    return path.substr(0, end);
}

QString lineText(const Diagnostic& problem) {
    const std::size_t begin = problem.path.find('['), end = problem.path.find(']');
    QString text;
    if (begin != std::string::npos && end != std::string::npos)
        text = StudyEditor::tr("line %1: ")
                   .arg(QString::fromStdString(problem.path.substr(begin + 1, end - begin - 1)).toInt() + 1);
    text += QString::fromStdString(problem.rule);
    if (!problem.found.empty())
        text += StudyEditor::tr(", got %1").arg(QString::fromStdString(problem.found));
    return text;
}

QScrollArea* scrolling(QWidget* content) {
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
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

StudySpec firstGridStudy(const std::string& name) {
    StudySpec spec;
    spec.name = name;
    spec.title = "Windows by scale";
    spec.variants = {{.label = "Full", .pattern = "F"}, {.label = "Window 16", .pattern = "FS[w=16]"}};
    spec.scales = {{.name = "tiny"}};
    spec.budgets = {5, 10, 20};
    spec.measure.metric = "loss";
    return spec;
}

StudyEditor::StudyEditor(const ProjectSession& session, const StudySpec& spec, bool isNew, QWidget* parent)
    : QDialog(parent),
      session_(session),
      spec_(spec),
      before_(spec),
      isNew_(isNew),
      name_(new Field(tr("Name"))),
      title_(new Field(tr("Title"))),
      budgets_(new Field(tr("Budgets, tokens per parameter"))),
      seeds_(new Field(tr("Seeds"))),
      metric_(new Field(tr("Measure"))),
      metrics_(new Field(tr("Fitted metrics"))),
      branching_(new QCheckBox(tr("Budgets share their stable part (branching)"))),
      form_(new QComboBox),
      data_(new DataForm(session.folder())),
      training_(new ParameterForm(training_parameters(), trainingKeys())),
      facts_(new FactList),
      problem_(new TextLabel({}, TypeStep::table)),
      save_(makePrimaryButton(isNew ? tr("Create study") : tr("Save study"))),
      throttle_(check_ms, this, [this] { check(); }),
      worker_(std::make_unique<LatestWorker>()) {
    setWindowTitle(isNew ? tr("New grid study") : tr("Edit %1").arg(QString::fromStdString(spec.name)));
    auto* columns = new QHBoxLayout;
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(0);
    columns->addWidget(scrolling(makeLeft()), 1);
    columns->addWidget(makeSeparator(Qt::Vertical));
    columns->addWidget(scrolling(makeRight()), 1);
    auto* foot = new QWidget;
    auto* line = new QHBoxLayout(foot);
    line->setContentsMargins(metrics::gap4, metrics::gap2, metrics::gap4, metrics::gap2);
    problem_->setWordWrap(true);
    problem_->setStatus(QStringLiteral("error"));
    auto* cancel = makeButton(tr("Cancel"));
    line->addWidget(facts_, 2);
    line->addSpacing(metrics::gap4);
    line->addWidget(problem_, 3);
    line->addWidget(cancel, 0, Qt::AlignBottom);
    line->addWidget(save_, 0, Qt::AlignBottom);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(columns, 1);
    all->addWidget(makeSeparator());
    all->addWidget(foot);

    name_->setText(QString::fromStdString(spec.name));
    name_->setEnabled(isNew);
    title_->setText(QString::fromStdString(spec.title));
    lists_["variants"].edit->setPlainText(variantLines(spec.variants));
    lists_["scales"].edit->setPlainText(scaleLines(spec.scales));
    lists_["axes"].edit->setPlainText(axisLines(spec.axes));
    lists_["excluded"].edit->setPlainText(textOf(spec.excluded));
    lists_["fit.held_out"].edit->setPlainText(textOf(spec.fit.held_out));
    lists_["fit.excluded"].edit->setPlainText(textOf(spec.fit.excluded));
    budgets_->setText(budgetText(spec.budgets));
    budgets_->setPlaceholder(tr("tokens per parameter: 100, 200; none: the steps of Training"));
    seeds_->setText(seedText(spec.seeds));
    metric_->setText(QString::fromStdString(spec.measure.metric));
    metrics_->setText(textOf(spec.fit.metrics).replace(QLatin1Char('\n'), QStringLiteral(", ")));
    branching_->setChecked(spec.branching);
    form_->setCurrentIndex(spec.fit.form == "chinchilla" ? 1 : 0);
    data_->setData(spec.data);
    ParameterValues values;
    for (const std::string& key : trainingKeys()) values.set(key, training_value(spec.training, key));
    training_->setValues(values);

    for (const auto& [key, list] : lists_)
        connect(list.edit, &QPlainTextEdit::textChanged, this, &StudyEditor::read);
    for (Field* field : {name_, title_, budgets_, seeds_, metric_, metrics_})
        connect(field, &Field::edited, this, &StudyEditor::read);
    connect(branching_, &QCheckBox::toggled, this, &StudyEditor::read);
    connect(form_, &QComboBox::activated, this, &StudyEditor::read);
    connect(data_, &DataForm::changed, this, &StudyEditor::read);
    connect(training_, &ParameterForm::changed, this,
            [this](const std::string& key, const ParameterValue& value) {
                set_training_value(spec_.training, key, value);
                ParameterValues now;
                for (const std::string& each : trainingKeys())
                    now.set(each, training_value(spec_.training, each));
                training_->setValues(now);
                read();
            });
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(save_, &QPushButton::clicked, this, &QDialog::accept);
    read();
    const QSize room = screen() ? screen()->availableSize() : QSize(1440, 900);
    resize(std::min(980, room.width() - 40), std::min(760, room.height() - 60));
}

StudyEditor::~StudyEditor() = default;

QPlainTextEdit* StudyEditor::list(const std::string& key) const {
    const auto found = lists_.find(key);
    return found == lists_.end() ? nullptr : found->second.edit;
}

QString StudyEditor::problemAt(const std::string& key) const {
    const auto found = lists_.find(key);
    return found == lists_.end() ? QString() : found->second.problem->text();
}

QString StudyEditor::problemText() const {
    QStringList lines;
    for (const Diagnostic& problem : problems_) lines << QString::fromStdString(problem.message());
    return lines.join(QLatin1Char('\n'));
}

QString StudyEditor::summary() const { return facts_->text(); }

QWidget* StudyEditor::makeList(const std::string& key, const QString& title, const QString& hint, int lines) {
    auto* box = new QWidget;
    auto* rows = new QVBoxLayout(box);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(metrics::gap1);
    rows->addWidget(new TextLabel(title, TypeStep::control, 600));
    auto* edit = new QPlainTextEdit;
    edit->setAccessibleName(title);
    edit->setAccessibleDescription(hint);
    edit->setPlaceholderText(hint);
    edit->setFont(Theme::instance().mono(TypeStep::table));
    edit->setTabChangesFocus(true);
    edit->setLineWrapMode(QPlainTextEdit::NoWrap);
    edit->setFixedHeight(edit->fontMetrics().lineSpacing() * lines + 16);
    rows->addWidget(edit);
    auto* note = new TextLabel(hint, TypeStep::tick, 400, 3);
    note->setWordWrap(true);
    rows->addWidget(note);
    auto* problem = new TextLabel({}, TypeStep::table);
    problem->setStatus(QStringLiteral("error"));
    problem->setWordWrap(true);
    problem->hide();
    rows->addWidget(problem);
    lists_[key] = {edit, problem};
    return box;
}

QWidget* StudyEditor::makeLeft() {
    auto* left = new QWidget;
    QVBoxLayout* column = columnOf(left);
    column->addWidget(ParameterForm::makeRow(tr("Name"), name_));
    column->addWidget(ParameterForm::makeRow(tr("Title"), title_));
    column->addWidget(makeList("variants", tr("Architectures"),
                               tr("LABEL = PATTERN, or LABEL = @NAME of the project; a line each"), 6));
    column->addWidget(
        makeList("scales", tr("Scales"),
                 tr("tiny, S1 to S5, or NAME = layers d_model ffn heads kv_heads head_dim vocab"), 4));
    column->addWidget(ParameterForm::makeRow(tr("Budgets D/N"), budgets_));
    column->addWidget(ParameterForm::makeRow(tr("Seeds"), seeds_));
    column->addWidget(branching_);
    column->addWidget(makeList("axes", tr("Further axes"),
                               tr("learning_rate = 0.001, 0.003; data.pairs = 4, 8; swa.window = 8, 32; a "
                                  "$word of the patterns = 4, 16"),
                               3));
    column->addWidget(
        makeList("excluded", tr("Not trained"), tr("scale=S5, budget>200: too much; a line each"), 2));
    column->addStretch(1);
    return left;
}

QWidget* StudyEditor::makeRight() {
    auto* right = new QWidget;
    QVBoxLayout* column = columnOf(right);
    column->addWidget(new SectionTitle(tr("Fit")));
    column->addWidget(ParameterForm::makeRow(tr("Measure"), metric_));
    metrics_->setPlaceholder(tr("the measure"));
    column->addWidget(ParameterForm::makeRow(tr("Fitted metrics"), metrics_));
    form_->addItems({QStringLiteral("L = a N⁻ᵅ + b D⁻ᵝ"), QStringLiteral("L = E + a N⁻ᵅ + b D⁻ᵝ")});
    form_->setAccessibleName(tr("Law"));
    column->addWidget(ParameterForm::makeRow(tr("Law"), form_));
    column->addWidget(makeList("fit.held_out", tr("Held out"), tr("scale=S4; a line each"), 2));
    column->addWidget(makeList("fit.excluded", tr("Excluded from the fit"),
                               tr("scale=S1, budget=100: too early; a line each"), 3));
    column->addWidget(makeSeparator());
    column->addWidget(new SectionTitle(tr("Data")));
    column->addWidget(data_);
    column->addWidget(makeSeparator());
    column->addWidget(new SectionTitle(tr("Training"), tr("of every run")));
    column->addWidget(training_);
    column->addStretch(1);
    return right;
}

void StudyEditor::read() {
    syntax_.clear();
    const auto take = [this](auto parsed, auto& into) {
        if (parsed)
            into = *std::move(parsed);
        else
            syntax_.insert(syntax_.end(), parsed.error().begin(), parsed.error().end());
    };
    spec_.name = name_->text().trimmed().toStdString();
    spec_.title = title_->text().trimmed().toStdString();
    take(parseVariants(lists_["variants"].edit->toPlainText(), before_.variants), spec_.variants);
    take(parseScales(lists_["scales"].edit->toPlainText(), before_.scales), spec_.scales);
    take(parseAxes(lists_["axes"].edit->toPlainText()), spec_.axes);
    take(parseBudgets(budgets_->text()), spec_.budgets);
    take(parse_seeds(seeds_->text().toStdString()), spec_.seeds);
    spec_.excluded = linesOf(lists_["excluded"].edit->toPlainText());
    spec_.fit.held_out = linesOf(lists_["fit.held_out"].edit->toPlainText());
    spec_.fit.excluded = linesOf(lists_["fit.excluded"].edit->toPlainText());
    spec_.fit.metrics = linesOf(metrics_->text().replace(QLatin1Char(','), QLatin1Char('\n')));
    spec_.fit.form = form_->currentIndex() == 1 ? "chinchilla" : "power2";
    spec_.measure.metric = metric_->text().trimmed().toStdString();
    spec_.branching = branching_->isChecked();
    spec_.data = data_->data();
    checked_ = false;
    setDisabledReason(save_, tr("It is being checked"));
    throttle_.request();
}

void StudyEditor::check() {
    const int question = ++asked_;
    Diagnostics known = syntax_;
    if (isNew_ && session_.study(QString::fromStdString(spec_.name)))
        known.push_back({"name", "must differ from the project's other studies", spec_.name});
    std::map<std::string, std::shared_ptr<const ArchitectureSpec>> architectures;
    for (const ArchitectureEntry& entry : session_.architectures())
        architectures[entry.name.toStdString()] = entry.spec;
    worker_->post(0, [this, question, known, spec = spec_, architectures] {
        Diagnostics problems = known;
        StudyCost cost;
        std::size_t points = 0;
        if (problems.empty()) problems = validate(spec);
        if (problems.empty()) {
            const auto find = [&](const std::string& name) -> Checked<ArchitectureSpec> {
                const auto found = architectures.find(name);
                if (found == architectures.end() || !found->second)
                    return tl::unexpected<Diagnostics>(
                        {{{}, "must be an architecture of the project", name}});
                return *found->second;
            };
            const Checked<std::vector<PlannedPoint>> planned =
                plan_study(spec, {.catalog = builtin_mixers(), .find_architecture = find});
            if (planned) {
                points = planned->size();
                cost = study_cost(spec, *planned, builtin_mixers());
            } else {
                problems = planned.error();
            }
        }
        QMetaObject::invokeMethod(this, [this, question, problems, cost, points] {
            if (question == asked_) show(problems, cost, points);
        });
    });
}

void StudyEditor::show(const Diagnostics& problems, const StudyCost& cost, std::size_t points) {
    problems_ = problems;
    checked_ = true;
    std::map<std::string, QStringList> at;
    QStringList others;
    training_->clearProblems();
    Diagnostics of_data;
    for (const Diagnostic& problem : problems) {
        const std::string key = listOf(problem.path);
        const std::string training =
            problem.path.starts_with("training.") ? problem.path.substr(9) : std::string();
        if (lists_.contains(key) || key == "budgets" || key == "seeds" || key == "name")
            at[key] << lineText(problem);
        else if (!training.empty() && training_->has(training))
            training_->setProblem(training, lineText(problem));
        else if (problem.path.starts_with("data"))
            of_data.push_back(problem);
        else
            others << QString::fromStdString(problem.message());
    }
    data_->showProblems(of_data);
    for (const auto& [key, list] : lists_) {
        list.problem->setText(at[key].mid(0, 4).join(QLatin1Char('\n')));
        list.problem->setVisible(!at[key].isEmpty());
    }
    budgets_->setError(at["budgets"].mid(0, 2).join(QStringLiteral("; ")));
    seeds_->setError(at["seeds"].join(QStringLiteral("; ")));
    name_->setError(at["name"].join(QStringLiteral("; ")));
    if (others.isEmpty() && !problems.empty())
        others << (problems.size() == 1 ? tr("One problem, at its field")
                                        : tr("%1 problems, each at its field").arg(problems.size()));
    problem_->setText(others.mid(0, 3).join(QLatin1Char('\n')));
    setDisabledReason(save_, problems.empty() ? QString() : problem_->text());
    if (!problems.empty()) return facts_->setFacts({{tr("Runs"), QStringLiteral("–")}});
    std::vector<FactList::Fact> facts{{tr("Runs"), formatCount(std::int64_t(points))},
                                      {tr("Tokens to train"), formatSi(double(cost.tokens))}};
    if (cost.tokens_saved > 0)
        facts.push_back({tr("Saved by branching"), formatSi(double(cost.tokens_saved))});
    facts.push_back({tr("FLOPs"), formatSi(cost.flops)});
    facts.push_back({tr("Checkpoints"), formatBytes(double(cost.disk_bytes))});
    const std::vector<DeviceSpeed> speeds = deviceSpeeds(session_.runs()->runs());
    for (const DeviceSpeed& speed : speeds)
        facts.push_back({onDevice(tr("Time"), tr("Time on %1"), speed),
                         formatDuration(cost.flops / speed.flops_per_second)});
    if (speeds.empty()) facts.push_back({tr("Time"), tr("not known: nothing has been trained here")});
    facts_->setFacts(facts);
}

}  // namespace braid::ui
