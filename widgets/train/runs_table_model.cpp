#include "widgets/train/runs_table_model.h"

#include <algorithm>
#include <cmath>

#include "widgets/common/data_table.h"

namespace braid::ui {

int RunsTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}
int RunsTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(visible_.size());
}

RunPointer RunsTableModel::runAt(int row) const {
    return row >= 0 && row < rowCount() ? rows_[std::size_t(row)].run : nullptr;
}

int RunsTableModel::rowOf(const RunId& run) const {
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.run->id == run; });
    return found == rows_.end() ? -1 : int(found - rows_.begin());
}

bool RunsTableModel::isShown(const RunsColumn& column) const {
    const auto chosen = chosen_.find(column.id);
    if (chosen != chosen_.end()) return chosen->second;
    return column.kind != RunsColumnKind::setting || column.differs;
}

int RunsTableModel::sectionOf(const QString& id) const {
    for (std::size_t i = 0; i < visible_.size(); ++i)
        if (all_[std::size_t(visible_[i])].id == id) return int(i);
    return -1;
}

int RunsTableModel::pinnedCount() const {
    int count = 0;
    while (count < columnCount() && pinned_.contains(column(count).id)) ++count;
    return count;
}

int RunsTableModel::differing() const {
    return int(
        std::count_if(all_.begin(), all_.end(), [](const RunsColumn& column) { return column.differs; }));
}
int RunsTableModel::settings() const {
    return int(std::count_if(all_.begin(), all_.end(), [](const RunsColumn& column) {
        return column.kind == RunsColumnKind::setting;
    }));
}

RunsTableModel::Row RunsTableModel::makeRow(const RunPointer& run) {
    Row row{run, {}};
    row.cells.reserve(all_.size());
    for (const RunsColumn& column : all_) row.cells.push_back(catalogue_.cell(run, column));
    return row;
}

void RunsTableModel::arrange() {
    visible_.clear();
    for (const QString& id : pinned_)
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (all_[i].id == id && isShown(all_[i])) visible_.push_back(int(i));
    for (std::size_t i = 0; i < all_.size(); ++i)
        if (!pinned_.contains(all_[i].id) && isShown(all_[i])) visible_.push_back(int(i));
}

void RunsTableModel::rate() {
    best_.assign(all_.size(), std::nan(""));
    usual_.assign(all_.size(), QString());
    for (std::size_t c = 0; c < all_.size(); ++c) {
        const RunsColumn& column = all_[c];
        if (column.better != 0 && rows_.size() > 1)
            for (const Row& row : rows_) {
                const double value = row.cells[c].number;
                if (std::isnan(value)) continue;
                if (std::isnan(best_[c]) || value * column.better > best_[c] * column.better)
                    best_[c] = value;
            }
        if (!column.differs) continue;
        std::map<QString, std::size_t> counts;
        for (const Row& row : rows_) ++counts[row.cells[c].text];
        for (const auto& [text, count] : counts)
            if (2 * count > rows_.size()) usual_[c] = text;
    }
}

void RunsTableModel::show(const std::vector<RunPointer>& runs) {
    std::vector<RunsColumn> columns = catalogue_.columns(runs);
    const bool sameRuns = runs.size() == rows_.size() &&
                          std::equal(runs.begin(), runs.end(), rows_.begin(),
                                     [](const RunPointer& a, const Row& b) { return a->id == b.run->id; });
    if (!sameRuns || columns != all_) {
        const bool sameColumns = columns == all_;
        beginResetModel();
        all_ = std::move(columns);
        arrange();
        rows_.clear();
        for (const RunPointer& run : runs) rows_.push_back(makeRow(run));
        rate();
        endResetModel();
        if (!sameColumns) Q_EMIT columnsChanged();
        return;
    }
    const std::vector<double> best = best_;
    std::vector<int> changed;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (rows_[i].run != runs[i]) {
            rows_[i] = makeRow(runs[i]);
            changed.push_back(int(i));
        }
    if (changed.empty() || visible_.empty()) return;
    rate();
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (!std::equal(best.begin(), best.end(), best_.begin(), same)) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    for (const int row : changed) Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
}

void RunsTableModel::setChosen(std::map<QString, bool> chosen) {
    beginResetModel();
    chosen_ = std::move(chosen);
    arrange();
    endResetModel();
    Q_EMIT columnsChanged();
}

void RunsTableModel::setPinned(const QStringList& pinned) {
    beginResetModel();
    pinned_ = pinned;
    arrange();
    endResetModel();
    Q_EMIT columnsChanged();
}

