// Item views, headers, tabs, scroll bars, frames, dock separators.
#include <QAbstractItemView>
#include <QHeaderView>
#include <QMainWindow>
#include <QPainter>
#include <QStyleOption>
#include <QTabBar>
#include <QToolBar>

#include "widgets/common/style.h"
#include "widgets/common/style_paint.h"

namespace braid::ui::style {

bool drawViewPrimitive(QStyle::PrimitiveElement element, const QStyleOption& option, QPainter& painter,
                       const QWidget* widget) {
    const Tokens& t = tokens();
    switch (element) {
        case QStyle::PE_PanelItemViewRow:
            return true;  // each item fills itself
        case QStyle::PE_PanelItemViewItem: {
            const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(&option);
            if (!item) return false;
            if (item->backgroundBrush.style() != Qt::NoBrush)
                painter.fillRect(option.rect, item->backgroundBrush);
            if (option.state & QStyle::State_Selected) {
                painter.fillRect(option.rect, t.selection);
                const auto place = item->viewItemPosition;
                if (place == QStyleOptionViewItem::Beginning || place == QStyleOptionViewItem::OnlyOne) {
                    painter.fillRect(QRect(option.rect.left(), option.rect.top(), 2, option.rect.height()),
                                     t.ink);
                }
            } else if (option.state & QStyle::State_MouseOver && option.state & QStyle::State_Enabled) {
                painter.fillRect(option.rect, t.hover);
            }
            return true;
        }
        case QStyle::PE_FrameFocusRect:
            if (option.state & QStyle::State_KeyboardFocusChange) {
                focusRing(painter, option.rect, qobject_cast<const QAbstractItemView*>(widget) ? 2 : 3);
            }
            return true;
        case QStyle::PE_IndicatorBranch:
            if (option.state & QStyle::State_Children) {
                chevron(painter, QRectF(option.rect).center(),
                        option.state & QStyle::State_Open ? Qt::DownArrow : Qt::RightArrow, t.text3, 3.5);
            }
            return true;
        case QStyle::PE_IndicatorHeaderArrow: {
            const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(&option);
            if (header && header->sortIndicator != QStyleOptionHeader::None) {
                chevron(painter, QRectF(option.rect).center(),
                        header->sortIndicator == QStyleOptionHeader::SortUp ? Qt::DownArrow : Qt::UpArrow,
                        t.text2, 3);
            }
            return true;
        }
        case QStyle::PE_Frame:
            panel(painter, option.rect, 0, Qt::transparent, t.border);
            return true;
        case QStyle::PE_FrameTabBarBase:
            painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                             t.border);
            return true;
        case QStyle::PE_FrameTabWidget:
        case QStyle::PE_FrameStatusBarItem:
        case QStyle::PE_IndicatorToolBarSeparator:
            return true;
        case QStyle::PE_PanelStatusBar:
            painter.fillRect(option.rect, t.window);
            painter.fillRect(QRect(option.rect.left(), option.rect.top(), option.rect.width(), 1), t.border);
            return true;
        case QStyle::PE_IndicatorDockWidgetResizeHandle: {
            // The grab area is wider than the hairline; it belongs to the dock on the outer side.
            painter.fillRect(option.rect, t.panel);
            const int middle = widget ? widget->width() / 2 : 0;
            if (option.rect.height() >= option.rect.width()) {
                const bool left = option.rect.center().x() < middle;
                painter.fillRect(QRect(left ? option.rect.right() : option.rect.left(), option.rect.top(), 1,
                                       option.rect.height()),
                                 t.border);
                // The hairline under the dock's title runs on to it.
                painter.fillRect(QRect(option.rect.left(), option.rect.top() + metrics::dockTitle - 1,
                                       option.rect.width(), 1),
                                 t.border);
            } else {
                painter.fillRect(QRect(option.rect.left(), option.rect.center().y(), option.rect.width(), 1),
                                 t.border);
            }
            return true;
        }
        default:
            return false;
    }
}

