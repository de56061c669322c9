// Buttons, check boxes, and the strokes that all controls share.
#include <QAbstractButton>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QVariant>

#include "widgets/common/style.h"
#include "widgets/common/style_paint.h"

namespace braid::ui::style {

void panel(QPainter& painter, const QRectF& rect, qreal radius, const QColor& fill, const QColor& border,
           qreal width) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(fill.alpha() > 0 ? QBrush(fill) : QBrush(Qt::NoBrush));
    painter.setPen(border.alpha() > 0 ? QPen(border, width) : QPen(Qt::NoPen));
    const qreal inset = border.alpha() > 0 ? width / 2 : 0;
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius);
    painter.restore();
}

void focusRing(QPainter& painter, const QRectF& rect, qreal radius) {
    panel(painter, rect, radius, Qt::transparent, tokens().ink, 2);
}

bool hasVisibleFocus(const QStyleOption& option) {
    return (option.state & QStyle::State_HasFocus) && (option.state & QStyle::State_KeyboardFocusChange);
}

bool hasVisibleFocus(const QWidget& widget) {
    return widget.hasFocus() && widget.window()->testAttribute(Qt::WA_KeyboardFocusChange);
}

void chevron(QPainter& painter, const QPointF& c, Qt::ArrowType direction, const QColor& colour, qreal size) {
    const qreal s = size, h = size / 2;
    QPolygonF line;
    switch (direction) {
        case Qt::UpArrow:
            line << QPointF(-s, h) << QPointF(0, -h) << QPointF(s, h);
            break;
        case Qt::LeftArrow:
            line << QPointF(h, -s) << QPointF(-h, 0) << QPointF(h, s);
            break;
        case Qt::RightArrow:
            line << QPointF(-h, -s) << QPointF(h, 0) << QPointF(-h, s);
            break;
        default:
            line << QPointF(-s, -h) << QPointF(0, h) << QPointF(s, -h);
            break;
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(line.translated(c));
    painter.restore();
}

void tick(QPainter& painter, const QRectF& box, const QColor& colour) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF o = box.topLeft();
    const qreal w = box.width(), h = box.height();
    painter.drawPolyline(QPolygonF{o + QPointF(w * 0.24, h * 0.53), o + QPointF(w * 0.43, h * 0.71),
                                   o + QPointF(w * 0.77, h * 0.31)});
    painter.restore();
}

namespace {

struct ButtonLook {
    QColor fill, border, text;
};

ButtonLook buttonLook(const QStyleOption& option, const QWidget* widget) {
    const Tokens& t = tokens();
    const QString role = widget ? widget->property(style_property::role).toString() : QString();
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool pressed = option.state & (QStyle::State_Sunken | QStyle::State_On);
    const bool hovered = option.state & QStyle::State_MouseOver;
    if (!enabled) return {t.sunken, t.border, t.disabled};
    if (role == QLatin1String("primary")) {
        const QColor fill = pressed || hovered ? (t.dark ? t.ink.darker(112) : t.ink.lighter(135)) : t.ink;
        return {fill, fill, t.onInk};
    }
    ButtonLook look{pressed   ? t.checked
                    : hovered ? t.hover
                              : t.raised,
                    (option.state & QStyle::State_On) ? t.axis : t.borderStrong, t.text1};
    if (role == QLatin1String("danger")) look.text = t.error;
    return look;
}

void drawIndicator(const QStyleOption& option, QPainter& painter, bool radio) {
    const Tokens& t = tokens();
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool on = option.state & (QStyle::State_On | QStyle::State_NoChange);
    const QRectF box = QRectF(option.rect.x(), option.rect.y() + (option.rect.height() - 16) / 2, 16, 16);
    const QColor fill =
        on ? (enabled ? t.ink : t.disabled) : (option.state & QStyle::State_MouseOver ? t.hover : t.surface);
    const QColor border = on ? fill : (enabled ? t.axis : t.border);
    panel(painter, box, radio ? 8 : metrics::radiusCell, fill, border);
    if (!on) return;
    const QColor mark = enabled ? t.onInk : t.surface;
    if (radio) {
        panel(painter, box.adjusted(5, 5, -5, -5), 3, mark, Qt::transparent);
    } else if (option.state & QStyle::State_NoChange) {
        painter.fillRect(QRectF(box.left() + 4, box.center().y() - 1, 8, 2), mark);
    } else {
        tick(painter, box, mark);
    }
}

}  // namespace

bool drawButtonPrimitive(QStyle::PrimitiveElement element, const QStyleOption& option, QPainter& painter,
                         const QWidget* widget) {
    switch (element) {
        case QStyle::PE_PanelButtonCommand:
        case QStyle::PE_PanelButtonBevel: {
            const ButtonLook look = buttonLook(option, widget);
            panel(painter, option.rect, metrics::radiusButton, look.fill, look.border);
            if (hasVisibleFocus(option)) {
                const bool onInk = look.fill == tokens().ink;
                const QRectF ring = onInk ? QRectF(option.rect).adjusted(3, 3, -3, -3) : QRectF(option.rect);
                panel(painter, ring, metrics::radiusButton, Qt::transparent,
                      onInk ? tokens().onInk : tokens().ink, 2);
            }
            return true;
        }
        case QStyle::PE_FrameDefaultButton:
        case QStyle::PE_FrameButtonBevel:
            return true;
        case QStyle::PE_IndicatorCheckBox:
        case QStyle::PE_IndicatorItemViewItemCheck:
            drawIndicator(option, painter, false);
            return true;
        case QStyle::PE_IndicatorRadioButton:
            drawIndicator(option, painter, true);
            return true;
        case QStyle::PE_IndicatorArrowUp:
        case QStyle::PE_IndicatorArrowDown:
        case QStyle::PE_IndicatorArrowLeft:
        case QStyle::PE_IndicatorArrowRight: {
            const Qt::ArrowType type = element == QStyle::PE_IndicatorArrowUp     ? Qt::UpArrow
                                       : element == QStyle::PE_IndicatorArrowDown ? Qt::DownArrow
                                       : element == QStyle::PE_IndicatorArrowLeft ? Qt::LeftArrow
                                                                                  : Qt::RightArrow;
            chevron(painter, QRectF(option.rect).center(), type, tokens().text2);
            return true;
        }
        default:
            return false;
    }
}