QVariant RunsTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const RunsColumn& shown = column(section);
    switch (role) {
        case Qt::DisplayRole: {
            QString title = shown.title;
            if (!shown.unit.isEmpty()) title += QStringLiteral(", ") + shown.unit;
            return shown.differs ? title + QStringLiteral(" •") : title;
        }
        case Qt::TextAlignmentRole:
            return int((shown.numeric ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::ToolTipRole:
            return shown.differs ? tr("%1: the runs differ in this setting").arg(shown.id) : shown.id;
        default:
            return {};
    }
}

QVariant RunsTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const RunsColumn& shown = column(index.column());
    const auto c = std::size_t(visible_[std::size_t(index.column())]);
    const Row& row = rows_[std::size_t(index.row())];
    const RunsCell& cell = row.cells[c];
    switch (role) {
        case Qt::DisplayRole:
            return cell.missing() ? QVariant(QStringLiteral("—")) : QVariant(cell.text);
        case Qt::EditRole:
            return cell.missing()            ? QVariant()
                   : std::isnan(cell.number) ? QVariant(cell.text)
                                             : QVariant(cell.number);
        case Qt::TextAlignmentRole:
            return headerData(index.column(), Qt::Horizontal, role);
        case RunIndexRole:
            // With the progress it colours the bar of a run that works; alone it is the run's dash.
            return shown.id == QLatin1String("run") ||
                           (shown.id == QLatin1String("state") && row.run->active())
                       ? QVariant(row.run->paletteIndex)
                       : QVariant();
        case LayersRole:
            return shown.id == QLatin1String("layers") && row.run->plan
                       ? QVariant::fromValue(row.run->plan->architecture.layers)
                       : QVariant();
        case ProgressRole:
            return shown.id == QLatin1String("state") && row.run->active() ? QVariant(row.run->progress())
                                                                           : QVariant();
        case StatusRole:
            if (cell.missing()) return QStringLiteral("faint");
            return shown.id == QLatin1String("state") &&
                           (row.run->state() == RunState::failed || row.run->state() == RunState::lost)
                       ? QVariant(QStringLiteral("error"))
                       : QVariant();
        case BestRole:
            return !std::isnan(cell.number) && cell.number == best_[c];
        case DeviatingRole:
            return shown.differs && cell.text != usual_[c];
        case Qt::ToolTipRole:
            if (shown.id == QLatin1String("run") && !row.run->problem.isEmpty()) return row.run->problem;
            if (shown.kind == RunsColumnKind::score && !cell.missing())
                return tr("Open the score with a double click");
            return shown.id == QLatin1String("layers") ? QVariant(cell.text) : QVariant();
        case Qt::AccessibleTextRole:
            return cell.missing() ? QVariant(tr("none")) : QVariant(cell.text);
        default:
            return {};
    }
}

RunsTableProxy::RunsTableProxy(RunsTableModel* model, QObject* parent)
    : QSortFilterProxyModel(parent), model_(model) {
    setSourceModel(model);
    setDynamicSortFilter(true);
    // The names of a filter are those of the columns there are.
    connect(model, &RunsTableModel::columnsChanged, this, [this] { setFilter(text_); });
}

void RunsTableProxy::setFilter(const QString& text) {
    text_ = text;
    filter_ = RunsFilter::parse(text, model_->allColumns());
    invalidateFilter();
}

RunPointer RunsTableProxy::runAt(int row) const {
    return row < 0 || row >= rowCount() ? nullptr : model_->runAt(mapToSource(index(row, 0)).row());
}

bool RunsTableProxy::filterAcceptsRow(int row, const QModelIndex&) const {
    return filter_.isEmpty() || filter_.accepts(model_->cells(row));
}

bool RunsTableProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const RunsCell& a = model_->cell(left.row(), left.column());
    const RunsCell& b = model_->cell(right.row(), right.column());
    // The view turns "less" around for a descending order, so that "last" is "less" there.
    if (a.missing() != b.missing()) return sortOrder() == Qt::AscendingOrder ? b.missing() : a.missing();
    const bool numbers[] = {!std::isnan(a.number), !std::isnan(b.number)};
    if (numbers[0] && numbers[1] && a.number != b.number) return a.number < b.number;
    if (numbers[0] != numbers[1]) return numbers[0];
    if (!numbers[0])
        if (const int order = QString::localeAwareCompare(a.text, b.text); order != 0) return order < 0;
    return false;  // the sort is stable: the newest run stays first
}

}  // namespace braid::ui
