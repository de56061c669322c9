// Which columns the table of runs shows and which stay at the left.
#pragma once

#include <QDialog>
#include <QStringList>
#include <map>
#include <vector>

#include "widgets/train/runs_columns.h"

class QLineEdit;
class QStandardItemModel;
class QTreeView;

namespace braid::ui {

class RunsTableModel;

class ColumnChooser : public QDialog {
    Q_OBJECT

public:
    ColumnChooser(RunsTableModel* model, QWidget* parent);

    QTreeView* tree() const { return tree_; }
    QLineEdit* filter() const { return filter_; }
    // Of a column by its id, as if it were clicked.
    void setShown(const QString& id, bool shown);
    void setPinned(const QString& id, bool pinned);

Q_SIGNALS:
    void chosen();  // the model has been changed

private:
    void fill();
    void apply();

    RunsTableModel* model_;
    QLineEdit* filter_;
    QTreeView* tree_;
    QStandardItemModel* items_;
    bool filling_ = false;
};

}  // namespace braid::ui
