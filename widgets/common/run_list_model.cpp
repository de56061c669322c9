#include "widgets/common/run_list_model.h"

#include <algorithm>

namespace braid::ui {

// Newest first; name and id decide between runs of one second, so that the order never wavers.
bool RunListModel::before(const RunPointer& a, const RunPointer& b) {
    const std::string first = a->plan ? a->plan->created : std::string();
    const std::string second = b->plan ? b->plan->created : std::string();
    if (first != second) return first > second;
    if (a->name != b->name) return a->name < b->name;
    return a->id < b->id;
}

int RunListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(runs_.size());
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const RunPointer& run = runs_[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return run->name;
        case Qt::ToolTipRole:
            return run->problem.isEmpty() ? QVariant() : QVariant(run->problem);
        case RunRole:
            return QVariant::fromValue(run);
        case StateRole:
            return runStateText(run->state());
        case StudyRole:
            return run->study();
        default:
            return {};
    }
}

int RunListModel::rowOf(const RunId& id) const {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        if (runs_[i]->id == id) return int(i);
    }
    return -1;
}

void RunListModel::put(const RunPointer& run) {
    const int row = rowOf(run->id);
    if (row >= 0) {
        runs_[std::size_t(row)] = run;
        Q_EMIT dataChanged(index(row), index(row));
        return;
    }
    const auto place = std::lower_bound(runs_.begin(), runs_.end(), run, before);
    const int at = int(place - runs_.begin());
    beginInsertRows({}, at, at);
    runs_.insert(place, run);
    endInsertRows();
}

void RunListModel::remove(const RunId& id) {
    const int row = rowOf(id);
    if (row < 0) return;
    beginRemoveRows({}, row, row);
    runs_.erase(runs_.begin() + row);
    endRemoveRows();
}

void RunListModel::reset(std::vector<RunPointer> runs) {
    beginResetModel();
    runs_ = std::move(runs);
    std::sort(runs_.begin(), runs_.end(), before);
    endResetModel();
}

}  // namespace braid::ui
