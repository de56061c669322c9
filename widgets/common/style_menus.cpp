// Menus, the menu bar, tool tips.
#include <QPainter>
#include <QStyleOption>
#include <algorithm>

#include "widgets/common/style.h"
#include "widgets/common/style_paint.h"

namespace braid::ui::style {

namespace {
constexpr int icon_column = 30, right_margin = 12, shortcut_gap = 28, separator_height = 9;
}

bool drawMenuPrimitive(QStyle::PrimitiveElement element, const QStyleOption& option, QPainter& painter) {
    const Tokens& t = tokens();
    switch (element) {
        case QStyle::PE_PanelMenu:
            painter.fillRect(option.rect, t.raised);
            return true;
        case QStyle::PE_FrameMenu:
            panel(painter, option.rect, 0, Qt::transparent, t.borderStrong);
            return true;
        case QStyle::PE_PanelMenuBar:
            return true;
        case QStyle::PE_PanelTipLabel:
            painter.fillRect(option.rect, t.raised);
            panel(painter, option.rect, 0, Qt::transparent, t.borderStrong);
            return true;
        default:
            return false;
    }
}

bool drawMenuControl(QStyle::ControlElement element, const QStyleOption& option, QPainter& painter) {
    const Tokens& t = tokens();
    switch (element) {
        case QStyle::CE_MenuBarEmptyArea:
            return true;
        case QStyle::CE_MenuBarItem: {
            const auto& item = static_cast<const QStyleOptionMenuItem&>(option);
            const bool open = option.state & QStyle::State_Sunken;
            if (open || option.state & QStyle::State_Selected) {
                panel(painter, QRectF(option.rect).adjusted(0, 0, 0, 0), metrics::radiusButton,
                      open ? t.checked : t.hover, Qt::transparent);
            }
            painter.save();
            painter.setFont(Theme::instance().font(TypeStep::control, 500));
            painter.setPen(option.state & QStyle::State_Enabled ? t.text1 : t.disabled);
            painter.drawText(option.rect, Qt::AlignCenter | Qt::TextHideMnemonic, item.text);
            painter.restore();
            return true;
        }
        case QStyle::CE_MenuItem: {
            const auto& item = static_cast<const QStyleOptionMenuItem&>(option);
            const QRect& rect = option.rect;
            if (item.menuItemType == QStyleOptionMenuItem::Separator) {
                painter.fillRect(QRect(rect.left() + 10, rect.center().y(), rect.width() - 20, 1), t.border);
                return true;
            }
            const bool enabled = option.state & QStyle::State_Enabled;
            if (enabled && option.state & QStyle::State_Selected) {
                panel(painter, QRectF(rect).adjusted(4, 0, -4, 0), metrics::radiusField, t.hover,
                      Qt::transparent);
            }
            const QRect mark(rect.left() + 10, rect.center().y() - 7, 16, 16);
            if (item.checked && item.checkType == QStyleOptionMenuItem::Exclusive) {
                panel(painter, QRectF(mark).adjusted(5, 5, -5, -5), 3, t.text1, Qt::transparent);
            } else if (item.checked) {
                tick(painter, mark, t.text1);
            } else if (!item.icon.isNull()) {
                item.icon.paint(&painter, mark, Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
            }
            painter.save();
            painter.setFont(item.font);
            painter.setPen(enabled ? t.text1 : t.disabled);
            const auto tab = item.text.indexOf(QLatin1Char('\t'));
            const QRect text = rect.adjusted(icon_column, 0, -right_margin, 0);
            const int flags = Qt::AlignVCenter | Qt::TextShowMnemonic | Qt::TextSingleLine;
            painter.drawText(text, flags | Qt::AlignLeft, item.text.left(tab < 0 ? item.text.size() : tab));
            if (tab >= 0) {
                painter.setPen(enabled ? t.text3 : t.disabled);
                painter.drawText(text, Qt::AlignVCenter | Qt::AlignRight, item.text.mid(tab + 1));
            }
            painter.restore();
            if (item.menuItemType == QStyleOptionMenuItem::SubMenu) {
                chevron(painter, QPointF(rect.right() - right_margin, rect.center().y() + 0.5),
                        Qt::RightArrow, enabled ? t.text2 : t.disabled, 3.5);
            }
            return true;
        }
        case QStyle::CE_MenuVMargin:
        case QStyle::CE_MenuHMargin:
        case QStyle::CE_MenuEmptyArea:
            return true;
        default:
            return false;
    }
}

QSize menuItemSize(const QStyleOptionMenuItem& option) {
    if (option.menuItemType == QStyleOptionMenuItem::Separator) return QSize(10, separator_height);
    const auto tab = option.text.indexOf(QLatin1Char('\t'));
    const QFontMetrics font(option.font);
    int width = icon_column + font.horizontalAdvance(option.text.left(tab < 0 ? option.text.size() : tab)) +
                right_margin;
    if (tab >= 0) width += shortcut_gap + font.horizontalAdvance(option.text.mid(tab + 1));
    if (option.menuItemType == QStyleOptionMenuItem::SubMenu) width += 16;
    return QSize(width, std::max(metrics::control, font.height() + 10));
}

}  // namespace braid::ui::style
