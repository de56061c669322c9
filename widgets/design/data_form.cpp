#include "widgets/design/data_form.h"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QThreadPool>
#include <QVBoxLayout>
#include <algorithm>

#include "core/spec/task_kind.h"
#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/format.h"
#include "widgets/common/parameter_editor.h"
#include "widgets/common/parameter_form.h"
#include "widgets/design/layer_text.h"

namespace braid::ui {

namespace {

constexpr std::string_view data_prefix = "data.";

// Folders and files of the project are told relative to it.
QString inside(const QString& project, const QString& path) {
    const QString relative = QDir(project).relativeFilePath(path);
    return relative.startsWith(QStringLiteral("..")) ? path : relative;
}

}  // namespace

DataForm::DataForm(const QString& project_folder, QWidget* parent)
    : QWidget(parent),
      project_folder_(project_folder),
      kind_(new QComboBox),
      corpora_(new QComboBox),
      corpus_box_(new QWidget),
      help_(new TextLabel({}, TypeStep::table, 400, 3)),
      facts_(new TextLabel({}, TypeStep::table, 400, 2)),
      data_problem_(new TextLabel({}, TypeStep::table, 400, 1)),
      corpus_error_(new TextLabel({}, TypeStep::table, 400, 1)),
      layout_(new QVBoxLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(metrics::gap2);
    kind_->setAccessibleName(tr("Data"));
    for (const TaskKind* task : tasks())
        kind_->addItem(QString::fromStdString(task->title), QString::fromStdString(task->id));
    kind_->addItem(tr("Corpus of text"),
                   QString::fromUtf8(corpus_kind.data(), qsizetype(corpus_kind.size())));
    layout_->addWidget(ParameterForm::makeRow(tr("Data"), kind_));
    help_->setWordWrap(true);
    help_->setContentsMargins(form_label_width + metrics::gap2, 0, 0, 0);
    layout_->addWidget(help_);
    for (TextLabel* problem : {data_problem_, corpus_error_}) {
        problem->setStatus(QStringLiteral("error"));
        problem->setWordWrap(true);
        problem->hide();
    }
    data_problem_->setContentsMargins(form_label_width + metrics::gap2, 0, 0, 0);
    layout_->addWidget(data_problem_);

    corpora_->setEditable(true);
    corpora_->setInsertPolicy(QComboBox::NoInsert);
    corpora_->setAccessibleName(tr("Corpus folder"));
    corpora_->lineEdit()->setAccessibleName(tr("Corpus folder"));
    corpora_->lineEdit()->setPlaceholderText(tr("folder made by braid-engine corpus build"));
    corpora_->setMinimumContentsLength(16);
    corpora_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    auto* choice = new QWidget;
    auto* line = new QHBoxLayout(choice);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(metrics::gap2);
    line->addWidget(corpora_, 1);
    QPushButton* browse_button = makeButton(tr("Browse..."));
    line->addWidget(browse_button);
    auto* box = new QVBoxLayout(corpus_box_);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(metrics::gap1);
    box->addWidget(ParameterForm::makeRow(tr("Corpus"), choice));
    for (TextLabel* below : {corpus_error_, facts_}) {
        below->setWordWrap(true);
        below->setContentsMargins(form_label_width + metrics::gap2, 0, 0, 0);
        box->addWidget(below);
    }
    layout_->addWidget(corpus_box_);

    connect(kind_, &QComboBox::activated, this,
            [this] { setKind(kind_->currentData().toString().toStdString()); });
    connect(corpora_, &QComboBox::activated, this, [this] { setCorpus(corpora_->currentText()); });
    connect(corpora_->lineEdit(), &QLineEdit::editingFinished, this,
            [this] { setCorpus(corpora_->currentText()); });
    connect(browse_button, &QPushButton::clicked, this, [this] { browse(false); });
    rebuild();
    // The project is looked through elsewhere: a corpus may lie on a slow disk.
    QPointer<DataForm> self(this);
    QThreadPool::globalInstance()->start([self, folder = project_folder.toStdString()] {
        std::vector<CorpusSummary> found = find_corpora(folder);
        QMetaObject::invokeMethod(qApp, [self, found = std::move(found)] {
            if (!self) return;
            for (const CorpusSummary& corpus : found) {
                self->known_.push_back(corpus);
                self->corpora_->addItem(QString::fromStdString(corpus.folder));
            }
            self->corpora_->setCurrentIndex(-1);
            if (self->data_.corpus.empty() && !found.empty()) {
                self->data_.corpus = found.front().folder;
            }
            self->corpora_->setEditText(QString::fromStdString(self->data_.corpus));
            self->refresh();
            Q_EMIT self->changed();
        });
    });
}

void DataForm::setKind(const std::string& kind) {
    kind_->setCurrentIndex(kind_->findData(QString::fromStdString(kind)));
    if (kind == data_.kind) return;
    data_.kind = kind;
    data_.parameters = {};
    rebuild();
    Q_EMIT changed();
}

void DataForm::setCorpus(const QString& folder) {
    const QString shown = folder.trimmed();
    if (shown.toStdString() == data_.corpus) return;
    data_.corpus = shown.toStdString();
    corpora_->setEditText(shown);
    lookUp(shown);
    refresh();
    Q_EMIT changed();
}

void DataForm::setData(const DataSpec& data) {
    setKind(data.kind);
    if (!data.corpus.empty()) setCorpus(QString::fromStdString(data.corpus));
    data_.parameters = data.parameters;
    refresh();
    Q_EMIT changed();
}

const CorpusSummary* DataForm::corpus() const {
    const auto found = std::find_if(known_.begin(), known_.end(),
                                    [this](const CorpusSummary& one) { return one.folder == data_.corpus; });
    return found == known_.end() ? nullptr : &*found;
}

// One that is not in the list is read in the background.
void DataForm::lookUp(const QString& folder) {
    corpus_problem_.clear();
    if (folder.isEmpty() || corpus()) return;
    QPointer<DataForm> self(this);
    const std::string place = QDir(project_folder_).absoluteFilePath(folder).toStdString();
    QThreadPool::globalInstance()->start([self, place, folder] {
        Result<CorpusSummary> summary = read_corpus_summary(place);
        QMetaObject::invokeMethod(qApp, [self, folder, summary = std::move(summary)] {
            if (!self || self->data_.corpus != folder.toStdString()) return;
            if (summary) {
                CorpusSummary known = *summary;
                known.folder = folder.toStdString();
                self->known_.push_back(std::move(known));
            } else {
                self->corpus_problem_ = summary.error().kind == ErrorKind::not_found
                                            ? tr("There is no corpus in \"%1\".").arg(folder)
                                            : QString::fromStdString(describe(summary.error()));
            }
            self->refresh();
            Q_EMIT self->changed();
        });
    });
}

void DataForm::browse(bool key_tokens) {
    auto* dialog =
        new QFileDialog(this, key_tokens ? tr("Key-Token File") : tr("Corpus Folder"), project_folder_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(key_tokens ? QFileDialog::ExistingFile : QFileDialog::Directory);
    if (key_tokens) dialog->setNameFilter(tr("Key tokens (*.json)"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, key_tokens](const QString& chosen) {
        const QString path = inside(project_folder_, chosen);
        if (!key_tokens) {
            setCorpus(path);
            return;
        }
        data_.parameters.set("key_tokens", path.toStdString());
        refresh();
        Q_EMIT changed();
    });
    dialog->open();
}

void DataForm::rebuild() {
    delete form_;
    const std::vector<ParameterDescription>* descriptions = data_parameters(data_.kind);
    form_ =
        new ParameterForm(descriptions ? *descriptions : std::vector<ParameterDescription>{}, {}, tr("Data"));
    if (ParameterEditor* keys = form_->editor("key_tokens")) {
        keys->field()->setPlaceholder(tr("file made by braid-engine eval keys"));
        QPushButton* choose = makeButton(tr("Browse..."));
        keys->layout()->addWidget(choose);
        keys->layout()->setAlignment(choose, Qt::AlignTop);
        connect(choose, &QPushButton::clicked, this, [this] { browse(true); });
    }
    layout_->addWidget(form_);
    connect(form_, &ParameterForm::changed, this,
            [this](const std::string& key, const ParameterValue& value) {
                data_.parameters.set(key, value);
                data_.parameters = normalised(data_.parameters, *data_parameters(data_.kind));
                refresh();
                Q_EMIT changed();
            });
    connect(form_, &ParameterForm::refusedChanged, this, &DataForm::refusedChanged);
    const TaskKind* task = find_task(data_.kind);
    help_->setText(
        task ? QString::fromStdString(task->help) + QLatin1Char('\n') + QString::fromStdString(task->citation)
             : tr("Documents of a corpus, packed into sequences; their order depends on the seed."));
    refresh();
}

QString DataForm::facts() const { return facts_->text(); }

void DataForm::refresh() {
    form_->setValues(data_.parameters);
    corpus_box_->setVisible(data_.kind == corpus_kind);
    const CorpusSummary* known = corpus();
    QString text;
    if (known) {
        text = tr("Tokenizer %1, vocabulary %2. %3 training tokens in %4 documents, %5 for validation.")
                   .arg(QString::fromStdString(known->tokenizer), formatCount(known->vocab),
                        quantityText(double(known->train_tokens), 3), formatCount(known->train_documents),
                        quantityText(double(known->validation_tokens), 3));
        const double share =
            known->train_tokens > 0 ? double(known->long_tokens) / double(known->train_tokens) : 0;
        text += QLatin1Char(' ') + tr("Long documents (from %1): %2 with %3 of the tokens.")
                                       .arg(byteText(double(known->long_bytes)),
                                            formatCount(known->long_documents), formatPercent(share));
    }
    facts_->setText(text);
    facts_->setVisible(!text.isEmpty());
}

std::int64_t DataForm::vocab() const {
    if (const TaskKind* task = find_task(data_.kind)) {
        return check_parameters(data_.parameters, task->parameters, task->title, "data").empty()
                   ? task->vocab(data_.parameters)
                   : 0;
    }
    const CorpusSummary* known = corpus();
    return known ? known->vocab : 0;
}

Diagnostics DataForm::problems(const TrainingSpec& training, std::int64_t model_vocab) const {
    Diagnostics problems = validate(data_, training);
    if (vocab() > model_vocab)
        problems.push_back({.path = "data",
                            .rule = "needs a model with a vocabulary of at least " + format_count(vocab()) +
                                    "; choose other data or another scale",
                            .found = format_count(model_vocab)});
    if (data_.kind != corpus_kind || data_.corpus.empty()) return problems;
    const CorpusSummary* known = corpus();
    if (!known) {
        if (!corpus_problem_.isEmpty())
            problems.push_back({.path = "data.corpus", .rule = corpus_problem_.toStdString(), .found = {}});
        return problems;
    }
    if (known->train_tokens <= training.context)
        problems.push_back({.path = "training.context",
                            .rule = "must be less than the " + format_count(known->train_tokens) +
                                    " training tokens of the corpus",
                            .found = format_count(training.context)});
    else if (known->train_tokens <= training.tokens_per_step())
        problems.push_back({.path = "training.batch",
                            .rule = "must be at most " +
                                    format_count((known->train_tokens - 1) / training.context) +
                                    ": a step would read the same text twice",
                            .found = format_count(training.batch)});
    if (data_.parameters.text("pools", corpus_parameters()) == "mixed") {
        const double share = data_.parameters.real("long_share", corpus_parameters());
        const std::int64_t short_tokens = known->train_tokens - known->long_tokens;
        if (share > 0 && known->long_tokens <= training.context)
            problems.push_back({.path = "data.long_share",
                                .rule = "must be 0: the corpus has only " + format_count(known->long_tokens) +
                                        " tokens in long documents",
                                .found = to_text(ParameterValue(share))});
        if (share < 1 && short_tokens <= training.context)
            problems.push_back({.path = "data.long_share",
                                .rule = "must be 1: the corpus has only " + format_count(short_tokens) +
                                        " tokens in short documents",
                                .found = to_text(ParameterValue(share))});
    }
    const std::string keys = data_.parameters.text("key_tokens", corpus_parameters());
    if (!keys.empty() && !QFileInfo(QDir(project_folder_), QString::fromStdString(keys)).isFile())
        problems.push_back({.path = "data.key_tokens", .rule = "must be a file", .found = keys});
    return problems;
}

QStringList DataForm::refused() const { return form_ ? form_->refused() : QStringList(); }

void DataForm::showProblems(const Diagnostics& problems) {
    form_->clearProblems();
    QString of_data, of_corpus;
    for (const Diagnostic& problem : problems) {
        const QString text = QString::fromStdString(
            Diagnostic{.path = {}, .rule = problem.rule, .found = problem.found}.message());
        if (problem.path == "data" || problem.path == "data.kind")
            of_data = text;
        else if (problem.path == "data.corpus")
            of_corpus = text;
        else if (problem.path.starts_with(data_prefix))
            form_->setProblem(problem.path.substr(data_prefix.size()), text);
    }
    data_problem_->setText(of_data);
    data_problem_->setVisible(!of_data.isEmpty());
    corpus_error_->setText(of_corpus);
    corpus_error_->setVisible(!of_corpus.isEmpty());
}

}  // namespace braid::ui
