// Draws Qt's standard controls as look.md wants them, from the tokens of the current theme. No style sheets:
// a change of theme is a repaint.
#pragma once

#include <QProxyStyle>

namespace braid::ui {

// Dynamic properties that change how a control is drawn.
namespace style_property {
inline constexpr char role[] = "braidRole";    // buttons: "primary", "danger"
inline constexpr char error[] = "braidError";  // bool, of a field: red border
}  // namespace style_property

class Style : public QProxyStyle {
    Q_OBJECT

public:
    Style();

    static QPalette tokenPalette();  // of the current tokens

    void polish(QPalette& palette) override;
    void polish(QWidget* widget) override;
    void polish(QApplication* application) override { QProxyStyle::polish(application); }

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                           const QWidget* widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption* option,
                         const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl sub,
                         const QWidget* widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
};

}  // namespace braid::ui
