// Where a figure is drawn: paper in hundredths of a millimetre, whatever the device. The same calls make the
// PDF, the SVG, the PNG and the preview; what is drawn is counted, so that the checks speak of the figure
// itself.
#pragma once

#include <QColor>
#include <QFont>
#include <QPainter>
#include <QPen>
#include <QPolygonF>
#include <QString>
#include <set>
#include <vector>

#include "core/analysis/pyramid.h"
#include "widgets/figure/figure.h"

namespace braid::ui {

// How one series looks on paper.
struct SeriesLook {
    QString label;
    QColor colour;
    int dash = 0;
    int marker = 0;
};

// What was drawn: the ground of the checks.
struct FigureFacts {
    double smallest_pt = 0;   // of all texts; 0: none
    int series = 0;           // that have anything to show
    int legend_entries = 0;   // names beside their line or in the legend
    std::size_t points = 0;   // recorded values in the panels' x ranges
    std::size_t outside = 0;  // of them above or below the panel, or without a place on it
    std::size_t missing = 0;  // NaN
    std::vector<SeriesLook> looks;
    bool spread_wanted = false;
    bool spread_shown = false;
    std::size_t fewest_seeds = 0;
    std::set<QString> families;
    QStringList texts;
};

enum class TextAnchor { left, centre, right };

class FigureCanvas {
public:
    static constexpr double per_mm = 100;
    static constexpr double per_pt = 25.4 / 72 * per_mm;

    // The painter's coordinates are hundredths of a millimetre already.
    FigureCanvas(QPainter& painter, const FigureStyle& style);

    QRectF page() const { return {0, 0, style_.width_mm * per_mm, style_.height_mm * per_mm}; }
    static double mm(double millimetres) { return millimetres * per_mm; }
    static double pt(double points) { return points * per_pt; }
    double fontPt() const { return style_.font_pt; }
    double linePt() const { return style_.line_pt; }
    QPainter& painter() { return painter_; }
    FigureFacts& facts() { return facts_; }

    // Ink of axes and text; figures are always light.
    static QColor ink() { return QColor(0x17, 0x1a, 0x21); }
    static QColor faintInk() { return QColor(0x43, 0x4b, 0x59); }
    static QColor axisInk() { return QColor(0x5a, 0x62, 0x70); }
    static QColor gridInk() { return QColor(0xe4, 0xe7, 0xec); }

    double textWidth(const QString& text, int weight = 400, double scale = 1) const;
    double textHeight(double scale = 1) const;  // of a line
    // `place` is the middle of the line's height, at the anchor. Turned: read from bottom to top.
    void text(const QPointF& place, const QString& text, TextAnchor anchor = TextAnchor::left,
              int weight = 400, const QColor& colour = ink(), bool turned = false);

    void line(const QPointF& from, const QPointF& to, const QColor& colour, double widthPt,
              const QVector<qreal>& dashes = {});
    void rectangle(const QRectF& rect, const QColor& fill);
    void polygon(const QPolygonF& polygon, const QColor& fill);

    // Lines of a curve inside `panel`, cut at its edges; lone values as dots, edge marks at the edges. Counts
    // what lies outside. `columns`: level of detail across the panel.
    struct Frame {
        QRectF panel;
        AxisMap x_map, y_map;
        AxisRange x_range, y_range;
        QPointF place(double x, double y) const;  // NaN where there is none
    };
    void curve(const Frame& frame, const Curve& curve, int columns, const QPen& pen);
    void band(const Frame& frame, const Curve& low, const Curve& high, const QColor& fill);
    void marker(const QPointF& place, int kind, const QColor& colour, double radius);

private:
    QFont fontOf(int weight, double scale) const;

    QPainter& painter_;
    FigureStyle style_;
    QString family_;
    FigureFacts facts_;
};

// QRectF::contains() says yes to NaN.
bool isInside(const QRectF& rect, const QPointF& place);
// The program's own font for an empty family name.
QString figureFontFamily(const QString& wish);
QVector<qreal> figureDashes(int number);  // in line widths; number 0: solid
inline constexpr int figure_dash_count = 8;
inline constexpr int figure_marker_count = 5;
// The look of series number `place` (from 0) with this palette index.
SeriesLook seriesLook(SeriesBy by, int place, int paletteIndex, const QString& label);

}  // namespace braid::ui
