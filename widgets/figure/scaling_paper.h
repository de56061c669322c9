// Scaling laws on paper.
#pragma once

#include "widgets/figure/figure_canvas.h"
#include "widgets/figure/scaling_load.h"

namespace braid::ui {

void drawScaling(const FigureSpec& spec, const ScalingFigureData& data, FigureCanvas& canvas);
// In mm, for its panels and a legend of so many curves.
double scalingHeight(const FigureSpec& spec, std::size_t curves);

// Ticks of a logarithmic axis where a value would otherwise stand alone: 1, 2, 5 or finer.
std::vector<double> logTicks(AxisRange range, std::size_t least = 4);
// Axes of a panel with these ticks; titles may be empty.
void drawPaperAxes(FigureCanvas& canvas, const FigureCanvas::Frame& frame, const QString& x_title,
                   const QString& y_title, bool si_on_y = false);

}  // namespace braid::ui
