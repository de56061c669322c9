// Runs by their results: one row a run, columns as chosen. Sorting and filtering are RunsTableProxy's.
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <map>
#include <set>
#include <vector>

#include "widgets/train/runs_columns.h"
#include "widgets/train/runs_filter.h"

namespace braid::ui {

class RunsTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    // Qt::EditRole is the number where there is one: for sorting, and in full precision for files.
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    // Rows whose snapshot is the same as before are left alone.
    void show(const std::vector<RunPointer>& runs);
    // Column ids against the default, which shows everything but settings in which all runs agree.
    void setChosen(std::map<QString, bool> chosen);
    const std::map<QString, bool>& chosen() const { return chosen_; }
    // Ids of columns that stand first, in this order.
    void setPinned(const QStringList& pinned);
    const QStringList& pinned() const { return pinned_; }
    int pinnedCount() const;

    RunPointer runAt(int row) const;
    int rowOf(const RunId& run) const;
    const RunsColumn& column(int section) const { return all_[std::size_t(visible_[std::size_t(section)])]; }
    const std::vector<RunsColumn>& allColumns() const { return all_; }
    bool isShown(const RunsColumn& column) const;
    int sectionOf(const QString& id) const;  // -1: not shown
    const std::vector<RunsCell>& cells(int row) const { return rows_[std::size_t(row)].cells; }
    const RunsCell& cell(int row, int section) const {
        return cells(row)[std::size_t(visible_[std::size_t(section)])];
    }
    // Settings in which the runs differ, of all.
    int differing() const;
    int settings() const;

Q_SIGNALS:
    void columnsChanged();

private:
    struct Row {
        RunPointer run;
        std::vector<RunsCell> cells;  // of all columns
    };
    void arrange();  // visible_ from all_, chosen_ and pinned_
    void rate();     // best values and usual settings
    Row makeRow(const RunPointer& run);

    RunsCatalogue catalogue_;
    std::vector<RunsColumn> all_;
    std::vector<int> visible_;
    std::vector<Row> rows_;
    std::map<QString, bool> chosen_;
    QStringList pinned_{QStringLiteral("run")};
    std::vector<double> best_;    // by column of all_; NaN: none
    std::vector<QString> usual_;  // by column of all_: what most runs have; empty: no majority
};

class RunsTableProxy : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit RunsTableProxy(RunsTableModel* model, QObject* parent = nullptr);

    void setFilter(const QString& text);
    const QString& filterText() const { return text_; }
    const QString& problem() const { return filter_.problem(); }
    RunPointer runAt(int row) const;

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    // Missing values last, whichever the order.
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    RunsTableModel* model_;
    QString text_;
    RunsFilter filter_;
};

}  // namespace braid::ui
