// Events of a run, newest first, one line each: time, message.
#pragma once

#include <QAbstractListModel>

#include "widgets/common/run_view.h"

namespace braid::ui {

class LogModel : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    void show(const RunPointer& run);

private:
    const RunEvent& at(int row) const;

    RunPointer run_;
    int shown_ = 0;
};

}  // namespace braid::ui
