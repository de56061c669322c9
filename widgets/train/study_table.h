// "Tokens to 0.9 far recall" as a table: one row a variant, with bars.
#pragma once

#include <QAbstractTableModel>

#include "widgets/train/study_summary.h"

class QTableView;

namespace braid::ui {

class StudyTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Run, Hybrid, Layers, Position, Step, Tokens, Bar, Final, Error, Time, ColumnCount };
    enum Role { FractionRole = Qt::UserRole + 200 };  // of the longest bar; negative: never got there

    using QAbstractTableModel::QAbstractTableModel;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void show(const StudySpec& spec, StudySummary summary);
    RunPointer runAt(int row) const;

private:
    QString measure_;
    double threshold_ = 0.9;
    StudySummary summary_;
};

// The view with its delegate; as high as its rows.
inline constexpr int hybrid_width = 122;  // of the column of names, where all columns are shown
QTableView* makeStudyTable(StudyTableModel* model);

}  // namespace braid::ui
