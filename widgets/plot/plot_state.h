// What a CurvePlot shows, shared by the layers that draw it. Private to widgets/plot.
#pragma once

#include <QPointer>
#include <optional>
#include <vector>

#include "core/analysis/pyramid.h"
#include "core/analysis/smoothing.h"
#include "widgets/common/mixer_style.h"
#include "widgets/common/theme.h"
#include "widgets/plot/curve_plot.h"
#include "widgets/plot/qcustomplot.h"

namespace braid::ui {

// Values derived from one series; made again when its curve or the smoothing changes.
struct SeriesView {
    Smoother smoother{0};
    CurvePtr shown = Curve::empty();  // smoothed, or the curve itself
    std::optional<CurvePoint> last;   // last finite point shown
    Detail detail;                    // as drawn last
};

struct PlotState {
    QCustomPlot* plot = nullptr;  // never null once the CurvePlot is made
    const Tokens* fixedTokens = nullptr;

    QVector<PlotSeries> series;
    std::vector<SeriesView> views;  // one a series

    AxisMap xMap, yMap;
    double smoothing = 0;
    bool compact = false;
    PlotLabels labels = PlotLabels::automatic;
    PlotLabels labelsNow = PlotLabels::none;  // what automatic came to for this size
    bool wholeX = false, factorX = false, factorY = false;
    bool focusRing = false;  // focused by the keyboard
    QString xTitle;

    std::optional<PlotThreshold> threshold;
    QVector<PlotVerticalMark> marks;
    std::optional<double> cursors[2];
    std::optional<double> hoverX;    // of a neighbour
    std::optional<QPointF> pointer;  // of this panel, in plot pixels
    std::optional<QRectF> boxZoom;   // while it is drawn
    QString readout;
    QRectF readoutRect;

    const Tokens& tokens() const { return fixedTokens ? *fixedTokens : ui::tokens(); }
    QCPAxis* xAxis() const { return plot->xAxis; }
    QCPAxis* yAxis() const { return plot->yAxis; }
    QRect area() const { return plot->axisRect()->rect(); }
    // Pixel of a value; NaN where the axis has no place for it.
    double xPixel(double value) const { return plot->xAxis->coordToPixel(xMap.forward(value)); }
    double yPixel(double value) const { return plot->yAxis->coordToPixel(yMap.forward(value)); }
    double xValue(double pixel) const { return xMap.backward(plot->xAxis->pixelToCoord(pixel)); }
    AxisRange xRange() const;
    AxisRange yRange() const;
    TickOptions xTickOptions() const;
    TickOptions yTickOptions() const;

    LineLook lookOf(const PlotSeries& one) const;
    QColor colourOf(const PlotSeries& one) const { return lookOf(one).colour; }
    // A value as the labels and the readout state it.
    QString valueText(double value) const;
    QString xText(double value) const;
    std::vector<int> visibleSeries() const;  // indices
    PlotReading read(int index, double x) const;
};

}  // namespace braid::ui
