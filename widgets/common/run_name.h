// Names of runs where there is little room.
#pragma once

#include <QFontMetrics>
#include <QString>
#include <QStyledItemDelegate>

namespace braid::ui {

// "Window 64, NoPE, seed 5" as it is, as "Window 64, NoPE, s5", or as "Window 6…, s5": runs of a study differ
// in how they begin and in how they end.
QString elidedRunName(const QString& name, const QFontMetrics& letters, int width);

// Of a column of such names.
class RunNameDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace braid::ui
