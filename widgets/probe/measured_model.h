// Values of one array of several runs as a table: what the pictures show, in numbers.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "widgets/common/measured_views.h"

namespace braid::ui {

class MeasuredModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    // The records live on behind the runs.
    void show(const std::vector<MeasuredRun>& runs, const std::string& array);
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    // Run and step, the axes, then these.
    enum Last { Value, Low, High, Samples, LastCount };
    static constexpr int first_axis = 2;
    std::pair<std::size_t, std::size_t> placeOf(int row) const;  // source, index of the value

    std::vector<MeasuredRun> runs_;
    std::vector<const MeasuredArray*> arrays_;  // one a run
    std::vector<std::size_t> begins_ = {0};     // first row of each run, and the end
    int axes_ = 0;
};

}  // namespace braid::ui
