#include "widgets/heads/prompt_dialog.h"

#include <QApplication>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QThreadPool>
#include <QVBoxLayout>
#include <algorithm>

#include "core/record/checkpoint_list.h"
#include "core/record/run_plan.h"
#include "core/spec/data_kinds.h"
#include "widgets/common/command_foot.h"
#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/field.h"
#include "widgets/common/format.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/segments.h"

namespace braid::ui {

namespace {

constexpr int title_length = 44;
enum Heads { Fitting, All, None };

}  // namespace

QString captureTitle(const Capture& capture) {
    if (capture.source == CaptureSource::needle) {
        QString title = PromptDialog::tr("needle sample");
        if (const auto at = capture.settings.find("sample");
            at != capture.settings.end() && at->is_number_integer())
            title += QStringLiteral(" %1").arg(at->get<std::int64_t>());
        return title;
    }
    QString text;
    for (std::size_t i = 0; i < capture.texts.size(); ++i) {
        const std::string& token = capture.texts[i];
        // Without a tokenizer they are numbers, which do not run together.
        if (i > 0 && token == std::to_string(capture.tokens[i])) text += QLatin1Char(' ');
        text += QString::fromStdString(token);
        if (text.size() > title_length) break;
    }
    text = text.simplified();
    if (text.size() > title_length) text = text.left(title_length - 1) + QChar(0x2026);
    return QStringLiteral("“%1”").arg(text);
}

PromptDialog::PromptDialog(HeadsChoice& choice, QWidget* parent)
    : QDialog(parent),
      choice_(choice),
      model_(new QStandardItemModel(this)),
      list_(new DataTable(tr("Captures on disk"))),
      runs_(new QComboBox),
      steps_(new QComboBox),
      heads_(new QComboBox),
      source_(new Segments(tr("Text"), {tr("Needle sample"), tr("Own prompt")})),
      pages_(new QStackedWidget),
      prompt_(new QPlainTextEdit),
      sample_(new QSpinBox),
      context_(new Field(tr("Context"), tr("tokens"))),
      depth_(new Field(tr("Depth of the needle"), QStringLiteral("%"))),
      foot_(new CommandFoot(tr("Capture"))) {
    setWindowTitle(tr("What to Look At"));
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    auto* halves = new QHBoxLayout;
    halves->setSpacing(0);
    halves->addWidget(makeList(), 1);
    halves->addWidget(makeSeparator(Qt::Vertical));
    halves->addWidget(makeForm(), 1);
    all->addLayout(halves, 1);
    all->addWidget(makeSeparator());
    all->addWidget(foot_);
    resize(880, 500);

    connect(foot_, &CommandFoot::cancelled, this, &QDialog::reject);
    connect(foot_, &CommandFoot::started, this, &QDialog::accept);
    connect(this, &QDialog::accepted, this, [this] { choice_.start(request()); });
    connect(&choice_, &HeadsChoice::capturesChanged, this, &PromptDialog::fillList);
    fillRuns();
    fillList();
    update_();
}

QWidget* PromptDialog::makeList() {
    auto* half = new QWidget;
    auto* column = new QVBoxLayout(half);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* title = new SectionTitle(tr("On disk"), tr("open at once"));
    title->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap1);
    column->addWidget(title);
    list_->setModel(model_);
    list_->setSelectionMode(QAbstractItemView::SingleSelection);
    list_->setSortingEnabled(false);
    column->addWidget(list_, 1);
    const auto open = [this](const QModelIndex& index) {
        const auto at = std::size_t(index.row());
        if (!index.isValid() || at >= shown_.size()) return;
        choice_.open(shown_[at]);
        reject();
    };
    connect(list_, &QTableView::activated, this, open);
    connect(list_, &QTableView::clicked, this, open);
    return half;
}

