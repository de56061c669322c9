// Fields, combo boxes, spin boxes, sliders, progress bars.
#include <QComboBox>
#include <QLineEdit>
#include <QPainter>
#include <QStyleOption>
#include <QVariant>

#include "widgets/common/style.h"
#include "widgets/common/style_paint.h"

namespace braid::ui::style {

namespace {

void drawField(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
    const Tokens& t = tokens();
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool error = widget && widget->property(style_property::error).toBool();
    const bool focus = enabled && option.state & QStyle::State_HasFocus;
    const QColor border = error ? t.error : focus ? t.ink : enabled ? t.axis : t.border;
    panel(painter, option.rect, metrics::radiusField, enabled ? t.surface : t.sunken, border, focus ? 2 : 1);
}

}  // namespace

bool drawFieldPrimitive(QStyle::PrimitiveElement element, const QStyleOption& option, QPainter& painter,
                        const QWidget* widget) {
    switch (element) {
        case QStyle::PE_PanelLineEdit: {
            const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(&option);
            if (frame && frame->lineWidth > 0) drawField(painter, option, widget);
            return true;
        }
        case QStyle::PE_FrameLineEdit:
            return true;
        default:
            return false;
    }
}

bool drawFieldControl(QStyle::ControlElement element, const QStyleOption& option, QPainter& painter) {
    const Tokens& t = tokens();
    switch (element) {
        case QStyle::CE_ComboBoxLabel: {
            const auto& combo = static_cast<const QStyleOptionComboBox&>(option);
            if (combo.editable) return true;
            QRect rect = combo.rect.adjusted(10, 0, -24, 0);
            painter.save();
            painter.setPen(option.state & QStyle::State_Enabled ? t.text1 : t.disabled);
            if (!combo.currentIcon.isNull()) {
                combo.currentIcon.paint(&painter, QRect(rect.left(), rect.center().y() - 7, 16, 16));
                rect.setLeft(rect.left() + 22);
            }
            painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter,
                             combo.fontMetrics.elidedText(combo.currentText, Qt::ElideRight, rect.width()));
            painter.restore();
            return true;
        }
        case QStyle::CE_ProgressBarGroove: {
            const QRectF rect(option.rect.left(), option.rect.center().y() - 1.5, option.rect.width(), 4);
            panel(painter, rect, 2, t.dark ? t.borderStrong : t.border, Qt::transparent);
            return true;
        }
        case QStyle::CE_ProgressBarContents: {
            const auto& bar = static_cast<const QStyleOptionProgressBar&>(option);
            const double range = double(bar.maximum) - bar.minimum;
            const double done = range > 0 ? (double(bar.progress) - bar.minimum) / range : 0;
            const QRectF rect(option.rect.left(), option.rect.center().y() - 1.5, option.rect.width() * done,
                              4);
            if (rect.width() >= 1) panel(painter, rect, 2, t.ink, Qt::transparent);
            return true;
        }
        case QStyle::CE_ProgressBarLabel:
            return true;
        default:
            return false;
    }
}

bool drawFieldComplex(QStyle::ComplexControl control, const QStyleOptionComplex& option, QPainter& painter,
                      const QWidget* widget, const QStyle& self) {
    const Tokens& t = tokens();
    const bool enabled = option.state & QStyle::State_Enabled;
    switch (control) {
        case QStyle::CC_ComboBox: {
            drawField(painter, option, widget);
            const QRect arrow = self.subControlRect(control, &option, QStyle::SC_ComboBoxArrow, widget);
            chevron(painter, QRectF(arrow).center() + QPointF(-1, 0.5), Qt::DownArrow,
                    enabled ? t.text2 : t.disabled, 3.5);
            return true;
        }
        case QStyle::CC_SpinBox: {
            drawField(painter, option, widget);
            const auto& spin = static_cast<const QStyleOptionSpinBox&>(option);
            if (spin.buttonSymbols == QAbstractSpinBox::NoButtons) return true;
            for (const bool up : {true, false}) {
                const auto sub = up ? QStyle::SC_SpinBoxUp : QStyle::SC_SpinBoxDown;
                const QRect rect = self.subControlRect(control, &option, sub, widget);
                const bool can = enabled && spin.stepEnabled & (up ? QAbstractSpinBox::StepUpEnabled
                                                                   : QAbstractSpinBox::StepDownEnabled);
                const bool hovered =
                    option.activeSubControls == sub && option.state & QStyle::State_MouseOver;
                chevron(painter, QRectF(rect).center() + QPointF(-1, up ? 2 : -1.5),
                        up ? Qt::UpArrow : Qt::DownArrow,
                        !can      ? t.disabled
                        : hovered ? t.text1
                                  : t.text3,
                        3);
            }
            return true;
        }
        case QStyle::CC_Slider: {
            const auto& slider = static_cast<const QStyleOptionSlider&>(option);
            const QRectF handle = self.subControlRect(control, &option, QStyle::SC_SliderHandle, widget);
            const QPointF c = handle.center();
            const QRectF r = option.rect;
            const bool horizontal = slider.orientation == Qt::Horizontal;
            const QRectF groove = horizontal ? QRectF(r.left() + 2, c.y() - 1.5, r.width() - 4, 3)
                                             : QRectF(c.x() - 1.5, r.top() + 2, 3, r.height() - 4);
            QRectF filled = groove;
            if (horizontal) {
                slider.upsideDown ? filled.setLeft(c.x()) : filled.setRight(c.x());
            } else {
                slider.upsideDown ? filled.setBottom(c.y()) : filled.setTop(c.y());
            }
            panel(painter, groove, 1.5, t.borderStrong, Qt::transparent);
            panel(painter, filled, 1.5, enabled ? t.ink : t.disabled, Qt::transparent);
            const bool hot = option.state & QStyle::State_MouseOver || option.state & QStyle::State_Sunken;
            panel(painter, QRectF(c.x() - 6, c.y() - 6, 12, 12), 6, hot ? t.hover : t.raised,
                  enabled ? t.axis : t.border);
            if (hasVisibleFocus(option)) focusRing(painter, QRectF(c.x() - 8, c.y() - 8, 16, 16), 8);
            return true;
        }
        default:
            return false;
    }
}

}  // namespace braid::ui::style
