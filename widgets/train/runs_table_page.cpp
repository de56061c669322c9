#include "widgets/train/runs_table_page.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/pinned_table.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/segments.h"
#include "widgets/train/column_chooser.h"
#include "widgets/train/run_panel.h"
#include "widgets/train/runs_table_model.h"

namespace braid::ui {

namespace {

const QString shown_key = QStringLiteral("train/runsTable/shown");
const QString hidden_key = QStringLiteral("train/runsTable/hidden");
const QString pinned_key = QStringLiteral("train/runsTable/pinned");

// As wide as a few conditions; the toolbar folds by size hints.
class FilterEdit : public QLineEdit {
public:
    QSize sizeHint() const override { return {236, metrics::control}; }
};

QString quoted(QString text, QChar separator) {
    if (separator == QLatin1Char('\t')) return text.replace(QLatin1Char('\t'), QLatin1Char(' '));
    if (!text.contains(separator) && !text.contains(QLatin1Char('"')) && !text.contains(QLatin1Char('\n')))
        return text;
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

}  // namespace

RunsTablePage::RunsTablePage(const WorkspaceContext& context, RunPanel* panel, QWidget* parent)
    : QWidget(parent),
      context_(context),
      panel_(panel),
      toolbar_(new PageToolbar(tr("Runs"))),
      which_(new Segments(tr("Runs shown"), {tr("All"), tr("Selected")})),
      filter_(new FilterEdit),
      problem_(new TextLabel({}, TypeStep::table, 400, 1)),
      score_(makeButton(tr("Score..."), QStringLiteral("check"))),
      open_(makeButton(tr("Show curves"), QStringLiteral("train"))),
      model_(new RunsTableModel(this)),
      proxy_(new RunsTableProxy(model_, this)),
      table_(new PinnedTable(tr("Runs by scores"))),
      pages_(new QStackedWidget),
      empty_(new EmptyState(tr("The project has no run yet."))) {
    makeToolbar();
    const QSettings settings;
    std::map<QString, bool> chosen;
    for (const QString& id : settings.value(shown_key).toStringList()) chosen[id] = true;
    for (const QString& id : settings.value(hidden_key).toStringList()) chosen[id] = false;
    model_->setChosen(std::move(chosen));
    model_->setPinned(settings.value(pinned_key, QStringList{QStringLiteral("run")}).toStringList());
    table_->setModel(proxy_);
    table_->sortByColumn(-1, Qt::AscendingOrder);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    for (QHeaderView* header : {table_->horizontalHeader(), table_->pinnedView()->horizontalHeader()})
        header->setContextMenuPolicy(Qt::CustomContextMenu);

    problem_->setStatus(QStringLiteral("warn"));
    problem_->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, metrics::gap1);
    problem_->hide();
    pages_->addWidget(table_);
    pages_->addWidget(empty_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(toolbar_);
    layout->addWidget(problem_);
    layout->addWidget(pages_, 1);

    connect(model_, &RunsTableModel::columnsChanged, this, &RunsTablePage::columnsChanged);
    connect(table_, &QTableView::activated, this, &RunsTablePage::activated);
    connect(table_, &QWidget::customContextMenuRequested, this, &RunsTablePage::showMenu);
    connect(table_->horizontalHeader(), &QWidget::customContextMenuRequested, this,
            [this](const QPoint& place) { showHeaderMenu(place, false); });
    connect(table_->pinnedView()->horizontalHeader(), &QWidget::customContextMenuRequested, this,
            [this](const QPoint& place) { showHeaderMenu(place, true); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        if (active_) panel_->showRun(currentRun());
    });
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const bool any = !selectedRuns().empty();
        setDisabledReason(score_, any ? QString() : tr("Select a run"));
        setDisabledReason(open_, any ? QString() : tr("Select runs"));
    });
    const auto later = [this] {
        if (active_) throttle_.request();
    };
    ProjectSession& session = context_.session;
    for (const auto signal : {&ProjectSession::opened, &ProjectSession::selectedRunsChanged})
        connect(&session, signal, this, later);
    connect(&session, &ProjectSession::runChanged, this, later);
    connect(&session, &ProjectSession::runRemoved, this, later);
}