QWidget* PromptDialog::makeForm() {
    auto* half = new QWidget;
    auto* column = new QVBoxLayout(half);
    column->setContentsMargins(metrics::gap4, metrics::gap2, metrics::gap4, metrics::gap3);
    column->setSpacing(metrics::gap2);
    column->addWidget(new SectionTitle(tr("New capture")));
    runs_->setAccessibleName(tr("Run"));
    steps_->setAccessibleName(tr("Checkpoint"));
    heads_->setAccessibleName(tr("Heads in detail"));
    heads_->addItems({tr("as many as fit"), tr("all"), tr("those I click on")});
    sample_->setAccessibleName(tr("Number of the sample"));
    sample_->setRange(0, 1'000'000);
    context_->setFieldWidth(110);
    context_->setPlaceholder(tr("as trained"));
    depth_->setFieldWidth(110);
    depth_->setPlaceholder(QStringLiteral("50"));
    prompt_->setAccessibleName(tr("Prompt"));
    prompt_->setTabChangesFocus(true);
    column->addWidget(ParameterForm::makeRow(tr("Run"), runs_));
    column->addWidget(ParameterForm::makeRow(tr("Checkpoint"), steps_));
    column->addWidget(ParameterForm::makeRow(tr("Heads in detail"), heads_));
    auto* line = new QHBoxLayout;
    line->addWidget(source_);
    line->addStretch();
    column->addLayout(line);
    auto* needle = new QWidget;
    auto* rows = new QVBoxLayout(needle);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(metrics::gap2);
    rows->addWidget(ParameterForm::makeRow(tr("Sample"), sample_));
    rows->addWidget(ParameterForm::makeRow(tr("Context"), context_));
    rows->addWidget(ParameterForm::makeRow(tr("Depth"), depth_));
    rows->addStretch();
    pages_->addWidget(needle);
    pages_->addWidget(prompt_);
    column->addWidget(pages_, 1);
    source_->setCurrent(0);

    connect(source_, &Segments::chosen, this, [this](int index) {
        pages_->setCurrentIndex(index);
        if (index == 1) prompt_->setFocus();
        update_();
    });
    connect(runs_, &QComboBox::activated, this, [this](int index) {
        if (index == runs_->count() - 1) return browse();
        fillSteps();
        update_();
    });
    for (QComboBox* combo : {steps_, heads_})
        connect(combo, &QComboBox::activated, this, &PromptDialog::update_);
    connect(sample_, &QSpinBox::valueChanged, this, &PromptDialog::update_);
    connect(context_, &Field::edited, this, &PromptDialog::update_);
    connect(depth_, &Field::edited, this, &PromptDialog::update_);
    connect(prompt_, &QPlainTextEdit::textChanged, this, &PromptDialog::update_);
    return half;
}

// Of captures of one text at one checkpoint (they differ in the heads they hold) the newest.
void PromptDialog::fillList() {
    model_->clear();
    shown_.clear();
    model_->setHorizontalHeaderLabels({tr("Text"), tr("Run"), tr("Step"), tr("Tokens")});
    alignNumberHeaders(*model_, 2);
    for (const CaptureEntry& entry : choice_.captures()) {
        const Capture& capture = *entry.capture;
        const bool known = std::any_of(shown_.begin(), shown_.end(), [&](const CapturePointer& other) {
            return other->checkpoint.run == capture.checkpoint.run &&
                   other->checkpoint.folder == capture.checkpoint.folder &&
                   other->checkpoint.step == capture.checkpoint.step && sameText(*other, capture);
        });
        if (known) continue;
        shown_.push_back(entry.capture);
        QList<QStandardItem*> row;
        for (const QString& text :
             {captureTitle(capture), entry.run_name, formatCount(capture.checkpoint.step.value),
              formatCount(std::int64_t(capture.tokens.size()))}) {
            auto* item = new QStandardItem(text);
            item->setEditable(false);
            if (row.size() >= 2) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            row << item;
        }
        row.front()->setToolTip(
            tr("%1, captured %2").arg(captureTitle(capture), QString::fromStdString(capture.created)));
        model_->appendRow(row);
    }
    QHeaderView* header = list_->horizontalHeader();
    header->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int column = 1; column < 4; ++column)
        header->setSectionResizeMode(column, QHeaderView::ResizeToContents);
}

