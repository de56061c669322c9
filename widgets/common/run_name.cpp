#include "widgets/common/run_name.h"

#include <QApplication>
#include <QRegularExpression>
#include <QStyle>
#include <QWidget>

namespace braid::ui {

QString elidedRunName(const QString& name, const QFontMetrics& letters, int width) {
    if (letters.horizontalAdvance(name) <= width) return name;
    static const QRegularExpression seed(QStringLiteral("^(.*), seed (\\d+)$"));
    const QRegularExpressionMatch found = seed.match(name);
    if (!found.hasMatch()) return letters.elidedText(name, Qt::ElideRight, width);
    const QString end = QStringLiteral(", s") + found.captured(2);
    const QString begin =
        letters.elidedText(found.captured(1), Qt::ElideRight, width - letters.horizontalAdvance(end));
    return begin + end;
}

void RunNameDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    const QStyle* style = option->widget ? option->widget->style() : QApplication::style();
    const QRect room = style->subElementRect(QStyle::SE_ItemViewItemText, option, option->widget);
    const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, option, option->widget) + 1;
    if (room.width() > 2 * margin)
        option->text = elidedRunName(option->text, option->fontMetrics, room.width() - 2 * margin);
}

}  // namespace braid::ui
