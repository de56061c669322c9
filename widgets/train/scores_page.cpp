#include "widgets/train/scores_page.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/segments.h"
#include "widgets/plot/curve_plot.h"
#include "widgets/train/answers_view.h"
#include "widgets/train/figure_of_view.h"
#include "widgets/train/needle_map.h"
#include "widgets/train/run_panel.h"
#include "widgets/train/score_details.h"

namespace braid::ui {

namespace {

constexpr int file_role = Qt::UserRole + 1;
enum Form { Map, Values };
enum Top { MapPage, ValuesPage, SeriesPage, NoMapPage };

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
      form_(new Segments(tr("Shown as"), {tr("Map"), tr("Values")})),
      figure_(makeButton(tr("Figure"), QStringLiteral("figure"))),
      score_(makePrimaryButton(tr("Score..."))),
      list_(new QStandardItemModel(this)),
      values_(new QStandardItemModel(this)),
      list_view_(new DataTable(tr("Scores"))),
      values_view_(new DataTable(tr("Scores by depth and length"))),
      map_(new NeedleMap),
      series_(new CurvePlot),
      reading_(new TextLabel({}, TypeStep::table, 400, 2)),
      no_map_(new TextLabel({}, TypeStep::control, 400, 2)),
      top_(new QStackedWidget),
      pages_(new QStackedWidget),
      picture_(new QWidget),
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
    connect(&session, &ProjectSession::runRemoved, this, later);
}

void ScoresPage::makeToolbar() {
    steps_->setAccessibleName(tr("Step of the checkpoint"));
    tasks_->setAccessibleName(tr("Task"));
    for (QComboBox* box : {steps_, tasks_}) box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    form_->setCurrent(Map);
    auto* command = makeIconButton(QStringLiteral("copy"), tr("Copy as command"));
    for (QWidget* widget : std::initializer_list<QWidget*>{steps_, tasks_, form_, command, figure_, score_})
        toolbar_->addWidget(widget);
    connect(steps_, &QComboBox::activated, this, [this] { choose(steps_->currentData().toString()); });
    connect(tasks_, &QComboBox::activated, this,
            [this] { showTask(tasks_->currentData().toString().toStdString()); });
    connect(form_, &Segments::chosen, this,
            [this] { showTask(tasks_->currentData().toString().toStdString()); });
    connect(figure_, &QPushButton::clicked, this, &ScoresPage::exportFigure);
    connect(command, &QToolButton::clicked, this, [this] {
        if (!current_) return;
        QApplication::clipboard()->setText(QString::fromStdString(current_->command));
        context_.shell.showStatus(tr("Copied the command of this score"));
    });
}

QWidget* ScoresPage::makeContent() {
    list_view_->setModel(list_);
    list_view_->setSortingEnabled(false);
    list_view_->setSelectionMode(QAbstractItemView::SingleSelection);
    values_view_->setModel(values_);
    values_view_->setSortingEnabled(false);
    series_->setTitle(tr("Loss by position"), tr("nats per token"));
    series_->setCountsOnX(true, false);
    no_map_->setAlignment(Qt::AlignCenter);
    for (QWidget* page : std::initializer_list<QWidget*>{map_, values_view_, series_, no_map_})
        top_->addWidget(page);
    auto* picture = new QVBoxLayout(picture_);
    picture->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap2);
    picture->setSpacing(metrics::gap1);
    picture->addWidget(top_, 1);
    picture->addWidget(reading_);
    reading_->setElided(Qt::ElideRight);
    // Pictures stand on the colour of a page.
    picture_->setAutoFillBackground(true);
    const auto repaint = [this] {
        QPalette palette = picture_->palette();
        palette.setColor(QPalette::Window, tokens().surface);
        picture_->setPalette(palette);
    };
    connect(&Theme::instance(), &Theme::changed, this, repaint);
    repaint();
    auto* right = new QSplitter(Qt::Vertical);
    right->setHandleWidth(1);
    right->addWidget(picture_);
    right->addWidget(details_);
    right->setStretchFactor(0, 3);
    right->setStretchFactor(1, 2);
    right->setSizes({420, 300});
    auto* all = new QSplitter(Qt::Horizontal);
    all->setHandleWidth(1);
    all->addWidget(list_view_);
    all->addWidget(right);
    all->setStretchFactor(1, 1);
    all->setSizes({350, 700});
    connect(list_view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                const QString file = list_->index(index.row(), 0).data(file_role).toString();
                if (!file.isEmpty() && file != file_) choose(file);
            });
    connect(map_, &NeedleMap::readChanged, this, &ScoresPage::showReading);
    connect(map_, &NeedleMap::heldChanged, this, &ScoresPage::showHeld);
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
    entries_ = std::move(entries);
    const QString reason = context_.session.runs()->runs().empty() ? tr("The project has no run yet")
                                                                   : context_.commands.unavailableReason();
    setDisabledReason(score_, reason);
    setDisabledReason(empty_->button(), reason);
    pages_->setCurrentIndex(entries_.empty() ? 0 : 1);
    if (same) return;
    fillList();
    if (entries_.empty()) {
        current_.reset();
        run_ = nullptr;
        details_->show(nullptr);
        toolbar_->setTitle(tr("Scores"));
        toolbar_->setNote({});
        return;
    }
    choose(find(file_) ? file_ : QString::fromStdString(entries_.front().record->file));
}

