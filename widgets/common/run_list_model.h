// Runs of a project, newest first; one row a run, the whole snapshot under RunRole.
#pragma once

#include <QAbstractListModel>
#include <vector>

#include "widgets/common/run_view.h"

namespace braid::ui {

class RunListModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { RunRole = Qt::UserRole, StateRole, StudyRole };

    using QAbstractListModel::QAbstractListModel;
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    RunPointer at(int row) const { return runs_[std::size_t(row)]; }
    int rowOf(const RunId& id) const;  // -1: none
    const std::vector<RunPointer>& runs() const { return runs_; }

    // For the session: inserts or replaces.
    void put(const RunPointer& run);
    void remove(const RunId& id);
    void reset(std::vector<RunPointer> runs);

private:
    static bool before(const RunPointer& a, const RunPointer& b);
    std::vector<RunPointer> runs_;
};

}  // namespace braid::ui
