#include "widgets/train/key_tokens_page.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QHeaderView>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QTableView>
#include <QThreadPool>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/spec/data_kinds.h"
#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_list_model.h"
#include "widgets/train/key_text_view.h"

namespace braid::ui {

namespace {

std::int64_t marked_bytes(const KeySample& sample) {
    std::int64_t bytes = 0;
    for (const TokenSpan span : sample.spans) bytes += span.end - span.begin;
    return bytes;
}

QString textIn(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? QString::fromStdString(found->get<std::string>())
                                                     : QString();
}

}  // namespace

KeyTokensPage::KeyTokensPage(const WorkspaceContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      toolbar_(new PageToolbar(tr("Key tokens"))),
      files_(new QComboBox),
      previous_(makeIconButton(QStringLiteral("arrow-up"), tr("Previous key token (Shift+F3)"))),
      next_(makeIconButton(QStringLiteral("arrow-down"), tr("Next key token (F3)"))),
      place_(new TextLabel({}, TypeStep::table, 400, 2)),
      facts_(new TextLabel({}, TypeStep::table, 400, 2)),
      samples_(new QStandardItemModel(this)),
      samples_view_(new DataTable(tr("Texts"))),
      text_(new KeyTextView),
      pages_(new QStackedWidget),
      empty_(
          new EmptyState(tr("Key tokens show where long context matters. Open a file that braid-engine eval "
                            "keys has made, or select a run that evaluates log LongPPL."),
                         tr("Open..."))) {
    makeToolbar();
    samples_view_->setModel(samples_);
    samples_view_->setSortingEnabled(false);
    samples_view_->setSelectionMode(QAbstractItemView::SingleSelection);
    facts_->setWordWrap(true);
    facts_->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap2);
    auto* right = new QWidget;
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(facts_);
    column->addWidget(makeSeparator());
    column->addWidget(text_, 1);
    auto* split = new QSplitter(Qt::Horizontal);
    split->setHandleWidth(1);
    split->addWidget(samples_view_);
    split->addWidget(right);
    split->setStretchFactor(1, 1);
    split->setSizes({300, 700});
    pages_->addWidget(empty_);
    pages_->addWidget(split);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(toolbar_);
    layout->addWidget(pages_, 1);
    const auto key = [this](const QKeySequence& sequence, auto slot) {
        auto* action = new QAction(this);
        action->setShortcut(sequence);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
        connect(action, &QAction::triggered, this, slot);
    };
    key(QKeySequence(Qt::Key_F3), &KeyTokensPage::nextKey);
    key(QKeySequence(Qt::SHIFT | Qt::Key_F3), &KeyTokensPage::previousKey);
    connect(empty_, &EmptyState::clicked, this, &KeyTokensPage::browse);
    connect(samples_view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) { showSample(index.row()); });
    connect(text_, &KeyTextView::currentChanged, this, [this](int index) {
        place_->setText(text_->count() == 0 ? tr("no key token")
                        : index < 0         ? tr("%1 places").arg(formatCount(text_->count()))
                                            : tr("%1 of %2").arg(index + 1).arg(formatCount(text_->count())));
    });
    ProjectSession& session = context_.session;
    connect(&session, &ProjectSession::opened, this, [this] {
        file_.clear();
        show(nullptr, {});
        listFiles();
    });
    connect(&session, &ProjectSession::selectedRunsChanged, this, [this] {
        if (active_) listFiles();
    });
}

void KeyTokensPage::makeToolbar() {
    files_->setAccessibleName(tr("Key-token file"));
    files_->setMinimumContentsLength(20);
    files_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    QPushButton* browse_button = makeButton(tr("Open..."));
    for (QWidget* widget : std::initializer_list<QWidget*>{place_, previous_, next_, files_, browse_button})
        toolbar_->addWidget(widget);
    connect(files_, &QComboBox::activated, this, [this] { open(files_->currentData().toString()); });
    connect(browse_button, &QPushButton::clicked, this, &KeyTokensPage::browse);
    connect(next_, &QToolButton::clicked, this, &KeyTokensPage::nextKey);
    connect(previous_, &QToolButton::clicked, this, &KeyTokensPage::previousKey);
}

QString KeyTokensPage::fileOf(const RunPointer& run, const QString& projectFolder) {
    if (!run || !run->plan || run->plan->data.kind != corpus_kind) return {};
    const ParameterValue* file = run->plan->data.parameters.find("key_tokens");
    const auto* text = file ? std::get_if<std::string>(file) : nullptr;
    if (!text || text->empty()) return {};
    return QDir::cleanPath(QDir(projectFolder).absoluteFilePath(QString::fromStdString(*text)));
}

// Those of the project's runs, the current run's first, and the one that is open.
void KeyTokensPage::listFiles() {
    ProjectSession& session = context_.session;
    QStringList files;
    const auto add = [&files](const QString& file) {
        if (!file.isEmpty() && !files.contains(file)) files << file;
    };
    add(fileOf(session.currentRun(), session.folder()));
    for (const RunPointer& run : session.runs()->runs()) add(fileOf(run, session.folder()));
    add(file_);
    files_->clear();
    const QDir project(session.folder());
    for (const QString& file : files) {
        const QString inside = project.relativeFilePath(file);
        files_->addItem(inside.startsWith(QStringLiteral("..")) ? file : inside, file);
    }
    files_->setVisible(!files.isEmpty());
    const QString own = fileOf(session.currentRun(), session.folder());
    const QString wanted = !own.isEmpty() ? own : !file_.isEmpty() ? file_ : files.value(0);
    files_->setCurrentIndex(files_->findData(wanted));
    if (active_ && !wanted.isEmpty()) open(wanted);
}

