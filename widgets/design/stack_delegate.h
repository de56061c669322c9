// Draws the cells of the layer stack; row fills, spine and lines are the view's.
#pragma once

#include <QStyledItemDelegate>

#include "widgets/design/stack_model.h"

namespace braid::ui {

class StackDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void setCompact(bool compact) { compact_ = compact; }

    static constexpr int index_right = 34;  // right edge of the row number
    static constexpr int grip_left = 40;
    static constexpr int spine_left = 52;
    static constexpr int spine_width = 26;
    static constexpr int layer_column = 82;

private:
    bool compact_ = false;
};

}  // namespace braid::ui
