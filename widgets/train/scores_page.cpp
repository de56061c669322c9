#include "widgets/train/scores_page.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/position_curves.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/segments.h"
#include "widgets/train/answers_view.h"
#include "widgets/train/figure_of_view.h"
#include "widgets/train/needle_map.h"
#include "widgets/train/run_panel.h"
#include "widgets/train/score_details.h"
#include "widgets/train/score_picture.h"

namespace braid::ui {

namespace {

constexpr int file_role = Qt::UserRole + 1;
enum Column { Run, Kind, StepColumn, Result, ColumnCount };
constexpr int sort_role = Qt::UserRole + 2;

// Scores that differ in nothing but the step.
bool sameQuestion(const ScoreRecord& a, const ScoreRecord& b) {
    return a.kind == b.kind && a.settings == b.settings;
}

const ScoreSummary* headline(const ScoreRecord& record) {
    return record.summary.empty() ? nullptr : &record.summary.front();
}

}  // namespace

ScoresPage::ScoresPage(const WorkspaceContext& context, RunPanel* panel, QWidget* parent)
    : QWidget(parent),
      context_(context),
      panel_(panel),
      toolbar_(new PageToolbar(tr("Scores"))),
      steps_(new QComboBox),
      tasks_(new QComboBox),
      figure_(makeButton(tr("Figure"), QStringLiteral("figure"))),
      score_(makePrimaryButton(tr("Score..."))),
      list_(new QStandardItemModel(this)),
      shown_(new QSortFilterProxyModel(this)),
      filter_(new QLineEdit),
      list_view_(new DataTable(tr("Scores"))),
      pages_(new QStackedWidget),
      picture_(new ScorePicture),
      details_(new ScoreDetails),
      empty_(new EmptyState(tr("No checkpoint has been scored yet."), tr("Score..."))) {
    makeToolbar();
    pages_->addWidget(empty_);
    pages_->addWidget(makeContent());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(toolbar_);
    layout->addWidget(pages_, 1);
    const auto ask = [this] {
        const RunPointer run = run_ ? run_ : context_.session.currentRun();
        const auto& runs = context_.session.runs()->runs();
        if (run)
            Q_EMIT scoreRun(run->id);
        else if (!runs.empty())
            Q_EMIT scoreRun(runs.front()->id);
    };
    connect(score_, &QPushButton::clicked, this, ask);
    connect(empty_, &EmptyState::clicked, this, ask);
    const auto later = [this] {
        if (active_) throttle_.request();
    };
    ProjectSession& session = context_.session;
    connect(&session, &ProjectSession::opened, this, [this, later] {
        file_.clear();
        later();
    });
    connect(&session, &ProjectSession::selectedRunsChanged, this, [this] {
        const RunPointer run = context_.session.currentRun();
        if (!active_ || !run || (run_ && run_->id == run->id)) return;
        const auto own = std::find_if(entries_.begin(), entries_.end(),
                                      [&](const Entry& entry) { return entry.run->id == run->id; });
        if (own != entries_.end()) choose(QString::fromStdString(own->record->file));
    });
    connect(&session, &ProjectSession::runChanged, this, later);
    connect(&context_.commands, &RunCommands::scoreJobChanged, this, [this](const ScoreJob& job) {
        if (job.state == ScoreJob::State::done) awaited_ = job.request;
    });
    connect(&session, &ProjectSession::runRemoved, this, later);
}

void ScoresPage::makeToolbar() {
    steps_->setAccessibleName(tr("Step of the checkpoint"));
    tasks_->setAccessibleName(tr("Task"));
    for (QComboBox* box : {steps_, tasks_}) box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    auto* command = makeIconButton(QStringLiteral("copy"), tr("Copy as command"));
    for (QWidget* widget :
         std::initializer_list<QWidget*>{steps_, tasks_, picture_->form(), command, figure_, score_})
        toolbar_->addWidget(widget);
    connect(steps_, &QComboBox::activated, this, [this] { choose(steps_->currentData().toString()); });
    connect(tasks_, &QComboBox::activated, this,
            [this] { showTask(tasks_->currentData().toString().toStdString()); });
    connect(figure_, &QPushButton::clicked, this, &ScoresPage::exportFigure);
    connect(command, &QToolButton::clicked, this, [this] {
        if (!current_) return;
        QApplication::clipboard()->setText(QString::fromStdString(current_->command));
        context_.shell.showStatus(tr("Copied the command of this score"));
    });
}

QWidget* ScoresPage::makeContent() {
    shown_->setSourceModel(list_);
    shown_->setSortRole(sort_role);
    shown_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    shown_->setFilterKeyColumn(-1);
    list_view_->setModel(shown_);
    list_view_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);  // as they came
    list_view_->setSelectionMode(QAbstractItemView::SingleSelection);
    filter_->setPlaceholderText(tr("Filter scores"));
    filter_->setAccessibleName(tr("Filter scores"));
    filter_->setClearButtonEnabled(true);
    filter_->setFixedHeight(metrics::control);
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap2);
    line->addWidget(filter_);
    column->addLayout(line);
    column->addWidget(list_view_, 1);
    auto* right = new QSplitter(Qt::Vertical);
    right->setHandleWidth(1);
    right->addWidget(picture_);
    right->addWidget(details_);
    right->setStretchFactor(0, 3);
    right->setStretchFactor(1, 2);
    right->setSizes({420, 300});
    auto* all = new QSplitter(Qt::Horizontal);
    all->setHandleWidth(1);
    all->addWidget(left);
    all->addWidget(right);
    all->setStretchFactor(1, 1);
    all->setSizes({380, 700});
    connect(list_view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                const QString file = shown_->index(index.row(), 0).data(file_role).toString();
                if (!file.isEmpty() && file != file_) choose(file);
            });
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        shown_->setFilterFixedString(text.trimmed());
        selectRow();
    });
    connect(picture_->map(), &NeedleMap::heldChanged, this, &ScoresPage::showHeld);
    connect(details_, &ScoreDetails::taskChosen, this, [this](const std::string& task) {
        if (tasks_->findData(QString::fromStdString(task)) >= 0) showTask(task);
    });
    return all;
}

