// Seed by seed: when a head formed in one variant, when in the other, and how many times later.
#pragma once

#include <QAbstractTableModel>

#include "widgets/investigate/investigation.h"

namespace braid::ui {

class FormationTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Seed, Early, Late, Ratio, Verdict, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void show(const Investigation& investigation, const QString& early, std::size_t earlyVariant,
              const QString& late, std::size_t lateVariant);
    std::uint64_t seedAt(int row) const { return rows_[std::size_t(row)].pair.seed; }
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    struct Row {
        FormationPair pair;
        QString early, late;
    };
    QString early_, late_;
    void sortRows();

    std::vector<Row> rows_;
    int sorted_ = Seed;
    Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace braid::ui
