#include "widgets/design/train_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/spec/cost.h"
#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/format.h"
#include "widgets/common/segments.h"
#include "widgets/design/layer_text.h"
#include "widgets/design/parameter_editor.h"

namespace braid::ui {

namespace {

constexpr int label_width = 116, field_width = 128;

// What everybody sets; the rest of training_parameters() is under "More settings".
const std::vector<std::string>& first_keys() {
    static const std::vector<std::string> keys = {"steps", "context",       "batch",  "micro_batches",
                                                  "seed",  "learning_rate", "device", "checkpoint_every"};
    return keys;
}

// Weights, gradients and optimizer state in f32: what a run holds besides its activations.
double state_bytes(const ArchitectureCost& cost) {
    constexpr double bytes_a_parameter = 4 + 4 + 8;
    return static_cast<double>(cost.total_parameters) * bytes_a_parameter;
}

}  // namespace

TrainDialog::TrainDialog(const ArchitectureSpec& spec, const MixerCatalog& catalog,
                         const QString& project_folder, RunCommands& commands, QWidget* parent)
    : QDialog(parent),
      spec_(spec),
      catalog_(catalog),
      project_folder_(project_folder),
      commands_(commands),
      name_(new Field(tr("Name"))),
      tokens_(new Field(tr("Tokens"), tr("tokens"))),
      corpus_(new Field(tr("Corpus folder"))),
      data_(new Segments(tr("Data"), {tr("Recall task"), tr("Corpus folder")})),
      corpus_row_(new QWidget),
      more_(new QWidget),
      start_(makePrimaryButton(tr("Start Training"), QStringLiteral("play"))),
      more_button_(makeButton(tr("More settings"))),
      summary_(new TextLabel({}, TypeStep::control, 400, 2)),
      command_(new TextLabel({}, TypeStep::table, 400, 2)),
      problem_(new TextLabel({}, TypeStep::table, 500, 1)) {
    setWindowTitle(tr("Train %1").arg(QString::fromStdString(spec.name)));
    setMinimumWidth(520);
    // A text model is not trained at the task's short context.
    const bool tiny = spec.vocab <= 64;
    if (!tiny) {
        training_.context = 1024;
        training_.batch = 8;
    }

    auto* form = new QWidget;
    auto* rows = new QVBoxLayout(form);
    rows->setContentsMargins(metrics::gap4, metrics::gap4, metrics::gap4, metrics::gap2);
    rows->setSpacing(metrics::gap2);
    name_->setText(QString::fromStdString(spec.name));
    addRow(rows, tr("Name"), name_);
    addRow(rows, tr("Data"), data_);
    auto* corpus = new QHBoxLayout(corpus_row_);
    corpus->setContentsMargins(label_width + metrics::gap2, 0, 0, 0);
    corpus->setSpacing(metrics::gap2);
    corpus->addWidget(corpus_, 1);
    QPushButton* browse = makeButton(tr("Browse..."));
    corpus->addWidget(browse, 0, Qt::AlignTop);
    rows->addWidget(corpus_row_);
    rows->addWidget(makeSeparator());
    rows->addWidget(makeEditors(first_keys()));
    tokens_->setFieldWidth(field_width);
    addRow(rows, tr("Tokens in all"), tokens_);
    std::vector<std::string> rest;
    for (const ParameterDescription& parameter : training_parameters()) {
        if (std::find(first_keys().begin(), first_keys().end(), parameter.key) == first_keys().end()) {
            rest.push_back(parameter.key);
        }
    }
    rows->addWidget(more_button_, 0, Qt::AlignLeft);
    auto* more = new QVBoxLayout(more_);
    more->setContentsMargins(0, 0, 0, 0);
    more->addWidget(makeEditors(rest));
    more_->setVisible(false);
    rows->addWidget(more_);
    rows->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidget(form);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    auto* foot = new QVBoxLayout;
    foot->setContentsMargins(metrics::gap4, metrics::gap2, metrics::gap4, metrics::gap4);
    foot->setSpacing(metrics::gap2);
    summary_->setWordWrap(true);
    command_->setWordWrap(true);
    command_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    problem_->setStatus(QStringLiteral("error"));
    problem_->setWordWrap(true);
    foot->addWidget(summary_);
    auto* command = new QHBoxLayout;
    command->addWidget(command_, 1);
    QToolButton* copy = makeIconButton(QStringLiteral("copy"), tr("Copy as command"));
    command->addWidget(copy, 0, Qt::AlignTop);
    foot->addLayout(command);
    foot->addWidget(problem_);
    auto* buttons = new QHBoxLayout;
    QPushButton* cancel = makeButton(tr("Cancel"));
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(start_);
    foot->addLayout(buttons);
    start_->setDefault(true);

    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(scroll, 1);
    all->addWidget(makeSeparator());
    all->addLayout(foot);

    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(start_, &QPushButton::clicked, this, &QDialog::accept);
    connect(copy, &QToolButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(commands_.commandFor(plan())); });
    connect(more_button_, &QPushButton::clicked, this, [this] {
        more_->setVisible(more_->isHidden());
        more_button_->setText(more_->isHidden() ? tr("More settings") : tr("Fewer settings"));
    });
    connect(data_, &Segments::chosen, this, &TrainDialog::update_);
    connect(corpus_, &Field::edited, this, &TrainDialog::update_);
    connect(name_, &Field::edited, this, &TrainDialog::update_);
    connect(tokens_, &Field::committed, this, &TrainDialog::setTokens);
    connect(browse, &QPushButton::clicked, this, [this] {
        auto* dialog = new QFileDialog(this, tr("Corpus Folder"), project_folder_);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::Directory);
        connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
            const QString inside = QDir(project_folder_).relativeFilePath(folder);
            corpus_->setText(inside.startsWith(QStringLiteral("..")) ? folder : inside);
            update_();
        });
        dialog->open();
    });
    data_->setCurrent(tiny ? 0 : 1);
    corpus_->setPlaceholder(tr("folder made by braid-engine corpus build"));
    update_();
    resize(560, 640);
}

