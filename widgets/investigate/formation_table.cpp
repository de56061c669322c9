#include "widgets/investigate/formation_table.h"

#include <algorithm>
#include <limits>

#include "widgets/common/data_table.h"
#include "widgets/common/format.h"

namespace braid::ui {

void FormationTableModel::show(const Investigation& investigation, const QString& early,
                               std::size_t earlyVariant, const QString& late, std::size_t lateVariant) {
    beginResetModel();
    early_ = early;
    late_ = late;
    rows_.clear();
    for (const FormationPair& pair : investigation.pairs(earlyVariant, lateVariant))
        rows_.push_back({pair, investigation.find(earlyVariant, pair.seed)->formedText(),
                         investigation.find(lateVariant, pair.seed)->formedText()});
    sortRows();
    endResetModel();
}

void FormationTableModel::sort(int column, Qt::SortOrder order) {
    if (column < 0 || column >= ColumnCount) return;
    sorted_ = column;
    order_ = order;
    beginResetModel();
    sortRows();
    endResetModel();
}

// What has not formed comes behind all that has.
void FormationTableModel::sortRows() {
    const auto tokens = [](const HeadFormation& formation) {
        return formation.formed ? double(*formation.formed) : std::numeric_limits<double>::infinity();
    };
    const auto key = [&](const Row& row) {
        switch (sorted_) {
            case Early:
                return tokens(row.pair.early);
            case Late:
                return tokens(row.pair.late);
            case Ratio:
                return row.pair.ratio().value_or(std::numeric_limits<double>::infinity());
            case Verdict:
                return double(row.pair.holds());
            default:
                return double(row.pair.seed);
        }
    };
    std::stable_sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) {
        return order_ == Qt::AscendingOrder ? key(a) < key(b) : key(b) < key(a);
    });
}

int FormationTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}
int FormationTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FormationTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Verdict ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Seed:
            return tr("Seed");
        case Early:
            return early_;
        case Late:
            return late_;
        case Ratio:
            return tr("Times");
        default:
            return tr("Finding");
    }
}

QVariant FormationTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = rows_[std::size_t(index.row())];
    if (role == Qt::TextAlignmentRole) return headerData(index.column(), Qt::Horizontal, role);
    if (role == StatusRole && index.column() == Verdict)
        return row.pair.holds() ? QStringLiteral("ok") : QStringLiteral("warn");
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Seed:
            return QString::number(row.pair.seed);
        case Early:
            return row.early;
        case Late:
            return row.late;
        case Ratio: {
            const std::optional<double> ratio = row.pair.ratio();
            if (!ratio) return QStringLiteral("—");
            return (row.pair.late.formed ? QString() : QStringLiteral("> ")) + formatFixed(*ratio, 2);
        }
        default:
            return row.pair.holds() ? tr("holds") : tr("not so");
    }
}

}  // namespace braid::ui
