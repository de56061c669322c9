// The three layers of a CurvePlot, bottom to top. Private to widgets/plot.
#pragma once

#include "widgets/plot/plot_state.h"
#include "widgets/plot/span_raster.h"

namespace braid::ui {

// Lines, lone dots and edge marks.
class CurvesLayer : public QCPLayerable {
    Q_OBJECT

public:
    explicit CurvesLayer(PlotState* state);

protected:
    QRect clipRect() const override { return state_->area(); }
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    struct Stroke;
    void prepare(const Curve& curve, const QColor& colour, qreal width, int dash, Detail& into,
                 std::vector<Stroke>& strokes) const;
    bool drawDense(QCPPainter* painter, const std::vector<int>& order);
    void drawBand(QCPPainter* painter, const PlotSeries& series) const;
    void drawMarks(QCPPainter* painter, const Detail& detail, const QColor& colour) const;

    PlotState* state_;
    SpanRaster raster_;
    std::vector<DenseColumn> columns_;
    std::vector<SpanRaster::Column> pixels_;
};

// Threshold, vertical marks, end points, labels or legend.
class MarksLayer : public QCPLayerable {
    Q_OBJECT

public:
    explicit MarksLayer(PlotState* state);

    // Room that labels at the line ends need right of the axes; decides what automatic means.
    int labelWidth();
    // Series whose label is at this place of the plot; -1: none.
    int labelAt(const QPointF& place) const;

protected:
    QRect clipRect() const override { return state_->plot->viewport(); }
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    struct Label {
        int series;
        QString name, value;
    };
    std::vector<Label> collectLabels() const;
    void drawThreshold(QCPPainter* painter) const;
    void drawGap(QCPPainter* painter, const std::vector<int>& shown) const;
    void drawXTitle(QCPPainter* painter) const;
    void drawVerticalMarks(QCPPainter* painter) const;
    void drawEnds(QCPPainter* painter) const;
    void drawLineEndLabels(QCPPainter* painter);
    void drawLegend(QCPPainter* painter);
    QRectF emptiestCorner(const QSizeF& size) const;

    PlotState* state_;
    std::vector<std::pair<QRectF, int>> labelRects_;
};

// Cursors, pointer line, readout, zoom box: redrawn alone when the pointer moves.
class OverlayLayer : public QCPLayerable {
    Q_OBJECT

public:
    explicit OverlayLayer(PlotState* state);

protected:
    QRect clipRect() const override { return state_->plot->viewport(); }
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    void drawCursor(QCPPainter* painter, int which) const;
    void drawReadout(QCPPainter* painter) const;

    PlotState* state_;
};

// Pen of a series: look.md's 2 px (selected 2.6, many or compact 1.3).
qreal seriesWidth(const PlotState& state, const PlotSeries& series);

}  // namespace braid::ui