void TrainDialog::addRow(QVBoxLayout* layout, const QString& label, QWidget* widget) {
    auto* line = new QHBoxLayout;
    line->setSpacing(metrics::gap2);
    auto* caption = new TextLabel(label, TypeStep::control, 400, 2);
    caption->setFixedSize(label_width, metrics::control);
    line->addWidget(caption, 0, Qt::AlignTop);
    line->addWidget(widget, 1);
    layout->addLayout(line);
}

QWidget* TrainDialog::makeEditors(const std::vector<std::string>& keys) {
    auto* box = new QWidget;
    auto* rows = new QVBoxLayout(box);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(metrics::gap2);
    for (const std::string& key : keys) {
        const ParameterDescription* parameter = find_parameter(training_parameters(), key);
        if (!parameter) {
            continue;
        }
        auto* editor = new ParameterEditor(*parameter, QString());
        if (editor->field()) {
            editor->field()->setFieldWidth(field_width);
        }
        editors_[key] = editor;
        addRow(rows, QString::fromStdString(parameter->label), editor);
        connect(editor, &ParameterEditor::changed, this, [this, key](const ParameterValue& value) {
            set_training_value(training_, key, value);
            update_();
        });
    }
    return box;
}

ParameterEditor* TrainDialog::editor(const std::string& key) const {
    const auto found = editors_.find(key);
    return found == editors_.end() ? nullptr : found->second;
}

void TrainDialog::setTokens(const QString& text) {
    QString plain = text;
    plain.remove(QLatin1Char(',')).remove(QLatin1Char(' '));
    bool good = false;
    const double tokens = plain.toDouble(&good);
    const auto a_step = static_cast<double>(training_.tokens_per_step());
    if (!good || !(tokens > 0) || tokens / a_step > 1e9) {
        tokens_->setError(tr("must be a number of tokens, such as 2e6"));
        return;
    }
    tokens_->setError({});
    training_.steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(tokens / a_step)));
    update_();
}

QString TrainDialog::problem() const {
    if (data_->current() == 1) {
        const QString folder = corpus_->text().trimmed();
        if (folder.isEmpty()) {
            return tr("Choose a corpus folder.");
        }
        if (!QFileInfo(QDir(project_folder_), folder).isDir()) {
            return tr("There is no folder \"%1\".").arg(folder);
        }
    }
    QStringList problems;
    for (const Diagnostic& diagnostic : validate(training_)) {
        problems << QString::fromStdString(diagnostic.message());
    }
    return problems.isEmpty() ? commands_.unavailableReason() : problems.join(QLatin1Char('\n'));
}

void TrainDialog::update_() {
    for (const auto& [key, editor] : editors_) {
        editor->setValue(training_value(training_, key));
    }
    const std::int64_t tokens = training_.tokens_per_step() * training_.steps;
    if (!tokens_->lineEdit()->hasFocus()) {
        tokens_->setText(formatCount(tokens));
    }
    corpus_row_->setVisible(data_->current() == 1);
    const ArchitectureCost price = cost(spec_, catalog_, training_.context);
    const double flops = price.training_flops_per_token * static_cast<double>(tokens);
    summary_->setText(
        tr("%1 parameters; %2 tokens in %3 steps of %4; %5 FLOPs; weights, gradients and optimizer "
           "take %6 besides activations.")
            .arg(quantityText(static_cast<double>(price.total_parameters)),
                 quantityText(static_cast<double>(tokens)), formatCount(training_.steps),
                 quantityText(static_cast<double>(training_.tokens_per_step())), quantityText(flops, 3),
                 byteText(state_bytes(price))));
    command_->setFont(Theme::instance().mono(TypeStep::tick));
    command_->setText(commands_.commandFor(plan()));
    const QString wrong = problem();
    problem_->setText(wrong);
    problem_->setVisible(!wrong.isEmpty());
    setDisabledReason(start_, wrong);
}

QString TrainDialog::summary() const { return summary_->text(); }

TrainingPlan TrainDialog::plan() const {
    TrainingPlan plan;
    plan.name = name_->text().trimmed();
    plan.architecture = spec_;
    plan.training = training_;
    if (data_->current() == 1) {
        plan.data.kind = "corpus";
        plan.data.corpus = corpus_->text().trimmed().toStdString();
    }
    return plan;
}

}  // namespace braid::ui
