// The drawing behind Style, by kind of control. Each returns false for what it leaves to the base style.
#pragma once

#include <QStyle>
#include <QStyleOption>

#include "widgets/common/theme.h"

class QPainter;

namespace braid::ui::style {

// A filled rectangle with round corners and a border inside its edge; colours without alpha 0 only.
void panel(QPainter& painter, const QRectF& rect, qreal radius, const QColor& fill, const QColor& border,
           qreal width = 1);
void focusRing(QPainter& painter, const QRectF& rect, qreal radius);
// Focus that came by the keyboard: a click needs no ring.
bool hasVisibleFocus(const QStyleOption& option);
bool hasVisibleFocus(const QWidget& widget);
void chevron(QPainter& painter, const QPointF& centre, Qt::ArrowType direction, const QColor& colour,
             qreal size = 4);
void tick(QPainter& painter, const QRectF& box, const QColor& colour);

bool drawButtonPrimitive(QStyle::PrimitiveElement element, const QStyleOption& option, QPainter& painter,
                         const QWidget* widget);
bool drawButtonControl(QStyle::ControlElement element, const QStyleOption& option, QPainter& painter,
                       const QWidget* widget);
bool drawToolButton(const QStyleOptionToolButton& option, QPainter& painter, const QWidget* widget);

bool drawFieldPrimitive(QStyle::PrimitiveElement element, const QStyleOption& option, QPainter& painter,
                        const QWidget* widget);
bool drawFieldControl(QStyle::ControlElement element, const QStyleOption& option, QPainter& painter);
bool drawFieldComplex(QStyle::ComplexControl control, const QStyleOptionComplex& option, QPainter& painter,
                      const QWidget* widget, const QStyle& self);

bool drawViewPrimitive(QStyle::PrimitiveElement element, const QStyleOption& option, QPainter& painter,
                       const QWidget* widget);
bool drawViewControl(QStyle::ControlElement element, const QStyleOption& option, QPainter& painter,
                     const QWidget* widget);
bool drawScrollBar(const QStyleOptionSlider& option, QPainter& painter, const QWidget* widget,
                   const QStyle& self);

bool drawMenuPrimitive(QStyle::PrimitiveElement element, const QStyleOption& option, QPainter& painter);
bool drawMenuControl(QStyle::ControlElement element, const QStyleOption& option, QPainter& painter);
QSize menuItemSize(const QStyleOptionMenuItem& option);

}  // namespace braid::ui::style
