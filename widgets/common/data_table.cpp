#include "widgets/common/data_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

#include "widgets/common/mixer_style.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr int cell_padding = 8;

QColor statusColour(const QString& status, const QColor& otherwise) {
    const Tokens& t = tokens();
    if (status == QLatin1String("ok")) return t.ok;
    if (status == QLatin1String("warn")) return t.warn;
    if (status == QLatin1String("error")) return t.error;
    if (status == QLatin1String("info")) return t.info;
    if (status == QLatin1String("faint")) return t.text3;
    return otherwise;
}

}  // namespace

void DataDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    const Tokens& t = tokens();
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const QWidget* widget = option.widget;
    QStyle* style = widget ? widget->style() : QApplication::style();
    painter->save();
    const bool error = index.data(ErrorRole).toBool();
    if (error && !(item.state & QStyle::State_Selected)) painter->fillRect(item.rect, t.errorTint);
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &item, painter, widget);
    const bool table = qobject_cast<const QTableView*>(widget);
    if (table) {
        painter->fillRect(QRect(item.rect.left(), item.rect.bottom(), item.rect.width(), 1), t.grid);
    }
    if (error && index.column() == 0) {
        painter->fillRect(QRect(item.rect.left(), item.rect.top(), 3, item.rect.height()), t.error);
    }
    QRect content = item.rect.adjusted(cell_padding, 0, -cell_padding, -1);
    if (index.data(DeviatingRole).toBool()) {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(t.warnTint);
        painter->drawRoundedRect(QRectF(item.rect).adjusted(2, 2, -2, -3), metrics::radiusCell,
                                 metrics::radiusCell);
    }
    const QVariant layers = index.data(LayersRole);
    if (layers.canConvert<std::vector<LayerSpec>>()) {
        const auto list = layers.value<std::vector<LayerSpec>>();
        const int width = std::min(content.width(), std::clamp(int(list.size()) * 12, 20, 96));
        paintStrip(*painter, QRectF(content.left(), content.center().y() - 5, width, 12), list);
        painter->restore();
        return;
    }
    const QVariant runIndex = index.data(RunIndexRole);
    const QVariant progress = index.data(ProgressRole);
    if (runIndex.isValid() && !progress.isValid()) {
        painter->setRenderHint(QPainter::Antialiasing, false);
        painter->setPen(runPen(runIndex.toInt(), t, 3));
        painter->drawLine(content.left(), content.center().y() + 1,
                          std::min(content.right(), content.left() + 18), content.center().y() + 1);
        content.setLeft(content.left() + 26);
    }
    const QVariant pie = index.data(StatePieRole);
    if (pie.canConvert<RunPointer>()) {
        if (const auto run = pie.value<RunPointer>()) {
            paintStatePie(*painter, QRectF(content.left(), content.center().y() - 4.5, 10, 10), run->state(),
                          run->progress(), run->paletteIndex);
        }
        content.setLeft(content.left() + 18);
    }
    if (progress.isValid()) {
        const QRectF bar(content.left(), content.bottom() - 2, content.width(), 2);
        painter->fillRect(bar, t.border);
        painter->fillRect(
            QRectF(bar.left(), bar.top(), bar.width() * std::clamp(progress.toDouble(), 0.0, 1.0), 2),
            runIndex.isValid() ? runColour(runIndex.toInt(), t) : t.ink);
    }
    QFont font = item.font;
    font.setPixelSize(Theme::instance().pixels(TypeStep::table));
    if (index.data(BestRole).toBool()) font.setWeight(QFont::DemiBold);
    painter->setFont(font);
    const QColor plain = item.state & QStyle::State_Enabled ? t.text1 : t.disabled;
    painter->setPen(statusColour(index.data(StatusRole).toString(), error ? t.error : plain));
    if (!item.icon.isNull()) {
        item.icon.paint(painter, QRect(content.left(), content.center().y() - 7, 16, 16));
        content.setLeft(content.left() + 22);
    }
    const QString text = QFontMetrics(font).elidedText(item.text, item.textElideMode, content.width());
    painter->drawText(content, int(item.displayAlignment & ~Qt::AlignVertical_Mask) | Qt::AlignVCenter, text);
    painter->restore();
    if (item.state & QStyle::State_HasFocus && item.state & QStyle::State_KeyboardFocusChange) {
        QStyleOptionFocusRect focus;
        focus.QStyleOption::operator=(item);
        style->drawPrimitive(QStyle::PE_FrameFocusRect, &focus, painter, widget);
    }
}

