// One panel of a curves figure with its axes.
#pragma once

#include <vector>

#include "widgets/figure/series_look.h"

namespace braid::ui {

class CurvesPanel {
public:
    CurvesPanel(const FigureSpec& spec, const FigurePanel& panel, const FigurePanelData& data,
                FigureCanvas& canvas);

    // Ticks depend on the room, the room on the ticks' labels: measured once with the room before labels.
    void prepare(double width, double height);
    double leftRoom() const;
    double bottomRoom() const;
    double rightRoom(bool labels, const std::vector<SeriesLook>& looks) const;

    // `area` is the panel inside its axes. `letter` ("a") stands above the y title, outside.
    void draw(const QRectF& area, const std::vector<SeriesLook>& looks, int columns, const QString& letter);
    // Names beside the line ends.
    void drawLabels(const std::vector<SeriesLook>& looks);

    // Where a box of this size covers the least of the curves; the nearest to a corner of equals.
    QRectF emptiestPlace(const QSizeF& size) const;

private:
    // Those of the data, without the labels for which there is no room.
    std::vector<Tick> givenTicks(double width) const;
    void drawAxes();
    void drawBand(const FigureSeries& series, const SeriesLook& look);
    void drawSeries(const FigureSeries& series, const SeriesLook& look, int columns);
    void drawThreshold();

    // Dots where each series first gets there, and the bracket between the slowest two.
    void drawCrossings(const std::vector<SeriesLook>& looks);
    void drawGap(double threshold);

    const FigureSpec& spec_;
    const FigurePanel& panel_;
    const FigurePanelData& data_;
    FigureCanvas& canvas_;
    FigureCanvas::Frame frame_;
    Ticks x_ticks_, y_ticks_;
    QRectF bracket_;  // of the comparison, with its text; a legend keeps away from it
};

}  // namespace braid::ui