void ScoresPage::setActive(bool active) {
    active_ = active;
    if (active) refresh();
}

const ScoresPage::Entry* ScoresPage::find(const QString& file) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return QString::fromStdString(entry.record->file) == file;
    });
    return found == entries_.end() ? nullptr : &*found;
}

void ScoresPage::refresh() {
    std::vector<Entry> entries;
    for (const RunPointer& run : context_.session.runs()->runs())
        if (run->scores)
            for (auto record = run->scores->records.rbegin(); record != run->scores->records.rend(); ++record)
                entries.push_back({run, &*record});
    const bool same =
        entries.size() == entries_.size() &&
        std::equal(entries.begin(), entries.end(), entries_.begin(), [](const Entry& a, const Entry& b) {
            return a.run->id == b.run->id && a.run->scores == b.run->scores && a.record == b.record;
        });
    const std::vector<Entry> before = std::exchange(entries_, std::move(entries));
    const QString reason = context_.session.runs()->runs().empty() ? tr("The project has no run yet")
                                                                   : context_.commands.unavailableReason();
    setDisabledReason(score_, reason);
    setDisabledReason(empty_->button(), reason);
    pages_->setCurrentIndex(entries_.empty() ? 0 : 1);
    if (same) {  // what the run logs meanwhile
        const RunPointer now = run_ && active_ ? context_.session.run(run_->id) : nullptr;
        if (now) panel_->showRun(run_ = now);
        return;
    }
    fillList();
    if (entries_.empty()) {
        current_.reset();
        run_ = nullptr;
        details_->show(nullptr);
        picture_->showNothing();
        toolbar_->setTitle(tr("Scores"));
        toolbar_->setNote({});
        return;
    }
    if (const Entry* entry = arrived(before)) {
        awaited_.reset();
        file_ = QString::fromStdString(entry->record->file);
    }
    choose(find(file_) ? file_ : QString::fromStdString(entries_.front().record->file));
}

const ScoresPage::Entry* ScoresPage::arrived(const std::vector<Entry>& before) const {
    if (!awaited_) return nullptr;
    for (const Entry& entry : entries_) {
        const ScoreRecord& record = *entry.record;
        const bool asked = entry.run->id == awaited_->run && record.checkpoint.step == Step(awaited_->step) &&
                           record.kind == awaited_->kind.toStdString();
        const bool known = std::any_of(before.begin(), before.end(), [&](const Entry& old) {
            return old.record->file == record.file && old.record->created == record.created;
        });
        if (asked && !known) return &entry;
    }
    return nullptr;
}

void ScoresPage::fillList() {
    list_->clear();
    list_->setHorizontalHeaderLabels({tr("Run"), tr("Score"), tr("Step"), tr("Result")});
    alignNumberHeaders(*list_, StepColumn, Result);
    for (const Entry& entry : entries_) {
        const ScoreSummary* first = headline(*entry.record);
        const std::int64_t at = entry.record->checkpoint.step.value;
        auto* run = new QStandardItem(entry.run->name);
        run->setToolTip(entry.run->name);
        run->setData(entry.run->paletteIndex, RunIndexRole);
        run->setData(QString::fromStdString(entry.record->file), file_role);
        auto* kind = new QStandardItem(first ? QString::fromStdString(first->name)
                                             : scoreKindTitle(entry.record->kind));
        kind->setToolTip(first ? kind->text() + QStringLiteral(", ") + scoreKindTitle(entry.record->kind)
                               : kind->text());
        for (QStandardItem* item : {run, kind}) item->setData(item->text(), sort_role);
        auto* step = new QStandardItem(formatCount(at));
        step->setData(qlonglong(at), sort_role);
        auto* value = new QStandardItem(first ? scoreText(first->value, QString::fromStdString(first->unit))
                                              : QString());
        if (first && first->value) value->setData(*first->value, sort_role);
        for (QStandardItem* item : {step, value}) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        for (QStandardItem* item : {run, kind, step, value}) item->setEditable(false);
        list_->appendRow({run, kind, step, value});
    }
    list_view_->resizeColumnsToContents();
    list_view_->setColumnWidth(Run, std::min(list_view_->columnWidth(Run), 118));
    list_view_->horizontalHeader()->setSectionResizeMode(Kind, QHeaderView::Stretch);
}