QSize DataDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    QFont font = Theme::instance().font(TypeStep::table, 600);
    int width = QFontMetrics(font).horizontalAdvance(item.text) + 2 * cell_padding + 2;
    if (index.data(RunIndexRole).isValid()) width += 26;
    if (index.data(StatePieRole).isValid()) width += 18;
    if (index.data(LayersRole).isValid()) width = 96 + 2 * cell_padding;
    if (!item.icon.isNull()) width += 22;
    return QSize(width, metrics::row);
}

DataTable::DataTable(const QString& name, QWidget* parent) : QTableView(parent) {
    setAccessibleName(name);
    setItemDelegate(new DataDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setWordWrap(false);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setTabKeyNavigation(false);
    setMouseTracking(true);
    setSortingEnabled(true);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(36);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setSortIndicatorShown(true);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(20);
    verticalHeader()->setDefaultSectionSize(metrics::row);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
}

void DataTable::copySelection() {
    if (!model()) return;
    QList<int> rows;
    if (selectionModel()) {
        for (const QModelIndex& index : selectionModel()->selectedRows()) rows << index.row();
    }
    std::sort(rows.begin(), rows.end());
    if (rows.isEmpty()) {
        for (int row = 0; row < model()->rowCount(rootIndex()); ++row) rows << row;
    }
    QList<int> columns;
    for (int visual = 0; visual < horizontalHeader()->count(); ++visual) {
        const int column = horizontalHeader()->logicalIndex(visual);
        if (!isColumnHidden(column)) columns << column;
    }
    QStringList lines, cells;
    for (const int column : columns) cells << model()->headerData(column, Qt::Horizontal).toString();
    lines << cells.join(QLatin1Char('\t'));
    for (const int row : rows) {
        cells.clear();
        for (const int column : columns) {
            const QModelIndex index = model()->index(row, column, rootIndex());
            QString text = index.data(Qt::DisplayRole).toString();
            if (text.isEmpty()) text = index.data(Qt::AccessibleTextRole).toString();
            cells << text.replace(QLatin1Char('\t'), QLatin1Char(' '));
        }
        lines << cells.join(QLatin1Char('\t'));
    }
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')) + QLatin1Char('\n'));
}

void DataTable::sortByCurrent(Qt::SortOrder order) {
    if (!isSortingEnabled() || !currentIndex().isValid()) return;
    sortByColumn(currentIndex().column(), order);
    scrollTo(currentIndex());
}

void DataTable::showEvent(QShowEvent* event) {
    QTableView::showEvent(event);
    if (isSortingEnabled())
        horizontalHeader()->setToolTip(tr("Sorted by a click, or by Alt+Up and Alt+Down in the column"));
}

void DataTable::keyPressEvent(QKeyEvent* event) {
    const bool up = event->key() == Qt::Key_Up, down = event->key() == Qt::Key_Down;
    if ((up || down) && event->modifiers() == Qt::AltModifier && isSortingEnabled()) {
        sortByCurrent(up ? Qt::AscendingOrder : Qt::DescendingOrder);
        event->accept();
        return;
    }
    if (event->matches(QKeySequence::Copy)) {
        copySelection();
        event->accept();
        return;
    }
    QTableView::keyPressEvent(event);
    // Keys act on the cell: it is shown from the first of them on, not only after Tab.
    window()->setAttribute(Qt::WA_KeyboardFocusChange);
    viewport()->update();
}

void alignNumberHeaders(QAbstractItemModel& model, int first, int last) {
    for (int column = first; column <= (last < 0 ? model.columnCount() - 1 : last); ++column)
        model.setHeaderData(column, Qt::Horizontal, int(Qt::AlignRight | Qt::AlignVCenter),
                            Qt::TextAlignmentRole);
}

DataTree::DataTree(const QString& name, QWidget* parent) : QTreeView(parent) {
    setAccessibleName(name);
    setItemDelegate(new DataDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setHeaderHidden(true);
    setMouseTracking(true);
    setUniformRowHeights(true);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setAllColumnsShowFocus(true);
    setExpandsOnDoubleClick(true);
}

}  // namespace braid::ui
