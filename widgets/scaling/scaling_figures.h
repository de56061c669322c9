// The figures of the views of Scale.
#pragma once

#include <string>
#include <vector>

#include "widgets/figure/named_figure.h"
#include "widgets/scaling/scaling_content.h"

namespace braid::ui {

// All curves over each other, residuals beneath where there is a fit.
NamedFigure overlayFigure(const ScalingContent& content, bool flops);
NamedFigure panelsFigure(const ScalingContent& content, bool flops, bool by_scale);
NamedFigure pairFigure(const ScalingContent& content, bool flops, const std::vector<std::string>& curves);
// `wish`: as MapView and FrontView say it.
NamedFigure mapFigure(const ScalingContent& content, const std::string& wish);
NamedFigure frontFigure(const ScalingContent& content, const std::string& wish);

}  // namespace braid::ui
