#include "widgets/common/style.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPainter>
#include <QScrollBar>
#include <QSlider>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>
#include <algorithm>
#include <cmath>

#include "widgets/common/style_paint.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr int field_padding = 8, arrow_width = 22, scroll_extent = 12, header_arrow = 16,
              shortest_handle = 28;

int controlHeight() { return std::max(metrics::control, Theme::instance().pixels(TypeStep::control) + 15); }

// Where the handle of a scroll bar is; the bar has no arrow buttons.
QRect scrollHandle(const QStyleOptionSlider& bar) {
    const bool horizontal = bar.orientation == Qt::Horizontal;
    const int length = horizontal ? bar.rect.width() : bar.rect.height();
    int handle = length;
    if (bar.maximum != bar.minimum) {
        const qint64 range = qint64(bar.maximum) - bar.minimum;
        handle = int(qint64(bar.pageStep) * length / std::max<qint64>(1, range + bar.pageStep));
        handle = std::clamp(handle, std::min(shortest_handle, length), length);
    }
    const int start = QStyle::sliderPositionFromValue(bar.minimum, bar.maximum, bar.sliderPosition,
                                                      length - handle, bar.upsideDown);
    return horizontal ? QRect(bar.rect.left() + start, bar.rect.top(), handle, bar.rect.height())
                      : QRect(bar.rect.left(), bar.rect.top() + start, bar.rect.width(), handle);
}

}  // namespace

Style::Style() : QProxyStyle(QStyleFactory::create(QStringLiteral("fusion"))) {
    setObjectName(QStringLiteral("braid"));
}

QPalette Style::tokenPalette() {
    const Tokens& t = tokens();
    QPalette p;
    p.setColor(QPalette::Window, t.panel);
    p.setColor(QPalette::WindowText, t.text1);
    p.setColor(QPalette::Base, t.surface);
    p.setColor(QPalette::AlternateBase, t.sunken);
    p.setColor(QPalette::ToolTipBase, t.raised);
    p.setColor(QPalette::ToolTipText, t.text1);
    p.setColor(QPalette::PlaceholderText, t.text3);
    p.setColor(QPalette::Text, t.text1);
    p.setColor(QPalette::Button, t.raised);
    p.setColor(QPalette::ButtonText, t.text1);
    p.setColor(QPalette::BrightText, t.error);
    p.setColor(QPalette::Light, t.raised);
    p.setColor(QPalette::Midlight, t.hover);
    p.setColor(QPalette::Mid, t.borderStrong);
    p.setColor(QPalette::Dark, t.axis);
    p.setColor(QPalette::Shadow, t.border);
    p.setColor(QPalette::Highlight, t.selection);
    p.setColor(QPalette::HighlightedText, t.text1);
    p.setColor(QPalette::Link, t.info);
    p.setColor(QPalette::LinkVisited, t.info);
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText}) {
        p.setColor(QPalette::Disabled, role, t.disabled);
    }
    p.setColor(QPalette::Disabled, QPalette::Base, t.sunken);
    return p;
}

void Style::polish(QPalette& palette) { palette = tokenPalette(); }

