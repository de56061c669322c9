#include "widgets/probe/measured_model.h"

#include <algorithm>
#include <cmath>

#include "widgets/common/format.h"

namespace braid::ui {

void MeasuredModel::show(const std::vector<MeasuredRun>& runs, const std::string& array) {
    beginResetModel();
    runs_.clear();
    arrays_.clear();
    begins_ = {0};
    axes_ = 0;
    for (const MeasuredRun& run : runs) {
        const MeasuredArray* found = run.record->find(array);
        if (!found || (!arrays_.empty() && found->axes.size() != arrays_.front()->axes.size())) continue;
        axes_ = int(found->axes.size());
        runs_.push_back(run);
        arrays_.push_back(found);
        begins_.push_back(begins_.back() + found->values.size());
    }
    endResetModel();
}

int MeasuredModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(begins_.back());
}

int MeasuredModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : first_axis + axes_ + LastCount;
}

std::pair<std::size_t, std::size_t> MeasuredModel::placeOf(int row) const {
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), std::size_t(row));
    const auto source = std::size_t(next - begins_.begin()) - 1;
    return {source, std::size_t(row) - begins_[source]};
}

QVariant MeasuredModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole && index.column() > 0) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole && role != Qt::ToolTipRole) return {};
    const auto [source, at] = placeOf(index.row());
    const MeasuredArray& array = *arrays_[source];
    const QString none = QStringLiteral("—");
    const auto number = [&](const std::vector<double>& list) {
        return list.empty() || !std::isfinite(list[at]) ? none : formatSignificant(list[at], 5);
    };
    const int column = index.column();
    if (column == 0) return runs_[source].name;
    if (column == 1) return formatCount(runs_[source].record->checkpoint.step.value);
    if (column < first_axis + axes_) {
        std::size_t rest = at;
        for (int axis = axes_ - 1; axis > column - first_axis; --axis)
            rest /= array.axes[std::size_t(axis)].ticks.size();
        const std::vector<AxisTick>& ticks = array.axes[std::size_t(column - first_axis)].ticks;
        return tickText(ticks[rest % ticks.size()]);
    }
    switch (column - first_axis - axes_) {
        case Value:
            if (role != Qt::DisplayRole && !std::isfinite(array.values[at]))
                return QString::fromStdString(array.missing);
            return number(array.values);
        case Low:
            return number(array.low);
        case High:
            return number(array.high);
        default:
            return array.samples.empty() ? none
                                         : formatCount(array.samples[array.samples.size() == 1 ? 0 : at]);
    }
}

QVariant MeasuredModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section > 0 ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    if (section == 0) return tr("Run");
    if (section == 1) return tr("Step");
    if (section < first_axis + axes_) {
        QString title = axisTitle(arrays_.front()->axes[std::size_t(section - first_axis)]);
        title[0] = title[0].toUpper();
        return title;
    }
    const QString unit = arrays_.empty() ? QString() : QString::fromStdString(arrays_.front()->unit);
    switch (section - first_axis - axes_) {
        case Value:
            return unit.isEmpty() ? tr("Value") : tr("Value, %1").arg(unit);
        case Low:
            return tr("From");
        case High:
            return tr("To (95 %)");
        default:
            return tr("Samples");
    }
}

}  // namespace braid::ui