void ScoresPage::fillList() {
    list_->clear();
    list_->setHorizontalHeaderLabels({tr("Run"), tr("Score"), tr("Step"), tr("Result")});
    for (const int column : {2, 3})
        list_->setHeaderData(column, Qt::Horizontal, int(Qt::AlignRight | Qt::AlignVCenter),
                             Qt::TextAlignmentRole);
    for (const Entry& entry : entries_) {
        const ScoreSummary* first = headline(*entry.record);
        auto* run = new QStandardItem(entry.run->name);
        run->setData(entry.run->paletteIndex, RunIndexRole);
        run->setData(QString::fromStdString(entry.record->file), file_role);
        auto* kind = new QStandardItem(first ? QString::fromStdString(first->name)
                                             : scoreKindTitle(entry.record->kind));
        kind->setToolTip(scoreKindTitle(entry.record->kind));
        auto* step = new QStandardItem(formatCount(entry.record->checkpoint.step.value));
        auto* value = new QStandardItem(first ? scoreText(first->value, QString::fromStdString(first->unit))
                                              : QString());
        for (QStandardItem* item : {step, value}) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        for (QStandardItem* item : {run, kind, step, value}) item->setEditable(false);
        list_->appendRow({run, kind, step, value});
    }
    list_view_->resizeColumnsToContents();
    list_view_->setColumnWidth(0, std::min(list_view_->columnWidth(0), 118));
    list_view_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
}

void ScoresPage::choose(const QString& file) {
    const Entry* entry = find(file);
    if (!entry) return;
    file_ = file;
    run_ = entry->run;
    current_ = *entry->record;
    if (active_) panel_->showRun(run_);
    for (int row = 0; row < list_->rowCount(); ++row)
        if (list_->index(row, 0).data(file_role).toString() == file &&
            list_view_->currentIndex().row() != row)
            list_view_->selectRow(row);
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
    const bool mapped = !tasks.empty();
    tasks_->setVisible(tasks.size() > 1);
    form_->setVisible(mapped);
    figure_->setVisible(mapped);
    details_->show(&*current_);
    if (mapped)
        showTask(std::find(tasks.begin(), tasks.end(), before) != tasks.end() ? before : tasks.front());
    else
        showSeries();
    showHeld();
}

void ScoresPage::showTask(const std::string& task) {
    if (!current_ || task.empty()) return;
    tasks_->setCurrentIndex(tasks_->findData(QString::fromStdString(task)));
    map_->show(needleGrid(*current_, task));
    const NeedleGrid& grid = map_->grid();
    values_->clear();
    QStringList header{tr("Depth")};
    for (const std::int64_t length : grid.lengths) header << formatCount(length);
    values_->setHorizontalHeaderLabels(header);
    for (std::size_t d = 0; d < grid.depths.size(); ++d) {
        QList<QStandardItem*> row{new QStandardItem(depthText(grid.depths[d]))};
        for (std::size_t l = 0; l < grid.lengths.size(); ++l) {
            const NeedleCell& cell = grid.at(d, l);
            auto* item = new QStandardItem(cell.value ? formatFixed(*cell.value, grid.unit == "%" ? 1 : 3)
                                                      : QStringLiteral("—"));
            item->setToolTip(needleText(grid, d, l));
            item->setAccessibleText(needleText(grid, d, l));
            row << item;
        }
        for (QStandardItem* item : row) {
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            item->setEditable(false);
        }
        values_->appendRow(row);
    }
    for (int column = 0; column < values_->columnCount(); ++column)
        values_->setHeaderData(column, Qt::Horizontal, int(Qt::AlignRight | Qt::AlignVCenter),
                               Qt::TextAlignmentRole);
    top_->setCurrentIndex(form_->current() == Values ? ValuesPage : MapPage);
    showReading();
    showHeld();
}

void ScoresPage::showSeries() {
    map_->show({});
    if (!current_->series || current_->series->position.empty()) {
        no_map_->setText(tr("The numbers of this score are beneath."));
        top_->setCurrentIndex(NoMapPage);
        picture_->setVisible(false);
        return;
    }
    picture_->setVisible(true);
    const LossSeries& series = *current_->series;
    series_->setSeries({{.id = QStringLiteral("loss"),
                         .label = run_->name,
                         .curve = Curve::make(series.position, series.loss),
                         .colour = run_->paletteIndex}});
    series_->fit();
    top_->setCurrentIndex(SeriesPage);
    reading_->setText(tr("Mean loss at each position of the context."));
}

void ScoresPage::showReading() {
    if (map_->grid().isEmpty()) return;
    picture_->setVisible(true);
    const auto place = map_->read();
    reading_->setText(place ? needleText(map_->grid(), place->first, place->second)
                            : tr("Point at a cell to read it; a click holds it and shows its answers."));
}

// The answers beneath are those of the cell that is held.
void ScoresPage::showHeld() {
    const auto place = map_->held();
    const NeedleGrid& grid = map_->grid();
    if (!place || grid.isEmpty()) {
        details_->answers()->setPlace(std::nullopt, {});
        return;
    }
    details_->answers()->setPlace(
        AnswersProxy::Place{
            .task = grid.task, .length = grid.lengths[place->second], .depth = grid.depths[place->first]},
        tr("of the cell held in the map"));
}

QString ScoresPage::reading() const { return reading_->text(); }

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
    if (!current_ || map_->grid().isEmpty() || !run_) return;
    exportFigureOf(figureOfNeedles(run_, *current_, map_->grid().task), context_, this);
}

}  // namespace braid::ui