void PromptDialog::fillRuns() {
    for (const RunPointer& run : choice_.session().runs()->runs())
        if (run->record->status.checkpoint) runs_->addItem(run->name, QString::fromStdString(run->id.str()));
    for (const QString& folder : choice_.folders()) runs_->addItem(QFileInfo(folder).fileName(), folder);
    runs_->addItem(tr("Other checkpoint..."));
    RunPointer wanted = choice_.run();
    if (!wanted) wanted = choice_.session().currentRun();
    if (wanted)
        if (const int at = runs_->findData(QString::fromStdString(wanted->id.str())); at >= 0)
            runs_->setCurrentIndex(at);
    fillSteps();
}

QString PromptDialog::folder() const {
    const QString chosen = runs_->currentData().toString();
    return choice_.folders().contains(chosen) ? chosen : QString();
}

// Imported models, and runs that lie elsewhere.
void PromptDialog::browse() {
    auto* dialog = new QFileDialog(this, tr("Choose the Folder of a Checkpoint"), choice_.session().folder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &PromptDialog::addFolder);
    dialog->open();
    fillSteps();
    update_();
}

void PromptDialog::addFolder(const QString& folder) {
    choice_.addFolder(folder);
    int at = runs_->findData(folder);
    if (at < 0) {
        at = runs_->count() - 1;
        runs_->insertItem(at, QFileInfo(folder).fileName(), folder);
    }
    runs_->setCurrentIndex(at);
    fillSteps();
    update_();
}

// A model of a synthetic task has no tokenizer: what it reads are numbers.
void PromptDialog::describeReading() {
    std::shared_ptr<const RunPlan> plan;
    if (!folder().isEmpty()) {  // of a run that lies elsewhere: RUN/checkpoints/step-N
        const std::string file =
            QFileInfo(folder() + QStringLiteral("/../../plan.json")).filePath().toStdString();
        if (Result<RunPlan> read = read_plan(file)) plan = std::make_shared<const RunPlan>(std::move(*read));
    } else if (const RunPointer run =
                   choice_.session().run(RunId(runs_->currentData().toString().toStdString()))) {
        plan = run->plan;
    }
    const bool numbers = plan && plan->data.kind != corpus_kind;
    task_ = numbers ? QString::fromStdString(plan->data.kind) : QString();
    vocab_ = numbers ? plan->architecture.vocab : 0;
    source_->button(1)->setText(numbers ? tr("Own tokens") : tr("Own prompt"));
    prompt_->setAccessibleName(numbers ? tr("Tokens") : tr("Prompt"));
    prompt_->setPlaceholderText(
        numbers
            ? tr("Token numbers from 0 to %1, separated by blanks or commas: 3 17 4 17. The run was trained "
                 "on the task %2, which has no tokenizer and reads no text.")
                  .arg(vocab_ - 1)
                  .arg(task_)
            : tr("Any text; longer than the trained context is allowed, and marked."));
}

std::vector<std::int64_t> PromptDialog::writtenTokens(QStringList* wrong) const {
    static const QRegularExpression between(QStringLiteral("[\\s,]+"));
    std::vector<std::int64_t> tokens;
    for (const QString& word : prompt_->toPlainText().split(between, Qt::SkipEmptyParts)) {
        bool good = false;
        const qlonglong token = word.toLongLong(&good);
        if (good && token >= 0 && token < vocab_)
            tokens.push_back(token);
        else if (wrong)
            *wrong << word;
    }
    return tokens;
}

