#include "widgets/common/pinned_table.h"

#include <QHeaderView>
#include <QScrollBar>
#include <algorithm>

#include "widgets/common/controls.h"

namespace braid::ui {

PinnedTable::PinnedTable(const QString& name, QWidget* parent)
    : DataTable(name, parent),
      pinned_(new DataTable(tr("%1, pinned columns").arg(name), this)),
      edge_(makeSeparator(Qt::Vertical, this)) {
    pinned_->setFocusPolicy(Qt::NoFocus);  // keys go to the whole table
    pinned_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    pinned_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    pinned_->hide();
    edge_->hide();
    connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this](int section, int, int size) {
        if (section < count_) pinned_->setColumnWidth(section, size);
        arrange();
    });
    connect(pinned_->horizontalHeader(), &QHeaderView::sectionResized, this,
            [this](int section, int, int size) {
                if (section < count_ && columnWidth(section) != size && size > 0)
                    setColumnWidth(section, size);
            });
    connect(pinned_->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
            [this](int section, Qt::SortOrder order) {
                if (horizontalHeader()->sortIndicatorSection() != section ||
                    horizontalHeader()->sortIndicatorOrder() != order)
                    sortByColumn(section, order);
            });
    connect(horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
            [this](int section, Qt::SortOrder order) {
                const QSignalBlocker quiet(pinned_->horizontalHeader());
                pinned_->horizontalHeader()->setSortIndicator(section, order);
                pinned_->horizontalHeader()->viewport()->update();
            });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, pinned_->verticalScrollBar(),
            &QScrollBar::setValue);
    connect(pinned_->verticalScrollBar(), &QScrollBar::valueChanged, verticalScrollBar(),
            &QScrollBar::setValue);
    connect(pinned_, &QTableView::activated, this, &QTableView::activated);
    connect(pinned_, &QTableView::pressed, this, [this] { setFocus(Qt::MouseFocusReason); });
}

void PinnedTable::setModel(QAbstractItemModel* model) {
    DataTable::setModel(model);
    pinned_->setModel(model);
    // Sorting of a model by two views would be done twice.
    pinned_->setSortingEnabled(false);
    pinned_->horizontalHeader()->setSectionsClickable(true);
    pinned_->horizontalHeader()->setSortIndicatorShown(true);
    pinned_->setSelectionModel(selectionModel());
    connect(model, &QAbstractItemModel::modelReset, this, &PinnedTable::arrange);
    connect(model, &QAbstractItemModel::layoutChanged, this, &PinnedTable::arrange);
    arrange();
}

void PinnedTable::setPinnedCount(int count) {
    count_ = count;
    arrange();
}

int PinnedTable::pinnedWidth() const {
    int width = 0;
    for (int column = 0; column < count_; ++column) width += columnWidth(column);
    return width;
}

void PinnedTable::arrange() {
    if (!model()) return;
    const int columns = model()->columnCount();
    const int width = pinnedWidth();
    // With everything pinned, or no room for anything else, nothing is.
    const bool shown = count_ > 0 && count_ < columns && width < viewport()->width() - 80;
    for (int column = 0; column < columns; ++column) {
        pinned_->setColumnHidden(column, column >= count_);
        if (column < count_) pinned_->setColumnWidth(column, columnWidth(column));
    }
    pinned_->setVisible(shown);
    edge_->setVisible(shown);
    pinned_->horizontalHeader()->setFixedHeight(horizontalHeader()->height());
    pinned_->setGeometry(frameWidth(), frameWidth(), width,
                         viewport()->height() + horizontalHeader()->height());
    edge_->setGeometry(frameWidth() + width - 1, frameWidth(), 1,
                       viewport()->height() + horizontalHeader()->height());
    pinned_->raise();
    edge_->raise();
}

void PinnedTable::fitColumns(int rows, int widest) {
    if (!model()) return;
    const int shown = std::min(rows, model()->rowCount());
    QStyleOptionViewItem option;
    initViewItemOption(&option);
    for (int column = 0; column < model()->columnCount(); ++column) {
        int width = horizontalHeader()->sectionSizeHint(column);
        for (int row = 0; row < shown; ++row)
            width = std::max(width, itemDelegate()->sizeHint(option, model()->index(row, column)).width());
        setColumnWidth(column, std::min(width + 4, widest));
    }
    arrange();
}

void PinnedTable::resizeEvent(QResizeEvent* event) {
    DataTable::resizeEvent(event);
    arrange();
}

// What is beneath the pinned columns cannot be seen.
QModelIndex PinnedTable::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) {
    const QModelIndex index = DataTable::moveCursor(action, modifiers);
    if (pinned_->isVisible() && index.column() >= count_ && visualRect(index).left() < pinnedWidth())
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() + visualRect(index).left() -
                                        pinnedWidth());
    return index;
}

void PinnedTable::scrollTo(const QModelIndex& index, ScrollHint hint) {
    if (pinned_->isVisible() && index.column() < count_) {
        // Only up and down: it is in sight at the left already.
        const int x = horizontalScrollBar()->value();
        DataTable::scrollTo(index, hint);
        horizontalScrollBar()->setValue(x);
        return;
    }
    DataTable::scrollTo(index, hint);
}

}  // namespace braid::ui
