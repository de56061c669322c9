// Tables and trees in the look of look.md: tinted header, grid hairlines, 2 px bar at the selected row.
#pragma once

#include <QStyledItemDelegate>
#include <QTableView>
#include <QTreeView>

namespace braid::ui {

// Item data beyond Qt's own that the delegate draws.
enum DataTableRole {
    BestRole = Qt::UserRole + 100,  // bool: best of its column, weight 600
    DeviatingRole,                  // bool: differs from the others, warn tint
    ErrorRole,                      // bool: error tint, 3 px red edge in the first column
    RunIndexRole,                   // int: a dash in the run's colour instead of the text
    LayersRole,                     // QVariant of std::vector<LayerSpec>: pattern strip
    ProgressRole,                   // double 0 to 1: bar beneath the text, in the colour of RunIndexRole
    StatusRole,                     // QString "ok", "warn", "error", "info": colour of the text
    StatePieRole,                   // RunPointer: state pie before the text
};

class DataDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

// QTableView without vertical header, rows of 26 px, whole rows selected, sortable header, Ctrl+C copies the
// selected rows (with the header) as tab separated text. Alt+Up and Alt+Down sort by the column of the
// current cell.
class DataTable : public QTableView {
    Q_OBJECT

public:
    explicit DataTable(const QString& name, QWidget* parent = nullptr);
    void copySelection();  // selected rows, or all when none is selected
    // By the column of the current cell; where sorting is enabled and there is one.
    void sortByCurrent(Qt::SortOrder order);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;
};

// Headers of numbers stand at the right, as these do: of the columns from `first` to `last`, -1 being the
// last.
void alignNumberHeaders(QAbstractItemModel& model, int first, int last = -1);

// The same for a tree: name left, state right.
class DataTree : public QTreeView {
    Q_OBJECT

public:
    explicit DataTree(const QString& name, QWidget* parent = nullptr);
};

}  // namespace braid::ui