// The last checkpoint is known; the earlier ones come from the run's folder.
void PromptDialog::fillSteps() {
    describeReading();
    steps_->clear();
    steps_->setEnabled(folder().isEmpty());
    if (!folder().isEmpty()) {
        steps_->addItem(tr("its weights"), qlonglong(0));
        return;
    }
    const RunPointer run = choice_.session().run(RunId(runs_->currentData().toString().toStdString()));
    if (!run) return;
    const auto add = [this](std::int64_t step) {
        steps_->addItem(tr("step %1").arg(formatCount(step)), qlonglong(step));
    };
    if (run->record->status.checkpoint) add(run->record->status.checkpoint->value);
    QPointer<PromptDialog> self(this);
    QThreadPool::globalInstance()->start([self, add, folder = run->folder, id = run->id] {
        const std::vector<Step> steps = list_checkpoints(folder.checkpoints_folder());
        QMetaObject::invokeMethod(qApp, [self, add, steps, id] {
            if (!self || self->runs_->currentData().toString().toStdString() != id.str()) return;
            for (const Step step : steps)
                if (self->steps_->findData(qlonglong(step.value)) < 0) add(step.value);
            self->update_();
        });
    });
}

CaptureRequest PromptDialog::request() const {
    CaptureRequest request{.run = RunId(runs_->currentData().toString().toStdString()),
                           .step = steps_->currentData().toLongLong()};
    if (!folder().isEmpty()) {
        request.run = {};
        request.folder = folder();
    }
    if (source_->current() == 1 && !task_.isEmpty()) {
        request.source = CaptureSource::tokens;
        request.tokens = writtenTokens();
    } else if (source_->current() == 1) {
        request.source = CaptureSource::prompt;
        request.prompt = prompt_->toPlainText();
    } else {
        request.sample = sample_->value();
        if (!context_->text().trimmed().isEmpty())
            request.context = context_->text().remove(QLatin1Char(',')).trimmed().toLongLong();
        if (!depth_->text().trimmed().isEmpty()) request.depth = depth_->text().trimmed().toDouble() / 100;
    }
    if (heads_->currentIndex() == All) request.heads = {QStringLiteral("all")};
    if (heads_->currentIndex() == None) request.heads = {QStringLiteral("none")};
    return request;
}

QStringList PromptDialog::problems() const {
    QStringList lines;
    if (runs_->count() == 1)  // only the way to other ones
        lines << tr("No run has a checkpoint yet: train one first.");
    else if (runs_->currentIndex() == runs_->count() - 1)
        lines << tr("Choose a run.");
    else if (steps_->count() == 0)
        lines << tr("The run has no checkpoint yet.");
    if (source_->current() == 1 && prompt_->toPlainText().trimmed().isEmpty())
        lines << (task_.isEmpty() ? tr("prompt: must not be empty") : tr("tokens: must not be empty"));
    if (source_->current() == 1 && !task_.isEmpty()) {
        QStringList wrong;
        writtenTokens(&wrong);
        if (!wrong.isEmpty())
            lines << tr("tokens: must be whole numbers from 0 to %1, got “%2”")
                         .arg(vocab_ - 1)
                         .arg(wrong.front().left(title_length));
    }
    if (source_->current() == 0) {
        bool good = true;
        const QString context = context_->text().remove(QLatin1Char(',')).trimmed();
        if (!context.isEmpty() && (context.toLongLong(&good) < 16 || !good))
            lines << tr("context: must be a whole number, 16 or more, got %1").arg(context);
        const QString depth = depth_->text().trimmed();
        const double share = depth.toDouble(&good);
        if (!depth.isEmpty() && (!good || share < 0 || share > 100))
            lines << tr("depth: must be from 0 to 100 %, got %1").arg(depth);
    }
    if (lines.isEmpty() && !choice_.commands().unavailableReason().isEmpty())
        lines << choice_.commands().unavailableReason();
    return lines;
}

void PromptDialog::update_() {
    foot_->setProblems(problems());
    foot_->setCommand(steps_->count() > 0 ? choice_.commands().commandFor(request()) : QString());
}

}  // namespace braid::ui