void RunsTablePage::makeToolbar() {
    filter_->setPlaceholderText(tr("Filter: swa loss<3 window=64"));
    filter_->setAccessibleName(tr("Filter runs"));
    filter_->setAccessibleDescription(tr("Words, and comparisons of columns such as loss<3 or window=64"));
    filter_->setToolTip(
        tr("Words and comparisons, all of which must hold: swa loss<3 window=64 data:novels"));
    filter_->setClearButtonEnabled(true);
    filter_->setFixedSize(filter_->sizeHint());
    filter_->addAction(icon(QStringLiteral("filter")), QLineEdit::LeadingPosition);
    which_->setCurrent(0);
    QPushButton* columns = makeButton(tr("Columns..."));
    QPushButton* copies = makeButton(tr("Copy"), QStringLiteral("copy"));
    auto* menu = new QMenu(copies);
    menu->addAction(tr("Copy as table (TSV)"), this, [this] { copy(QLatin1Char('\t')); });
    menu->addAction(tr("Copy as CSV"), this, [this] { copy(QLatin1Char(',')); });
    connect(copies, &QPushButton::clicked, menu,
            [menu, copies] { menu->popup(copies->mapToGlobal(QPoint(0, copies->height()))); });
    setDisabledReason(score_, tr("Select a run"));
    setDisabledReason(open_, tr("Select runs"));
    for (QWidget* widget : std::initializer_list<QWidget*>{filter_, which_, columns, copies, score_, open_})
        toolbar_->addWidget(widget);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        proxy_->setFilter(text);
        problem_->setText(proxy_->problem());
        problem_->setVisible(!proxy_->problem().isEmpty());
        refresh();
    });
    connect(which_, &Segments::chosen, this, &RunsTablePage::refresh);
    connect(columns, &QPushButton::clicked, this, &RunsTablePage::chooseColumns);
    connect(open_, &QPushButton::clicked, this, [this] { Q_EMIT openRuns(selectedRuns()); });
    connect(score_, &QPushButton::clicked, this, [this] {
        if (const RunPointer run = currentRun()) Q_EMIT scoreRun(run->id);
    });
}

void RunsTablePage::setActive(bool active) {
    active_ = active;
    if (!active) return;
    refresh();
    if (const RunPointer run = currentRun()) panel_->showRun(run);
}

