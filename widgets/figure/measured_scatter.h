// Heads by hit rate and entropy on paper, a panel a run, coloured by depth.
#pragma once

#include <vector>

#include "widgets/common/measured_views.h"
#include "widgets/figure/figure_canvas.h"

namespace braid::ui {

// A head of a run that has both.
struct HeadPoint {
    std::size_t layer = 0, head = 0;
    double hit = 0, entropy = 0;
};
// Of a record with arrays "hit_rate" and "entropy" over [layer, head]; empty: it has none.
std::vector<HeadPoint> headPoints(const MeasurementRecord& record);

void drawHeadScatter(FigureCanvas& canvas, const std::vector<MeasuredRun>& runs);

}  // namespace braid::ui
