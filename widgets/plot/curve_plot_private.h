// Private to widgets/plot.
#pragma once

#include <QElapsedTimer>
#include <QTimer>

#include "widgets/plot/axis_ticker.h"
#include "widgets/plot/layers.h"

namespace braid::ui {

class CurvePlot::Private {
public:
    explicit Private(CurvePlot* owner);

    // --- curve_plot.cpp: what is shown
    void schedule();  // a repaint soon, at most one a frame
    void repaint();   // now
    void restyle();   // colours and fonts of the theme
    void refreshSeries(int index);
    void fitAxes();  // those that still follow the data
    void layOut();   // margins for tick labels and line-end labels
    void placeHeader();
    AxisRange fittedX() const;
    AxisRange fittedY() const;

    // --- curve_plot_interaction.cpp: what the user does
    bool event(QEvent* event);
    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void release(QMouseEvent* event);
    void wheel(QWheelEvent* event);
    bool key(QKeyEvent* event);
    void leave();
    void zoom(double factor, const QPointF& centre, bool x, bool y);
    void pan(double right, double up);  // in pixels
    void userMovedX();
    void setCursorAt(int which, std::optional<double> x);
    int seriesNear(const QPointF& place) const;
    void repaintOverlay();

    CurvePlot* q;
    PlotState state;
    QCustomPlot* plot = nullptr;
    QSharedPointer<AxisTicker> xTicker, yTicker;
    CurvesLayer* curves = nullptr;
    MarksLayer* marks = nullptr;
    OverlayLayer* overlay = nullptr;

    QString title, subtitle;
    bool fitX = true, fitY = true;
    std::optional<double> xLimits[2], yLimits[2];
    bool cursorsEnabled = false;
    bool wheelScrolls = false;

    QTimer frame;
    QElapsedTimer sinceRepaint;

    enum class Drag { none, pan, box, cursorA, cursorB };
    Drag drag = Drag::none;
    QPointF dragStart;
    QCPRange dragX, dragY;
    bool moved = false;
};

}  // namespace braid::ui
