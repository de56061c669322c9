#include "app/workbench/top_bar.h"

#include <QEvent>
#include <QMenuBar>
#include <QPainter>
#include <algorithm>

#include "widgets/common/icons.h"
#include "widgets/common/style_paint.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {
constexpr int field_width = 420, field_narrow = 150, field_height = 27, mark_left = 17, mark_size = 22,
              menus_left = 53;
}

CommandField::CommandField(QWidget* parent) : QAbstractButton(parent) {
    setText(tr("Run a command, open a run, jump to a layer"));
    setAccessibleName(tr("Command palette"));
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
}

void CommandField::setKeys(const QString& keys) {
    keys_ = keys;
    setToolTip(tr("Command palette  %1").arg(keys));
    update();
}

QSize CommandField::sizeHint() const { return QSize(field_width, field_height); }

void CommandField::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    style::panel(painter, rect(), metrics::radiusButton, underMouse() ? t.hover : t.raised, t.border);
    if (style::hasVisibleFocus(*this)) style::focusRing(painter, rect(), metrics::radiusButton);
    painter.drawPixmap(QPointF(9, (height() - 16) / 2.0),
                       iconPixmap(QStringLiteral("search"), 16, t.text2, devicePixelRatioF()));
    QRect rest = rect().adjusted(32, 0, -8, 0);
    painter.setFont(Theme::instance().font(TypeStep::tick, 500));
    const int keysWidth = painter.fontMetrics().horizontalAdvance(keys_) + 14;
    if (!keys_.isEmpty() && rest.width() > keysWidth + 60) {
        const QRectF box(rest.right() - keysWidth + 3, (height() - 19) / 2.0, keysWidth, 19);
        style::panel(painter, box, metrics::radiusCell, t.sunken, t.border);
        painter.setPen(t.text2);
        painter.drawText(box, Qt::AlignCenter, keys_);
        rest.setRight(int(box.left()) - 8);
    }
    painter.setFont(Theme::instance().font(TypeStep::table));
    painter.setPen(t.text2);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, rest.width()));
}

DeviceChip::DeviceChip(QWidget* parent) : QWidget(parent) { setAccessibleName(tr("Device")); }

void DeviceChip::setDevice(const QString& text, bool accelerator) {
    text_ = text;
    accelerator_ = accelerator;
    setAccessibleDescription(text);
    setToolTip(accelerator ? tr("Runs use the graphics processor unless a run says otherwise.")
                           : tr("No graphics processor was found: runs use the processor."));
    updateGeometry();
    update();
}

QSize DeviceChip::sizeHint() const {
    const QFontMetrics font(Theme::instance().font(TypeStep::table, 500));
    return QSize(font.horizontalAdvance(text_) + 38, 24);
}

void DeviceChip::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    style::panel(painter, rect(), height() / 2.0, t.raised, t.border);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(accelerator_ ? t.ok : t.text3);
    painter.drawEllipse(QPointF(14, height() / 2.0), 3.5, 3.5);
    painter.setFont(Theme::instance().font(TypeStep::table, 500));
    painter.setPen(t.text1);
    painter.drawText(rect().adjusted(25, 0, -8, 0), Qt::AlignLeft | Qt::AlignVCenter, text_);
}

TopBar::TopBar(QWidget* parent)
    : QWidget(parent),
      menuBar_(new QMenuBar(this)),
      field_(new CommandField(this)),
      chip_(new DeviceChip(this)) {
    setFixedHeight(metrics::topBar);
    menuBar_->setNativeMenuBar(false);
}

// The field is in the middle of the window as long as the menus leave room; then it shrinks after them.
void TopBar::arrange() {
    const QSize menus = menuBar_->sizeHint();
    menuBar_->setGeometry(menus_left, (height() - menus.height()) / 2, menus.width(), menus.height());
    const QSize chip = chip_->sizeHint();
    chip_->setGeometry(width() - chip.width() - metrics::gap3, (height() - chip.height()) / 2, chip.width(),
                       chip.height());
    const int left = menus_left + menus.width() + metrics::gap4;
    const int right = width() - chip.width() - metrics::gap3 - metrics::gap4;
    const int room = right - left;
    const int wanted = std::clamp(room, std::min(field_narrow, std::max(room, 34)), field_width);
    const int x = std::clamp((width() - wanted) / 2, left, std::max(left, right - wanted));
    field_->setGeometry(x, (height() - field_height) / 2, wanted, field_height);
    field_->setVisible(room >= 34);
}

void TopBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

bool TopBar::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::FontChange) arrange();
    return QWidget::event(event);
}

void TopBar::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.fillRect(rect(), t.window);
    painter.fillRect(QRect(0, height() - 1, width(), 1), t.border);
    painter.drawPixmap(QPointF(mark_left, (height() - mark_size) / 2.0),
                       iconPixmap(QStringLiteral("braid"), mark_size, t.text1, devicePixelRatioF()));
}

}  // namespace braid::ui
