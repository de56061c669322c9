// The runs of the view side by side: what differs between them, and how they stand.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "widgets/common/run_view.h"

namespace braid::ui {

class ComparisonModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void show(std::vector<RunPointer> runs);
    void setOnlyDiffering(bool only);
    bool onlyDiffering() const { return only_differing_; }
    RunPointer runAt(int row) const;
    // Training settings in which the runs differ, of all settings: "4 of 31 parameters differ".
    int differing() const { return differing_; }
    int settings() const { return settings_; }

private:
    struct Column {
        QString title;
        QString key;  // of the training settings; "@name", "@layers", ... for the fixed ones
        bool right = false;
        bool differs = false;
    };
    QString text(const RunPointer& run, const Column& column) const;
    void rebuild();

    std::vector<RunPointer> runs_;
    std::vector<Column> columns_;
    bool only_differing_ = false;
    int differing_ = 0, settings_ = 0;
};

}  // namespace braid::ui
