// A study's scaling read from its project: what the figures scaling, study-map and pareto draw.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "widgets/figure/figure_data.h"
#include "widgets/figure/scaling_lines.h"

namespace braid::ui {

struct ScalingFigureData {
    StudySpec spec = {};
    StudyState state = {};
    std::vector<ScalingView> views = {};               // one a panel
    std::vector<std::vector<ScalingLine>> lines = {};  // likewise
};

// "eval/loss where curve=Full, scale=S1" of a panel: the metric, and which points are meant (as rules of
// rows; also curve). "residual of eval/loss" asks for residuals; "... against kv_bytes" and "... by X and Y"
// are for fronts and maps.
struct ScalingPanelWish {
    std::string metric = {};
    bool residual = false;
    std::string against = {};
    std::string x = {}, y = {};
    std::optional<RowRule> where = {};
};
Checked<ScalingPanelWish> scaling_wish(const std::string& text, const std::string& path);
std::string wish_text(const ScalingPanelWish& wish);
// Whether the rule holds of a point; without one it does.
bool is_meant(const ScalingPanelWish& wish, const StudySpec& spec, const StudyState& state,
              const ScalingView& view, const ScalingViewPoint& point);

Result<FigureData> load_scaling(const std::string& project_folder, const FigureSpec& spec);

}  // namespace braid::ui
