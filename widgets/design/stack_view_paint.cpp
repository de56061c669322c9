// Rows of the stack: fills, the unbroken spine, lines between repeats, marks of what is wrong.
#include <QPainter>

#include "widgets/common/mixer_style.h"
#include "widgets/common/theme.h"
#include "widgets/design/stack_delegate.h"
#include "widgets/design/stack_view.h"

namespace braid::ui {

void StackView::drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const StackModel::Row& row = stack_->row(index.row());
    const Tokens& colours = tokens();
    const QRect rect = option.rect;
    const bool selected = selectionModel()->isSelected(index);
    const bool wrong = !row.problem.isEmpty();
    const QPoint pointer = viewport()->mapFromGlobal(QCursor::pos());
    const bool hovered = viewport()->underMouse() && rect.contains(pointer);
    painter->fillRect(rect, wrong      ? colours.errorTint
                            : selected ? colours.selection
                            : hovered  ? colours.hover
                                       : colours.surface);
    const int lines_left = StackDelegate::layer_column + 24;
    if (row.begins_unit && !wrong) {
        painter->fillRect(QRect(lines_left, rect.top(), rect.width() - lines_left, 1), colours.border);
    }
    if (wrong) {
        painter->fillRect(QRect(rect.left(), rect.top(), rect.width(), 1), colours.error);
        painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), colours.error);
    }
    paintLayer(*painter,
               QRectF(rect.left() + StackDelegate::spine_left, rect.top(), StackDelegate::spine_width,
                      rect.height() - 1),
               *row.layer);
    if (wrong) {
        painter->fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), colours.error);
    } else if (selected) {
        painter->fillRect(QRect(rect.left(), rect.top(), 2, rect.height()), colours.ink);
    }
    if (hovered || (selected && selectionModel()->selectedRows().size() == 1)) {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(colours.text3);
        for (int dot = 0; dot < 6; ++dot) {
            painter->drawEllipse(QPointF(StackDelegate::grip_left + (dot % 2) * 4 + 1,
                                         rect.center().y() + (dot / 2 - 1) * 4 + 0.5),
                                 1.1, 1.1);
        }
        painter->restore();
    }
    QStyleOptionViewItem cells = option;
    cells.state.setFlag(QStyle::State_HasFocus, false);
    for (int column = 0; column < StackModel::ColumnCount; ++column) {
        const QModelIndex cell = index.siblingAtColumn(column);
        cells.rect = QRect(columnViewportPosition(column), rect.top(), columnWidth(column), rect.height());
        cells.state.setFlag(QStyle::State_Selected, selected);
        cells.widget = viewport();
        delegate_->paint(painter, cells, cell);
    }
    if (show_focus_ && hasFocus() && currentIndex().row() == index.row()) {
        painter->save();
        painter->setPen(QPen(colours.ink, 2));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(rect.adjusted(1, 1, -1, -1));
        painter->restore();
    }
}

void StackView::paintEvent(QPaintEvent* event) {
    QTreeView::paintEvent(event);
    QPainter painter(viewport());
    const Tokens& colours = tokens();
    const int rows = model() ? model()->rowCount() : 0;
    if (rows == 0) {
        painter.setPen(colours.text3);
        painter.setFont(Theme::instance().font());
        painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24),
                         Qt::AlignTop | Qt::AlignHCenter | Qt::TextWordWrap,
                         tr("No layers. Type a pattern above, or press a mixer's letter here."));
    } else {
        const QRect last = visualRect(model()->index(rows - 1, 0));
        const int left = StackDelegate::layer_column + 24;
        painter.fillRect(QRect(left, last.bottom() + 1, viewport()->width() - left, 1), colours.border);
    }
    if (drop_row_ >= 0 && model()) {
        const int y = drop_row_ < rows ? visualRect(model()->index(drop_row_, 0)).top()
                      : rows > 0       ? visualRect(model()->index(rows - 1, 0)).bottom() + 1
                                       : 0;
        painter.fillRect(QRect(0, y - 1, viewport()->width(), 2), colours.ink);
    }
}

}  // namespace braid::ui