void RunsTablePage::refresh() {
    ProjectSession& session = context_.session;
    std::vector<RunPointer> runs;
    if (which_->current() == 1) {
        for (const RunId& id : session.selectedRuns())
            if (const RunPointer run = session.run(id)) runs.push_back(run);
    } else {
        runs = session.runs()->runs();
    }
    const RunPointer before = currentRun();
    const int scrolled = table_->horizontalScrollBar()->value();
    const std::vector<RunId> selected = selectedRuns();
    model_->show(runs);
    if (before && !currentRun()) {  // a reset forgets the selection
        QItemSelection again;
        for (const RunId& id : selected) {
            const int row = model_->rowOf(id);
            if (row < 0) continue;
            const QModelIndex index = proxy_->mapFromSource(model_->index(row, 0));
            if (index.isValid()) again.select(index, index);
        }
        const int row = model_->rowOf(before->id);
        const QModelIndex current = row < 0 ? QModelIndex() : proxy_->mapFromSource(model_->index(row, 0));
        if (current.isValid())
            table_->selectionModel()->setCurrentIndex(current, QItemSelectionModel::NoUpdate);
        table_->selectionModel()->select(again,
                                         QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        table_->horizontalScrollBar()->setValue(scrolled);
    }
    const int shown = proxy_->rowCount();
    toolbar_->setTitle(shown == model_->rowCount() ? shown == 1 ? tr("1 run") : tr("%1 runs").arg(shown)
                                                   : tr("%1 of %2 runs").arg(shown).arg(model_->rowCount()));
    toolbar_->setNote(model_->rowCount() > 1
                          ? tr("%1 of %2 settings differ").arg(model_->differing()).arg(model_->settings())
                          : QString());
    empty_->setSentence(model_->rowCount() > 0   ? tr("No run fits the filter.")
                        : which_->current() == 1 ? tr("Select runs in the project to compare them here.")
                                                 : tr("The project has no run yet."));
    pages_->setCurrentIndex(shown > 0 ? 0 : 1);
}

void RunsTablePage::columnsChanged() {
    table_->setPinnedCount(model_->pinnedCount());
    table_->fitColumns();
}

void RunsTablePage::saveColumns() const {
    QStringList shown, hidden;
    for (const auto& [id, on] : model_->chosen()) (on ? shown : hidden) << id;
    QSettings settings;
    settings.setValue(shown_key, shown);
    settings.setValue(hidden_key, hidden);
    settings.setValue(pinned_key, model_->pinned());
}

ColumnChooser* RunsTablePage::chooseColumns() {
    auto* chooser = new ColumnChooser(model_, this);
    chooser->setAttribute(Qt::WA_DeleteOnClose);
    connect(chooser, &ColumnChooser::chosen, this, &RunsTablePage::saveColumns);
    chooser->open();
    return chooser;
}

RunPointer RunsTablePage::currentRun() const { return proxy_->runAt(table_->currentIndex().row()); }

std::vector<RunId> RunsTablePage::selectedRuns() const {
    std::vector<RunId> runs;
    if (const RunPointer current = currentRun();
        current && table_->selectionModel()->isRowSelected(table_->currentIndex().row(), {}))
        runs.push_back(current->id);
    for (const QModelIndex& index : table_->selectionModel()->selectedRows())
        if (const RunPointer run = proxy_->runAt(index.row());
            run && std::find(runs.begin(), runs.end(), run->id) == runs.end())
            runs.push_back(run->id);
    return runs;
}

void RunsTablePage::activated(const QModelIndex& index) {
    const RunPointer run = proxy_->runAt(index.row());
    if (!run) return;
    const RunsColumn& column = model_->column(index.column());
    if (column.kind == RunsColumnKind::score && run->latest(column.id.toStdString()))
        Q_EMIT openScore(run->id, column.id);
    else
        Q_EMIT openRuns({run->id});
}

void RunsTablePage::showMenu(const QPoint& place) {
    const QModelIndex index = table_->indexAt(place);
    const RunPointer run = proxy_->runAt(index.row());
    if (!run) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Show curves"), this, [this] { Q_EMIT openRuns(selectedRuns()); });
    const QString id = model_->column(index.column()).id;
    if (model_->column(index.column()).kind == RunsColumnKind::score)
        menu->addAction(tr("Open score"), this, [this, run, id] { Q_EMIT openScore(run->id, id); });
    menu->addAction(tr("Score..."), this, [this, run] { Q_EMIT scoreRun(run->id); });
    menu->addSeparator();
    menu->addAction(tr("Copy rows"), this, [this] { copy(QLatin1Char('\t')); });
    // What the header offers to the mouse.
    fillColumnMenu(*menu->addMenu(tr("Column \"%1\"").arg(model_->column(index.column()).title)),
                   index.column());
    menu->popup(table_->viewport()->mapToGlobal(place));
}

void RunsTablePage::showHeaderMenu(const QPoint& place, bool pinned) {
    QHeaderView* header = pinned ? table_->pinnedView()->horizontalHeader() : table_->horizontalHeader();
    const int section = header->logicalIndexAt(place);
    if (section < 0) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillColumnMenu(*menu, section);
    menu->popup(header->viewport()->mapToGlobal(place));
}

void RunsTablePage::fillColumnMenu(QMenu& menu, int section) {
    const QString id = model_->column(section).id;
    menu.addAction(tr("Sort ascending"), this,
                   [this, section] { table_->sortByColumn(section, Qt::AscendingOrder); });
    menu.addAction(tr("Sort descending"), this,
                   [this, section] { table_->sortByColumn(section, Qt::DescendingOrder); });
    menu.addSeparator();
    const bool stays = model_->pinned().contains(id);
    menu.addAction(stays ? tr("Unpin column") : tr("Pin column at the left"), this, [this, id, stays] {
        QStringList pins = model_->pinned();
        if (stays)
            pins.removeAll(id);
        else
            pins << id;
        model_->setPinned(pins);
        saveColumns();
    });
    menu.addAction(tr("Hide column"), this, [this, id] {
        std::map<QString, bool> chosen = model_->chosen();
        chosen[id] = false;
        model_->setChosen(std::move(chosen));
        saveColumns();
    });
    menu.addAction(tr("Columns..."), this, &RunsTablePage::chooseColumns);
}

QString RunsTablePage::text(QChar separator) const {
    QStringList lines, fields;
    for (int column = 0; column < model_->columnCount(); ++column)
        fields << quoted(model_->column(column).title, separator);
    lines << fields.join(separator);
    QList<int> rows;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows()) rows << index.row();
    std::sort(rows.begin(), rows.end());
    if (rows.size() < 2) {  // one is selected as a matter of course
        rows.clear();
        for (int row = 0; row < proxy_->rowCount(); ++row) rows << row;
    }
    for (const int row : rows) {
        fields.clear();
        for (int column = 0; column < model_->columnCount(); ++column) {
            const QVariant value = proxy_->index(row, column).data(Qt::EditRole);
            fields << (value.userType() == QMetaType::Double
                           ? QString::fromStdString(exact_number(value.toDouble()))
                           : quoted(value.toString(), separator));
        }
        lines << fields.join(separator);
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void RunsTablePage::copy(QChar separator) {
    QApplication::clipboard()->setText(text(separator));
    context_.shell.showStatus(tr("Copied the table"));
}

}  // namespace braid::ui