void ScoresPage::selectRow() {
    for (int row = 0; row < shown_->rowCount(); ++row)
        if (shown_->index(row, 0).data(file_role).toString() == file_ &&
            list_view_->currentIndex().row() != row)
            list_view_->selectRow(row);
}

void ScoresPage::choose(const QString& file) {
    const Entry* entry = find(file);
    if (!entry) return;
    file_ = file;
    run_ = entry->run;
    current_ = *entry->record;
    if (active_) panel_->showRun(run_);
    selectRow();
    toolbar_->setTitle(scoreKindTitle(current_->kind));
    QStringList numbers;
    for (const ScoreSummary& summary : current_->summary)
        numbers << QString::fromStdString(summary.name) + QLatin1Char(' ') +
                       scoreText(summary.value, QString::fromStdString(summary.unit));
    toolbar_->setNote(run_->name + QStringLiteral(" · ") + numbers.join(QStringLiteral(" · ")));
    steps_->clear();
    for (auto other = entries_.rbegin(); other != entries_.rend(); ++other)
        if (other->run->id == run_->id && sameQuestion(*other->record, *current_))
            steps_->addItem(tr("step %1").arg(formatCount(other->record->checkpoint.step.value)),
                            QString::fromStdString(other->record->file));
    steps_->setCurrentIndex(steps_->findData(file));
    const std::string before = tasks_->currentData().toString().toStdString();
    tasks_->clear();
    const std::vector<std::string> tasks = needleTasks(*current_);
    for (const std::string& task : tasks)
        tasks_->addItem(QString::fromStdString(task), QString::fromStdString(task));
    tasks_->setVisible(tasks.size() > 1);
    details_->show(&*current_);
    picture_->show(*current_, lineOf(run_, current_->checkpoint.step), otherLine());
    figure_->setVisible(picture_->isMap() || picture_->isPositions());
    if (std::find(tasks.begin(), tasks.end(), before) != tasks.end()) showTask(before);
    showHeld();
}

PositionLine ScoresPage::lineOf(const RunPointer& run, Step step) {
    return {.label = tr("%1, step %2").arg(run->name, formatCount(step.value)), .colour = run->paletteIndex};
}

// The checkpoint that the current score was taken against.
std::optional<PositionLine> ScoresPage::otherLine() const {
    const QString against = QString::fromStdString(scoredAgainst(*current_));
    if (against.isEmpty()) return std::nullopt;
    const RunPointer run = context_.session.run(RunId(against.section(QLatin1Char('@'), 0, 0).toStdString()));
    if (run) return lineOf(run, Step(against.section(QLatin1Char('@'), 1).toLongLong()));
    // Of another project: any colour but its own.
    return PositionLine{.label = against.section(QLatin1Char('/'), -1), .colour = run_->paletteIndex + 1};
}

void ScoresPage::showTask(const std::string& task) {
    if (!current_ || task.empty()) return;
    tasks_->setCurrentIndex(tasks_->findData(QString::fromStdString(task)));
    picture_->showTask(*current_, task);
    showHeld();
}

// The answers beneath are those of the cell that is held.
void ScoresPage::showHeld() {
    const auto place = picture_->map()->held();
    const NeedleGrid& grid = picture_->map()->grid();
    if (!place || grid.isEmpty()) {
        details_->answers()->setPlace(std::nullopt, {});
        return;
    }
    details_->answers()->setPlace(
        AnswersProxy::Place{
            .task = grid.task, .length = grid.lengths[place->second], .depth = grid.depths[place->first]},
        tr("of the cell held in the map"));
}

NeedleMap* ScoresPage::map() const { return picture_->map(); }
QTableView* ScoresPage::valuesTable() const { return picture_->valuesTable(); }
Segments* ScoresPage::form() const { return picture_->form(); }
QString ScoresPage::reading() const { return picture_->reading(); }

void ScoresPage::openScore(const RunId& run, const QString& metric) {
    refresh();
    const Entry* best = nullptr;
    for (const Entry& entry : entries_)  // the last step comes first
        if (entry.run->id == run && !best)
            for (const ScoreSummary& summary : entry.record->summary)
                if (QString::fromStdString(score_metric(entry.record->kind, summary.name)) == metric)
                    best = &entry;
    if (best) choose(QString::fromStdString(best->record->file));
}

void ScoresPage::exportFigure() {
    if (!current_ || !run_) return;
    if (picture_->isMap())
        exportFigureOf(figureOfNeedles(run_, *current_, map()->grid().task), context_, this);
    else if (picture_->isPositions())
        exportFigureOf(figureOfPositions(run_, *current_), context_, this);
}

}  // namespace braid::ui