void Style::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) ||
        qobject_cast<QAbstractSpinBox*>(widget) || qobject_cast<QSlider*>(widget) ||
        qobject_cast<QScrollBar*>(widget) || qobject_cast<QTabBar*>(widget) ||
        qobject_cast<QLineEdit*>(widget)) {
        widget->setAttribute(Qt::WA_Hover);
    }
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
        case PM_ButtonShiftHorizontal:
        case PM_ButtonShiftVertical:
        case PM_ButtonDefaultIndicator:
        case PM_MenuBarPanelWidth:
        case PM_MenuBarItemSpacing:
        case PM_MenuBarVMargin:
        case PM_MenuHMargin:
        case PM_ToolBarFrameWidth:
        case PM_ToolBarItemMargin:
        case PM_ToolBarItemSpacing:
        case PM_TabBarTabShiftHorizontal:
        case PM_TabBarTabShiftVertical:
        case PM_TabBarTabOverlap:
        case PM_TabBarBaseOverlap:
        case PM_ScrollView_ScrollBarSpacing:
        case PM_DockWidgetFrameWidth:
            return 0;
        case PM_MenuBarHMargin:
            return 4;
        case PM_MenuPanelWidth:
            return 1;
        case PM_MenuVMargin:
            return 4;
        case PM_DefaultFrameWidth:
            return 1;
        case PM_SplitterWidth:
            return 1;
        case PM_DockWidgetSeparatorExtent:
            return 5;
        case PM_ScrollBarExtent:
            return scroll_extent;
        case PM_ScrollBarSliderMin:
            return shortest_handle;
        case PM_SliderThickness:
        case PM_SliderControlThickness:
            return 18;
        case PM_SliderLength:
            return 14;
        case PM_IndicatorWidth:
        case PM_IndicatorHeight:
        case PM_ExclusiveIndicatorWidth:
        case PM_ExclusiveIndicatorHeight:
            return 16;
        case PM_CheckBoxLabelSpacing:
        case PM_RadioButtonLabelSpacing:
            return 8;
        case PM_ButtonIconSize:
        case PM_SmallIconSize:
        case PM_ListViewIconSize:
        case PM_TabBarIconSize:
            return 16;
        case PM_ToolBarIconSize:
            return 20;
        case PM_TreeViewIndentation:
            return 14;
        case PM_LayoutHorizontalSpacing:
        case PM_LayoutVerticalSpacing:
            return metrics::gap2;
        case PM_LayoutLeftMargin:
        case PM_LayoutRightMargin:
        case PM_LayoutTopMargin:
        case PM_LayoutBottomMargin:
            return metrics::gap3;
        case PM_TabBarTabHSpace:
            return 24;
        case PM_TabBarTabVSpace:
            return 12;
        case PM_HeaderMargin:
            return 8;
        case PM_FocusFrameHMargin:
            return 6;
        default:
            return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int Style::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                     QStyleHintReturn* data) const {
    switch (hint) {
        case SH_ComboBox_Popup:
        case SH_EtchDisabledText:
        case SH_UnderlineShortcut:  // mnemonics show while Alt is down, as the menu bar asks for
        case SH_TabBar_PreferNoArrows:
        case SH_ItemView_ShowDecorationSelected:
            return hint == SH_ItemView_ShowDecorationSelected;
        case SH_DialogButtonBox_ButtonsHaveIcons:
            return 0;
        case SH_MenuBar_MouseTracking:
        case SH_Menu_MouseTracking:
        case SH_ScrollBar_LeftClickAbsolutePosition:
            return 1;
        case SH_Slider_AbsoluteSetButtons:
            return Qt::LeftButton;
        case SH_Menu_SubMenuPopupDelay:
            return 150;
        case SH_ToolTip_WakeUpDelay:
            return 500;
        case SH_Widget_Animation_Duration:
            return Theme::instance().motion(120);
        case SH_TabBar_Alignment:
            return Qt::AlignLeft;
        case SH_Header_ArrowAlignment:
            return Qt::AlignRight | Qt::AlignVCenter;
        default:
            return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                              const QWidget* widget) const {
    switch (type) {
        case CT_PushButton: {
            const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
            if (!button) break;
            QFont font =
                button->fontMetrics.height() > 0 && widget ? widget->font() : Theme::instance().font();
            font.setWeight(QFont::DemiBold);
            int width = QFontMetrics(font).horizontalAdvance(button->text) + 26;
            if (!button->icon.isNull()) width += 16 + (button->text.isEmpty() ? -8 : 6);
            if (button->features & QStyleOptionButton::HasMenu) width += 14;
            return QSize(width, controlHeight());
        }
        case CT_LineEdit:
            return QSize(size.width() + 2 * field_padding, std::max(size.height(), controlHeight()));
        case CT_ComboBox:
            return QSize(size.width() + field_padding * 2 + arrow_width,
                         std::max(size.height(), controlHeight()));
        case CT_SpinBox:
            return QSize(size.width() + arrow_width + 2 * field_padding,
                         std::max(size.height(), controlHeight()));
        case CT_ToolButton: {
            const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
            if (!button) break;
            const bool text = button->toolButtonStyle != Qt::ToolButtonIconOnly && !button->text.isEmpty();
            const bool menu = button->features & QStyleOptionToolButton::HasMenu &&
                              button->features & QStyleOptionToolButton::MenuButtonPopup;
            return QSize(std::max(size.width() + (text ? 14 : 8) + (menu ? 14 : 0), controlHeight()),
                         std::max(size.height() + 6, controlHeight()));
        }
        case CT_MenuItem:
            if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
                return style::menuItemSize(*item);
            }
            break;
        case CT_MenuBarItem:
            return size.isEmpty() ? size : QSize(size.width() + 18, controlHeight());
        case CT_HeaderSection: {
            // As it is drawn: our letters, our padding, our mark of the order in place of one padding.
            const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
            int width = QProxyStyle::sizeFromContents(type, option, size, widget).width();
            if (header && header->orientation == Qt::Horizontal) {
                const QFontMetricsF letters(Theme::instance().font(TypeStep::table, 500));
                const bool sorted = header->sortIndicator != QStyleOptionHeader::None;
                width = int(std::ceil(letters.horizontalAdvance(header->text))) + 1 + field_padding +
                        (sorted ? header_arrow : field_padding);
            }
            return QSize(width, std::max(metrics::control, Theme::instance().pixels(TypeStep::table) + 14));
        }
        case CT_ItemViewItem: {
            const QSize base = QProxyStyle::sizeFromContents(type, option, size, widget);
            return QSize(base.width(), std::max(base.height(), metrics::row));
        }
        default:
            break;
    }
    return QProxyStyle::sizeFromContents(type, option, size, widget);
}

