// How the series of a curves figure look, in all of its panels and in its legend.
#pragma once

#include <QPen>
#include <vector>

#include "widgets/figure/figure_canvas.h"
#include "widgets/figure/figure_data.h"

namespace braid::ui {

// Series of all panels by label, in the order of their first appearance.
std::vector<SeriesLook> collect_looks(const FigureSpec& spec, const FigureData& data);
// The look of a series that collect_looks() has seen.
const SeriesLook& look_of(const std::vector<SeriesLook>& looks, const FigureSeries& series);
QPen pen_of(const SeriesLook& look, double width_pt);
bool several_seeds(const FigureSeries& series);
// It has a band: of its seeds, or of its own.
bool has_band(const FigureSeries& series);
// Every seed's own line instead of their mean.
bool separate_seeds(const FigureSpec& spec, const FigureSeries& series);

}  // namespace braid::ui
