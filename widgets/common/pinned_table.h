// A table whose first columns stay at the left while the others scroll beneath them.
#pragma once

#include "widgets/common/data_table.h"

namespace braid::ui {

class PinnedTable : public DataTable {
    Q_OBJECT

public:
    explicit PinnedTable(const QString& name, QWidget* parent = nullptr);

    void setModel(QAbstractItemModel* model) override;
    void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;
    // The first `count` columns; 0: none.
    void setPinnedCount(int count);
    int pinnedCount() const { return count_; }
    // Widths from the header and at most `rows` rows; done by the owner when columns change.
    void fitColumns(int rows = 60, int widest = 240);
    QTableView* pinnedView() const { return pinned_; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;

private:
    void arrange();
    int pinnedWidth() const;

    int count_ = 0;
    DataTable* pinned_;
    QFrame* edge_;
};

}  // namespace braid::ui
