#include "widgets/common/command_palette.h"

#include <QApplication>
#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/command_list_model.h"
#include "widgets/common/controls.h"
#include "widgets/common/icons.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr int width_wanted = 560, rows_shown = 11, padding = 8, row_height = 30;

class CommandDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return QSize(100, row_height);
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Tokens& t = tokens();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (option.state & QStyle::State_Selected) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(t.selection);
            painter->drawRoundedRect(QRectF(option.rect).adjusted(0, 1, 0, -1), metrics::radiusField,
                                     metrics::radiusField);
        }
        QRect rest = option.rect.adjusted(padding, 0, -padding, 0);
        const bool enabled = index.flags() & Qt::ItemIsEnabled;
        const QIcon decoration = index.data(Qt::DecorationRole).value<QIcon>();
        if (!decoration.isNull())
            decoration.paint(painter, QRect(rest.left(), rest.center().y() - 7, 16, 16));
        rest.setLeft(rest.left() + 26);
        const QString keys = index.data(CommandListModel::ShortcutRole).toString();
        painter->setFont(Theme::instance().font(TypeStep::tick, 500));
        if (!keys.isEmpty()) {
            const int width = std::max(20, painter->fontMetrics().horizontalAdvance(keys) + 12);
            const QRectF box(rest.right() - width, rest.center().y() - 9, width, 19);
            painter->setPen(t.border);
            painter->setBrush(t.sunken);
            painter->drawRoundedRect(box.translated(0.5, 0.5), metrics::radiusCell, metrics::radiusCell);
            painter->setPen(t.text2);
            painter->drawText(box, Qt::AlignCenter, keys);
            rest.setRight(int(box.left()) - padding);
        }
        const QString group = index.data(CommandListModel::GroupRole).toString();
        painter->setFont(Theme::instance().font(TypeStep::table));
        painter->setPen(enabled ? t.text3 : t.disabled);
        painter->drawText(rest, Qt::AlignRight | Qt::AlignVCenter, group);
        rest.setRight(rest.right() - painter->fontMetrics().horizontalAdvance(group) - padding);
        drawText(painter, rest, index.data().toString(),
                 index.data(CommandListModel::PositionsRole).value<QList<int>>(),
                 enabled ? t.text1 : t.disabled);
        painter->restore();
    }

private:
    // The letters that matched are bold.
    static void drawText(QPainter* painter, const QRect& rect, const QString& text,
                         const QList<int>& positions, const QColor& colour) {
        const QFont plain = Theme::instance().font(), bold = Theme::instance().font(TypeStep::control, 600);
        painter->setPen(colour);
        int x = rect.left();
        for (int i = 0; i < text.size() && x < rect.right();) {
            const bool hit = positions.contains(i);
            int end = i + 1;
            while (end < text.size() && positions.contains(end) == hit) ++end;
            painter->setFont(hit ? bold : plain);
            const QString part =
                painter->fontMetrics().elidedText(text.mid(i, end - i), Qt::ElideRight, rect.right() - x);
            painter->drawText(QRect(x, rect.top(), rect.right() - x, rect.height()),
                              Qt::AlignLeft | Qt::AlignVCenter, part);
            x += painter->fontMetrics().horizontalAdvance(part);
            i = end;
        }
    }
};

}  // namespace

