// The largest weights of a head as a table: the map for those who do not see it, and for copying.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/attention/top_links.h"
#include "widgets/heads/open_head.h"

namespace braid::ui {

class LinksModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { QueryColumn, KeyColumn, DistanceColumn, WeightColumn, ColumnCount };
    enum Role { SortRole = Qt::UserRole + 1, LinkRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setLinks(CapturePointer capture, std::vector<AttentionLink> links);
    const AttentionLink& link(int row) const { return links_[std::size_t(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    CapturePointer capture_;
    std::vector<AttentionLink> links_;
};

}  // namespace braid::ui
