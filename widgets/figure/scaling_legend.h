// The legend of a scaling figure: curves, scales, and what the other signs mean.
#pragma once

#include <algorithm>
#include <vector>

#include "widgets/figure/figure_canvas.h"
#include "widgets/figure/scaling_load.h"

namespace braid::ui {

inline constexpr double scaling_mark_mm = 0.75;

// One panel on its way to paper.
struct ScalingPaperPanel {
    const FigurePanel* spec = nullptr;
    ScalingPanelWish wish;
    const ScalingView* view = nullptr;
    const std::vector<ScalingLine>* lines = nullptr;
    std::vector<const ScalingViewPoint*> points = {};  // that are drawn
    bool flops = false;

    double along(double parameters, double tokens) const { return flops ? 6 * parameters * tokens : tokens; }
    bool shows(const ScalingLine& line) const {
        return std::any_of(points.begin(), points.end(), [&](const ScalingViewPoint* point) {
            return point->curve == line.curve && point->scale == line.scale;
        });
    }
};

struct ScalingLegendEntry {
    enum Kind { curve, scale, dashed, band, cross, hollow } kind;
    std::size_t index = 0;
    QString text;
};

QColor paperColour(const ScalingView& view, std::size_t curve);
std::vector<ScalingLegendEntry> scalingLegend(const std::vector<ScalingPaperPanel>& panels);
// Rows from `top` on; returns their height. Without drawing where `draw` is false.
double drawScalingLegend(FigureCanvas& canvas, const std::vector<ScalingLegendEntry>& entries,
                         const ScalingView& view, double top, bool draw);

}  // namespace braid::ui