CommandPalette::CommandPalette(CommandRegistry& registry, QWidget* window)
    : QFrame(window),
      registry_(registry),
      edit_(new QLineEdit),
      list_(new QListView),
      none_(new QLabel(tr("No command of this name"))),
      model_(new CommandListModel(this)) {
    setObjectName(QStringLiteral("commandPalette"));
    setAccessibleName(tr("Command palette"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(padding, padding, padding, padding);
    layout->setSpacing(padding);
    edit_->setPlaceholderText(tr("Run a command, open a run, jump to a layer"));
    edit_->setAccessibleName(tr("Command"));
    edit_->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    edit_->setMinimumHeight(34);
    layout->addWidget(edit_);
    list_->setAccessibleName(tr("Matching commands"));
    list_->setModel(model_);
    list_->setItemDelegate(new CommandDelegate(list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setUniformItemSizes(true);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setMouseTracking(true);
    list_->viewport()->setAutoFillBackground(false);
    layout->addWidget(list_);
    none_->setFixedHeight(row_height);
    none_->setIndent(metrics::gap3);
    layout->addWidget(none_);
    edit_->installEventFilter(this);
    window->installEventFilter(this);
    connect(edit_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(list_, &QListView::entered, list_, &QListView::setCurrentIndex);
    connect(list_, &QListView::clicked, this, &CommandPalette::runCurrent);
    hide();
}

void CommandPalette::open(int top, const QString& text) {
    top_ = top;
    focusBefore_ = QApplication::focusWidget();
    model_->setItems(registry_.items());
    edit_->setText(text);
    filter(text);
    place();
    show();
    raise();
    edit_->setFocus(Qt::PopupFocusReason);
}

QStringList CommandPalette::shownTexts() const {
    QStringList texts;
    for (int row = 0; row < model_->rowCount(); ++row) texts << model_->at(row).text;
    return texts;
}

void CommandPalette::filter(const QString& query) {
    model_->setQuery(query.trimmed());
    list_->setCurrentIndex(model_->index(0, 0));
    place();
}

void CommandPalette::place() {
    const QWidget* window = parentWidget();
    const int rows = std::clamp(model_->rowCount(), 1, rows_shown);
    list_->setFixedHeight(rows * row_height);
    list_->setVisible(model_->rowCount() > 0);
    none_->setVisible(model_->rowCount() == 0);
    const int width = std::min(width_wanted, window->width() - 2 * metrics::gap4);
    resize(width, edit_->sizeHint().height() + list_->height() + 3 * padding + 6);
    move((window->width() - width) / 2, top_);
}

void CommandPalette::runCurrent() {
    const QModelIndex current = list_->currentIndex();
    if (!current.isValid() || !(current.flags() & Qt::ItemIsEnabled)) return;
    const CommandItem item = model_->at(current.row());
    closePalette();
    if (item.run) item.run();
}

void CommandPalette::closePalette() {
    if (isHidden()) return;
    hide();
    if (focusBefore_) focusBefore_->setFocus(Qt::PopupFocusReason);
    focusBefore_ = nullptr;
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget()) {
        if (event->type() == QEvent::Resize && isVisible()) place();
        return false;
    }
    if (event->type() == QEvent::FocusOut && isVisible()) {
        // Elsewhere was clicked; what was clicked keeps the focus.
        focusBefore_ = nullptr;
        closePalette();
        return false;
    }
    if (event->type() != QEvent::KeyPress) return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    const int rows = model_->rowCount();
    const int row = list_->currentIndex().row();
    const auto go = [&](int to) { list_->setCurrentIndex(model_->index(std::clamp(to, 0, rows - 1), 0)); };
    switch (key->key()) {
        case Qt::Key_Escape:
            closePalette();
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            runCurrent();
            return true;
        case Qt::Key_Down:
            rows > 0 ? go(row + 1 >= rows ? 0 : row + 1) : void();
            return true;
        case Qt::Key_Up:
            rows > 0 ? go(row <= 0 ? rows - 1 : row - 1) : void();
            return true;
        case Qt::Key_PageDown:
            rows > 0 ? go(row + rows_shown - 1) : void();
            return true;
        case Qt::Key_PageUp:
            rows > 0 ? go(row - rows_shown + 1) : void();
            return true;
        default:
            return false;
    }
}

void CommandPalette::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(tokens().raised);
    painter.setPen(tokens().borderStrong);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), metrics::radiusDialog,
                            metrics::radiusDialog);
}

}  // namespace braid::ui