QRect Style::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
    switch (element) {
        case SE_LineEditContents: {
            const auto* panel = qstyleoption_cast<const QStyleOptionFrame*>(option);
            if (panel && panel->lineWidth == 0) return option->rect.adjusted(2, 0, -2, 0);
            return option->rect.adjusted(field_padding, 1, -field_padding, -1);
        }
        case SE_PushButtonContents:
            return option->rect.adjusted(8, 2, -8, -2);
        case SE_HeaderArrow:
            return QRect(option->rect.right() + 1 - header_arrow, option->rect.top(), header_arrow,
                         option->rect.height());
        case SE_HeaderLabel: {
            const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
            const bool sorted = header && header->sortIndicator != QStyleOptionHeader::None;
            return option->rect.adjusted(field_padding, 0, sorted ? -header_arrow : -field_padding, 0);
        }
        case SE_ProgressBarContents:
        case SE_ProgressBarGroove:
            return option->rect;
        default:
            return QProxyStyle::subElementRect(element, option, widget);
    }
}

QRect Style::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl sub,
                            const QWidget* widget) const {
    const QRect& rect = option->rect;
    if (control == CC_ScrollBar) {
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (!bar) return {};
        const QRect handle = scrollHandle(*bar);
        const bool horizontal = bar->orientation == Qt::Horizontal;
        switch (sub) {
            case SC_ScrollBarSlider:
                return handle;
            case SC_ScrollBarGroove:
                return rect;
            case SC_ScrollBarSubPage:
                return horizontal ? QRect(rect.left(), rect.top(), handle.left() - rect.left(), rect.height())
                                  : QRect(rect.left(), rect.top(), rect.width(), handle.top() - rect.top());
            case SC_ScrollBarAddPage:
                return horizontal ? QRect(QPoint(handle.right() + 1, rect.top()), rect.bottomRight())
                                  : QRect(QPoint(rect.left(), handle.bottom() + 1), rect.bottomRight());
            default:
                return {};
        }
    }
    if (control == CC_ComboBox) {
        switch (sub) {
            case SC_ComboBoxFrame:
                return rect;
            case SC_ComboBoxArrow:
                return QRect(rect.right() - arrow_width, rect.top(), arrow_width, rect.height());
            case SC_ComboBoxEditField:
                return rect.adjusted(field_padding, 1, -arrow_width - 2, -1);
            case SC_ComboBoxListBoxPopup:
                return rect;
            default:
                break;
        }
    }
    if (control == CC_SpinBox) {
        const int half = rect.height() / 2;
        switch (sub) {
            case SC_SpinBoxFrame:
                return rect;
            case SC_SpinBoxUp:
                return QRect(rect.right() - arrow_width + 1, rect.top(), arrow_width, half);
            case SC_SpinBoxDown:
                return QRect(rect.right() - arrow_width + 1, rect.top() + half, arrow_width,
                             rect.height() - half);
            case SC_SpinBoxEditField:
                return rect.adjusted(field_padding - 2, 1, -arrow_width, -1);
            default:
                break;
        }
    }
    return QProxyStyle::subControlRect(control, option, sub, widget);
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
    if (style::drawButtonPrimitive(element, *option, *painter, widget)) return;
    if (style::drawFieldPrimitive(element, *option, *painter, widget)) return;
    if (style::drawViewPrimitive(element, *option, *painter, widget)) return;
    if (style::drawMenuPrimitive(element, *option, *painter)) return;
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void Style::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                        const QWidget* widget) const {
    if (style::drawButtonControl(element, *option, *painter, widget)) return;
    if (style::drawFieldControl(element, *option, *painter)) return;
    if (style::drawViewControl(element, *option, *painter, widget)) return;
    if (style::drawMenuControl(element, *option, *painter)) return;
    const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
    if (element == CE_Header && header) {  // by its own it does not ask us where its parts stand
        painter->save();
        painter->setClipRect(header->rect, Qt::IntersectClip);
        drawControl(CE_HeaderSection, header, painter, widget);
        QStyleOptionHeader part = *header;
        part.rect = subElementRect(SE_HeaderLabel, header, widget);
        drawControl(CE_HeaderLabel, &part, painter, widget);
        part.rect = subElementRect(SE_HeaderArrow, header, widget);
        drawPrimitive(PE_IndicatorHeaderArrow, &part, painter, widget);
        painter->restore();
        return;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                               const QWidget* widget) const {
    if (control == CC_ScrollBar) {
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (bar && style::drawScrollBar(*bar, *painter, widget, *this)) return;
    }
    if (control == CC_ToolButton) {
        const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
        if (button && style::drawToolButton(*button, *painter, widget)) return;
    }
    if (style::drawFieldComplex(control, *option, *painter, widget, *this)) return;
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

}  // namespace braid::ui
