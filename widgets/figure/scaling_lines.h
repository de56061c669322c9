// The fitted lines of a view with their bands: what is drawn between and beyond the points.
#pragma once

#include <cstdint>
#include <vector>

#include "widgets/figure/scaling_view.h"

namespace braid::ui {

// Of one curve at one scale, along the tokens.
struct ScalingLine {
    std::size_t curve = 0, scale = 0;
    double parameters = 0;
    std::vector<double> tokens = {};
    std::vector<double> loss = {};
    std::vector<double> low = {}, high = {};      // of the band; empty without resamples
    std::vector<std::uint8_t> extrapolated = {};  // beyond twice the fitted range
};

// Where the view has a fit and points: from the first of them to `beyond` times the last one.
std::vector<ScalingLine> scaling_lines(const ScalingView& view, std::size_t samples = 48, double beyond = 3);

}  // namespace braid::ui