bool drawButtonControl(QStyle::ControlElement element, const QStyleOption& option, QPainter& painter,
                       const QWidget* widget) {
    if (element == QStyle::CE_PushButtonLabel) {
        const auto& button = static_cast<const QStyleOptionButton&>(option);
        const ButtonLook look = buttonLook(option, widget);
        const bool primary = widget && widget->property(style_property::role) == QLatin1String("primary");
        QFont font = painter.font();
        font.setWeight(primary ? QFont::DemiBold : QFont::Medium);
        painter.save();
        painter.setFont(font);
        painter.setPen(look.text);
        const int textWidth = QFontMetrics(font).horizontalAdvance(button.text);
        const bool icon = !button.icon.isNull();
        const int gap = icon && !button.text.isEmpty() ? 6 : 0;
        const int menu = button.features & QStyleOptionButton::HasMenu ? 14 : 0;
        int x = option.rect.left() + (option.rect.width() - textWidth - (icon ? 16 + gap : 0) - menu) / 2;
        x = std::max(x, option.rect.left() + 6);
        if (icon) {
            const QIcon::Mode mode = !(option.state & QStyle::State_Enabled) ? QIcon::Disabled
                                     : primary                               ? QIcon::Selected
                                                                             : QIcon::Normal;
            button.icon.paint(&painter, QRect(x, option.rect.center().y() - 7, 16, 16), Qt::AlignCenter,
                              mode);
            x += 16 + gap;
        }
        painter.drawText(QRect(x, option.rect.top(), option.rect.right() - x - menu, option.rect.height()),
                         Qt::AlignVCenter | Qt::AlignLeft | Qt::TextShowMnemonic | Qt::TextHideMnemonic,
                         button.text);
        if (menu > 0) {
            chevron(painter, QPointF(option.rect.right() - 12, option.rect.center().y() + 0.5), Qt::DownArrow,
                    look.text, 3.5);
        }
        painter.restore();
        return true;
    }
    if (element == QStyle::CE_CheckBoxLabel || element == QStyle::CE_RadioButtonLabel) {
        const auto& button = static_cast<const QStyleOptionButton&>(option);
        painter.save();
        painter.setPen(option.state & QStyle::State_Enabled ? tokens().text1 : tokens().disabled);
        painter.drawText(option.rect, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextHideMnemonic, button.text);
        painter.restore();
        return true;
    }
    return false;
}

bool drawToolButton(const QStyleOptionToolButton& option, QPainter& painter, const QWidget* widget) {
    const Tokens& t = tokens();
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool on = option.state & (QStyle::State_On | QStyle::State_Sunken);
    const bool hovered = enabled && option.state & QStyle::State_MouseOver;
    const QRectF rect = option.rect;
    if (option.state & QStyle::State_AutoRaise) {
        if (on || hovered)
            panel(painter, rect, metrics::radiusButton, on ? t.checked : t.hover, Qt::transparent);
    } else {
        const ButtonLook look = buttonLook(option, widget);
        panel(painter, rect, metrics::radiusButton, look.fill, look.border);
    }
    if (hasVisibleFocus(option)) focusRing(painter, rect, metrics::radiusButton);
    const bool text = option.toolButtonStyle != Qt::ToolButtonIconOnly && !option.text.isEmpty();
    const bool icon = option.toolButtonStyle != Qt::ToolButtonTextOnly && !option.icon.isNull();
    const QIcon::Mode mode = enabled ? QIcon::Normal : QIcon::Disabled;
    const QSize size = option.iconSize;
    const bool danger = widget && widget->property(style_property::role) == QLatin1String("danger");
    painter.save();
    painter.setPen(!enabled ? t.disabled : danger ? t.error : t.text1);
    if (icon && !text) {
        option.icon.paint(&painter,
                          QRect(QPoint(option.rect.left() + (option.rect.width() - size.width()) / 2,
                                       option.rect.top() + (option.rect.height() - size.height()) / 2),
                                size),
                          Qt::AlignCenter, mode, on ? QIcon::On : QIcon::Off);
    } else {
        QRect content = option.rect.adjusted(7, 0, -7, 0);
        if (icon) {
            option.icon.paint(
                &painter, QRect(QPoint(content.left(), content.center().y() - size.height() / 2 + 1), size),
                Qt::AlignCenter, mode);
            content.setLeft(content.left() + size.width() + 6);
        }
        painter.drawText(content,
                         (icon ? Qt::AlignLeft : Qt::AlignHCenter) | Qt::AlignVCenter | Qt::TextHideMnemonic,
                         option.text);
    }
    painter.restore();
    return true;
}

}  // namespace braid::ui::style