bool drawViewControl(QStyle::ControlElement element, const QStyleOption& option, QPainter& painter,
                     const QWidget* widget) {
    const Tokens& t = tokens();
    switch (element) {
        case QStyle::CE_HeaderSection: {
            painter.fillRect(option.rect, t.sunken);
            painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                             t.border);
            if (option.state & QStyle::State_MouseOver && option.state & QStyle::State_Enabled) {
                const auto* header = qobject_cast<const QHeaderView*>(widget);
                if (header && header->sectionsClickable()) {
                    painter.fillRect(option.rect.adjusted(0, 0, 0, -1), t.hover);
                }
            }
            return true;
        }
        case QStyle::CE_HeaderEmptyArea:
            painter.fillRect(option.rect, t.sunken);
            painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                             t.border);
            return true;
        case QStyle::CE_HeaderLabel: {
            const auto& header = static_cast<const QStyleOptionHeader&>(option);
            painter.save();
            painter.setFont(Theme::instance().font(TypeStep::table, 500));
            painter.setPen(t.text2);
            // From a whole baseline and without a clip, which would shave descenders.
            const QFontMetrics metrics(painter.font());
            const QString text = metrics.elidedText(header.text, Qt::ElideRight, option.rect.width());
            const QRect line =
                QStyle::alignedRect(option.direction, header.textAlignment | Qt::AlignVCenter,
                                    {metrics.horizontalAdvance(text), metrics.height()}, option.rect);
            painter.drawText(line.left(), line.top() + metrics.ascent(), text);
            painter.restore();
            return true;
        }
        case QStyle::CE_TabBarTabShape: {
            const bool selected = option.state & QStyle::State_Selected;
            if (!selected && option.state & QStyle::State_MouseOver) {
                panel(painter, QRectF(option.rect).adjusted(2, 4, -2, -4), metrics::radiusButton, t.hover,
                      Qt::transparent);
            }
            if (selected) {
                painter.fillRect(
                    QRect(option.rect.left() + 8, option.rect.bottom() - 1, option.rect.width() - 16, 2),
                    t.ink);
            }
            if (hasVisibleFocus(option)) {
                focusRing(painter, QRectF(option.rect).adjusted(2, 3, -2, -3), metrics::radiusButton);
            }
            return true;
        }
        case QStyle::CE_TabBarTabLabel: {
            const auto& tab = static_cast<const QStyleOptionTab&>(option);
            const bool selected = option.state & QStyle::State_Selected;
            painter.save();
            painter.setFont(Theme::instance().font(TypeStep::control, selected ? 600 : 500));
            painter.setPen(!(option.state & QStyle::State_Enabled) ? t.disabled
                           : selected                              ? t.text1
                                                                   : t.text2);
            painter.drawText(option.rect, Qt::AlignCenter | Qt::TextHideMnemonic, tab.text);
            painter.restore();
            return true;
        }
        case QStyle::CE_Splitter:
            painter.fillRect(option.rect, t.border);
            return true;
        case QStyle::CE_ToolBar:
            painter.fillRect(option.rect, t.window);
            painter.fillRect(QRect(option.rect.right(), option.rect.top(), 1, option.rect.height()),
                             t.border);
            return true;
        case QStyle::CE_SizeGrip:
            return true;
        default:
            return false;
    }
}

bool drawScrollBar(const QStyleOptionSlider& option, QPainter& painter, const QWidget* widget,
                   const QStyle& self) {
    const Tokens& t = tokens();
    painter.fillRect(option.rect, option.palette.color(QPalette::Base));
    if (option.minimum == option.maximum) return true;
    const QRectF handle =
        self.subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, widget);
    const bool hot = option.state & QStyle::State_MouseOver || option.state & QStyle::State_Sunken;
    const QRectF inner =
        option.orientation == Qt::Horizontal ? handle.adjusted(2, 3, -2, -3) : handle.adjusted(3, 2, -3, -2);
    panel(painter, inner, 3, hot ? t.axis : t.borderStrong, Qt::transparent);
    return true;
}

}  // namespace braid::ui::style
