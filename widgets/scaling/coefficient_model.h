// The fitted parameters of every curve with intervals, R^2, points, and what is not identified.
#pragma once

#include <QAbstractTableModel>

#include "widgets/scaling/scaling_content.h"

namespace braid::ui {

class CoefficientModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Colour, Name, A, Alpha, B, Beta, E, Fitted, HeldOut, Points, Identified, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void show(const ScalingContentPtr& content);
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool hasIrreducible() const;  // whether column E says anything
    std::size_t curveOf(int row) const { return rows_[std::size_t(row)]; }

private:
    const ScalingFit* fitOf(int row) const;
    QString textOf(int row, int column) const;

    ScalingContentPtr content_;
    std::vector<std::size_t> rows_;  // curves that have a fit
};

}  // namespace braid::ui
