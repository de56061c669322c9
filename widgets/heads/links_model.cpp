#include "widgets/heads/links_model.h"

#include <cmath>

#include "widgets/common/data_table.h"
#include "widgets/common/format.h"

namespace braid::ui {

void LinksModel::setLinks(CapturePointer capture, std::vector<AttentionLink> links) {
    beginResetModel();
    capture_ = std::move(capture);
    links_ = std::move(links);
    endResetModel();
}

int LinksModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(links_.size());
}
int LinksModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant LinksModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !capture_) return {};
    const AttentionLink& link = links_[std::size_t(index.row())];
    const int column = index.column();
    if (role == SortRole) {
        switch (column) {
            case QueryColumn:
                return qlonglong(link.query);
            case KeyColumn:
                return qlonglong(link.key);
            case DistanceColumn:
                return qlonglong(link.query - link.key);
            default:
                return std::abs(double(link.weight));
        }
    }
    if (role == Qt::TextAlignmentRole)
        return int((column >= DistanceColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == ProgressRole && column == WeightColumn) {
        const double most = links_.empty() ? 1 : std::abs(double(links_.front().weight));
        return most > 0 ? std::abs(double(link.weight)) / most : 0.0;
    }
    if (role == Qt::DisplayRole) {
        switch (column) {
            case QueryColumn:
                return tokenText(*capture_, link.query).trimmed();
            case KeyColumn:
                return tokenText(*capture_, link.key).trimmed();
            case DistanceColumn:
                return formatCount(link.query - link.key);
            default:
                return formatFixed(double(link.weight), 3);
        }
    }
    if (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole) {
        if (role == Qt::AccessibleTextRole && column > KeyColumn) return data(index, Qt::DisplayRole);
        const std::int64_t token = column == KeyColumn ? link.key : link.query;
        if (role == Qt::AccessibleTextRole)
            return tr("%1, token %2").arg(tokenText(*capture_, token), formatCount(token));
        return tr("query %1 “%2”, key %3 “%4”, weight %5")
            .arg(formatCount(link.query), tokenText(*capture_, link.query), formatCount(link.key),
                 tokenText(*capture_, link.key), formatSignificant(double(link.weight), 4));
    }
    return {};
}

QVariant LinksModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section >= DistanceColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case QueryColumn:
            return tr("Query");
        case KeyColumn:
            return tr("Key");
        case DistanceColumn:
            return tr("Distance");
        default:
            return tr("Weight");
    }
}

}  // namespace braid::ui
