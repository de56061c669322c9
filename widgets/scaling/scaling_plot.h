// Points of a study on logarithmic axes with their fitted lines, residuals beneath. Hover, click and the
// arrow keys read a point. What does not change while one reads is kept as a picture: 10,000 points cost
// their places once.
#pragma once

#include <QPixmap>
#include <QWidget>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/analysis/axis.h"
#include "widgets/scaling/scaling_content.h"

namespace braid::ui {

struct ScalingPlotOptions {
    bool flops = false;                              // along x: 6 N D instead of D
    bool residuals = true;                           // the panel beneath
    bool means = false;                              // of the seeds, with intervals, in place of all points
    bool compact = false;                            // a small multiple: no legend, no names of scales
    QString title = {};                              // empty: the metric
    std::set<std::size_t> curves = {}, scales = {};  // shown; empty: all
    bool shows(std::size_t curve, std::size_t scale) const {
        return (curves.empty() || curves.contains(curve)) && (scales.empty() || scales.contains(scale));
    }
    bool operator==(const ScalingPlotOptions&) const = default;
};

struct ScalingRanges {
    AxisRange x, y;
    double residual = 0.03;  // both ways, of the logarithm
};
// What all that may be drawn covers; nothing where there is nothing.
std::optional<ScalingRanges> scaling_ranges(const ScalingContent& content, const ScalingPlotOptions& options);

class ScalingPlot : public QWidget {
    Q_OBJECT

public:
    explicit ScalingPlot(QWidget* parent = nullptr);

    // `ranges`: shared by several plots; none: its own.
    void show(const ScalingContentPtr& content, const ScalingPlotOptions& options,
              const std::optional<ScalingRanges>& ranges = {});
    int current() const { return current_; }
    void setCurrent(int point);  // without chosen()
    // Where a point is drawn; none where it has no place.
    std::optional<QPointF> place(int point) const;
    // "Full, S2 at 100N: 2.846, fit 2.808, +1.35 %"
    QString textOf(int point) const;
    const std::vector<int>& order() const { return order_; }  // as the arrow keys go
    int hovered() const { return hovered_; }
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chosen(int point);
    void opened(int point);  // a double click, Return
    void hoverChanged(int point);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Sprite;
    void layOut();
    double xOf(double value) const;
    double yOf(double loss) const;
    double residualY(double log_residual) const;
    double along(double parameters, double tokens) const;
    int nearest(const QPointF& place) const;
    void paintStill(QPainter& painter);
    void paintAxes(QPainter& painter) const;
    void paintResidualAxes(QPainter& painter) const;
    void paintLines(QPainter& painter) const;
    void paintPoints(QPainter& painter);
    void paintMeans(QPainter& painter);
    void paintResiduals(QPainter& painter);
    void paintScaleNames(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;
    void paintReadout(QPainter& painter) const;
    QRectF emptiestCorner(const QSizeF& size) const;
    const QPixmap& sprite(int colour, std::size_t shape, PointUse use);

    ScalingContentPtr content_;
    ScalingPlotOptions options_;
    std::optional<ScalingRanges> shared_, ranges_;
    QRectF area_, residuals_;
    std::vector<QPointF> places_;  // of every point; NaN where it has none
    std::vector<int> order_;
    std::map<std::tuple<int, std::size_t, int>, QPixmap> sprites_;
    QPixmap still_;
    bool stillValid_ = false;
    int current_ = -1, hovered_ = -1;
};

// A mark of a scale around a place; `hollow` for points that are held out.
void paintScaleMark(QPainter& painter, const QPointF& place, std::size_t scale, double radius,
                    const QColor& colour, bool hollow, const QColor& ground);

}  // namespace braid::ui
