// Dragging layers, and mixers of the insert bar, between the rows of the stack.
#include <QDrag>
#include <QDragEnterEvent>
#include <QDragMoveEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QPainter>
#include <algorithm>

#include "widgets/common/mixer_style.h"
#include "widgets/common/theme.h"
#include "widgets/design/stack_delegate.h"
#include "widgets/design/stack_view.h"

namespace braid::ui {

int StackView::dropRow(int y) const {
    const QModelIndex under = indexAt(QPoint(StackDelegate::spine_left, y));
    if (!under.isValid()) {
        return y < 0 ? 0 : model() ? model()->rowCount() : 0;
    }
    return under.row() + (y > visualRect(under).center().y() ? 1 : 0);
}

void StackView::startDrag(Qt::DropActions actions) {
    const std::vector<int> rows = selectedRows();
    if (rows.empty()) {
        return;
    }
    QModelIndexList indexes;
    for (const int row : rows) {
        indexes << stack_->index(row, StackModel::LayerColumn);
    }
    const qreal ratio = devicePixelRatioF();
    const int cell = metrics::row;
    const int shown = std::min<int>(static_cast<int>(rows.size()), 6);
    QPixmap pixmap(QSize(StackDelegate::spine_width, cell * shown) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    {
        QPainter painter(&pixmap);
        for (int i = 0; i < shown; ++i) {
            paintLayer(painter, QRectF(0, i * cell, StackDelegate::spine_width, cell - 1),
                       *stack_->row(rows[static_cast<std::size_t>(i)]).layer);
        }
    }
    auto* drag = new QDrag(this);
    drag->setMimeData(stack_->mimeData(indexes));
    drag->setPixmap(pixmap);
    drag->setHotSpot(QPoint(StackDelegate::spine_width / 2, cell / 2));
    drag->exec(actions, Qt::MoveAction);  // the drop has moved them; nothing is left to remove
}

void StackView::dragEnterEvent(QDragEnterEvent* event) {
    if (stack_ && stack_->canDropMimeData(event->mimeData(), event->dropAction(), -1, -1, {})) {
        event->acceptProposedAction();
        setState(DraggingState);
    }
}

void StackView::dragMoveEvent(QDragMoveEvent* event) {
    QTreeView::dragMoveEvent(event);  // scrolls at the edges
    drop_row_ = dropRow(event->position().toPoint().y());
    viewport()->update();
    event->acceptProposedAction();
}

void StackView::dragLeaveEvent(QDragLeaveEvent* event) {
    drop_row_ = -1;
    QTreeView::dragLeaveEvent(event);
    viewport()->update();
}

void StackView::dropEvent(QDropEvent* event) {
    drop_row_ = -1;
    setState(NoState);
    stopAutoScroll();
    viewport()->update();
    if (stack_) {
        const int row = dropRow(event->position().toPoint().y());
        stack_->dropMimeData(event->mimeData(), event->dropAction(), row, 0, {});
        event->acceptProposedAction();
    }
}

}  // namespace braid::ui
