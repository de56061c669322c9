// Rows of the project tree: headings with a count, names left, pattern strip or state right.
#pragma once

#include <QStyledItemDelegate>

namespace braid::ui {

class ProjectDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace braid::ui