void KeyTokensPage::setActive(bool active) {
    active_ = active;
    if (active) listFiles();
}

void KeyTokensPage::browse() {
    auto* dialog = new QFileDialog(this, tr("Key-Token File"), context_.session.folder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilter(tr("Key tokens (*.json)"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& chosen) {
        open(chosen);
        if (files_->findData(chosen) < 0) files_->addItem(chosen, chosen);
        files_->setCurrentIndex(files_->findData(chosen));
        files_->show();
    });
    dialog->open();
}

void KeyTokensPage::open(const QString& file) {
    if (file.isEmpty() || (file == file_ && keys_)) return;
    file_ = file;
    const int number = ++asked_;
    QPointer<KeyTokensPage> self(this);
    QThreadPool::globalInstance()->start([self, number, path = file.toStdString()] {
        Result<KeyTokenFile> keys = read_key_token_file(path);
        std::shared_ptr<const KeyTokenFile> shared;
        QString problem;
        if (keys)
            shared = std::make_shared<const KeyTokenFile>(std::move(*keys));
        else
            problem = QString::fromStdString(describe(keys.error()));
        QMetaObject::invokeMethod(qApp, [self, number, shared, problem] {
            if (self && number == self->asked_) self->show(shared, problem);
        });
    });
}

void KeyTokensPage::show(std::shared_ptr<const KeyTokenFile> keys, const QString& problem) {
    keys_ = std::move(keys);
    samples_->clear();
    samples_->setHorizontalHeaderLabels({tr("Text"), tr("Places"), tr("Share"), tr("Begins with")});
    alignNumberHeaders(*samples_, 0, 2);
    pages_->setCurrentIndex(keys_ ? 1 : 0);
    for (QToolButton* button : {previous_, next_}) button->setEnabled(keys_ != nullptr);
    empty_->setSentence(problem.isEmpty()
                            ? tr("Key tokens show where long context matters. Open a file that "
                                 "braid-engine eval keys has made, or select a run that evaluates "
                                 "log LongPPL.")
                            : problem);
    if (!keys_) {
        toolbar_->setNote({});
        place_->setText({});
        return;
    }
    std::int64_t places = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < keys_->samples.size(); ++i) {
        const KeySample& sample = keys_->samples[i];
        places += std::int64_t(sample.spans.size());
        kept += sample.spans.size() > 0 ? 1 : 0;
        const double share =
            sample.text.empty() ? 0 : double(marked_bytes(sample)) / double(sample.text.size());
        QList<QStandardItem*> row{
            new QStandardItem(formatCount(std::int64_t(i) + 1)),
            new QStandardItem(formatCount(std::int64_t(sample.spans.size()))),
            new QStandardItem(formatFixed(share * 100, 1) + QStringLiteral(" %")),
            new QStandardItem(QString::fromStdString(sample.text.substr(0, 160)).simplified())};
        for (int column = 0; column < row.size(); ++column) {
            row[column]->setEditable(false);
            if (column < 3) row[column]->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        }
        samples_->appendRow(row);
    }
    for (const auto& [column, width] : std::initializer_list<std::pair<int, int>>{{0, 48}, {1, 62}, {2, 62}})
        samples_view_->setColumnWidth(column, width);
    samples_view_->horizontalHeader()->setStretchLastSection(true);
    toolbar_->setNote(tr("%1 places in %2 of %3 texts")
                          .arg(formatCount(places), formatCount(std::int64_t(kept)),
                               formatCount(std::int64_t(keys_->samples.size()))));
    const KeyTokenRule& rule = keys_->rule;
    const QString run = textIn(keys_->reference, "run");
    QString tokenizer = textIn(keys_->tokenizer, "file");
    if (tokenizer.isEmpty()) tokenizer = textIn(keys_->tokenizer, "kind");
    facts_->setText(
        tr("A token is key if the loss falls by more than %1 nats with the whole text of %2 tokens before it "
           "instead of the last %3, and is then below %4. Reference %5, tokenizer %6.")
            .arg(formatSignificant(rule.gain, 2), formatCount(rule.context), formatCount(rule.short_context),
                 formatSignificant(rule.sure, 2), run.isEmpty() ? tr("unknown") : run,
                 tokenizer.isEmpty() ? tr("unknown") : tokenizer));
    if (!keys_->samples.empty()) samples_view_->selectRow(0);
}

void KeyTokensPage::showSample(int index) {
    if (!keys_ || index < 0 || index >= int(keys_->samples.size())) return;
    text_->show(keys_->samples[std::size_t(index)]);
}

// Past the last key token of a text comes the next text that has one.
void KeyTokensPage::move(int by) {
    if (!keys_ || keys_->samples.empty()) return;
    const int wanted = text_->current() < 0 ? (by > 0 ? 0 : text_->count() - 1) : text_->current() + by;
    if (wanted >= 0 && wanted < text_->count()) {
        text_->setCurrent(wanted);
        return;
    }
    const int texts = int(keys_->samples.size());
    for (int step = 1; step <= texts; ++step) {
        const int sample = ((samples_view_->currentIndex().row() + by * step) % texts + texts) % texts;
        if (keys_->samples[std::size_t(sample)].spans.empty()) continue;
        samples_view_->selectRow(sample);
        text_->setCurrent(by > 0 ? 0 : text_->count() - 1);
        return;
    }
}

void KeyTokensPage::nextKey() { move(1); }
void KeyTokensPage::previousKey() { move(-1); }

}  // namespace braid::ui
