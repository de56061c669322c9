#include "widgets/train/next_step.h"

#include <QPainter>

#include "widgets/common/icons.h"
#include "widgets/common/theme.h"

namespace braid::ui {

NextStep::NextStep(const QString& iconName, const QString& title, const QString& sentence, const QString& key,
                   QWidget* parent)
    : QPushButton(title, parent), icon_(iconName), sentence_(sentence), key_(key) {
    setAccessibleDescription(sentence);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize NextStep::sizeHint() const { return {220, 64}; }

void NextStep::paintEvent(QPaintEvent*) {
    const Tokens& colours = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(QPen(hasFocus() ? colours.ink : colours.border, hasFocus() ? 2 : 1));
    painter.setBrush(isDown()                      ? colours.checked
                     : underMouse() && isEnabled() ? colours.hover
                                                   : colours.raised);
    painter.drawRoundedRect(hasFocus() ? frame.adjusted(0.5, 0.5, -0.5, -0.5) : frame, metrics::radiusCard,
                            metrics::radiusCard);
    const QColor ink = isEnabled() ? colours.text1 : colours.disabled;
    painter.drawPixmap(QPointF(14, 13), iconPixmap(icon_, 18, isEnabled() ? colours.text2 : colours.disabled,
                                                   devicePixelRatioF()));
    painter.setFont(Theme::instance().font(TypeStep::control, 600));
    painter.setPen(ink);
    painter.drawText(QRectF(42, 10, width() - 90, 24), Qt::AlignLeft | Qt::AlignVCenter, text());
    painter.setFont(Theme::instance().font(TypeStep::table));
    painter.setPen(isEnabled() ? colours.text2 : colours.disabled);
    const QString line = painter.fontMetrics().elidedText(sentence_, Qt::ElideRight, width() - 56);
    painter.drawText(QRectF(42, 34, width() - 54, 20), Qt::AlignLeft | Qt::AlignVCenter, line);
    const QRectF hint(width() - 34, 12, 20, 20);
    painter.setPen(QPen(colours.border, 1));
    painter.setBrush(colours.sunken);
    painter.drawRoundedRect(hint, metrics::radiusCell, metrics::radiusCell);
    painter.setPen(colours.text2);
    painter.setFont(Theme::instance().font(TypeStep::tick));
    painter.drawText(hint, Qt::AlignCenter, key_);
}

}  // namespace braid::ui
