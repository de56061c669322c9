// Several seeds of one variant as one curve with a band.
#pragma once

#include <vector>

#include "core/analysis/curve.h"

namespace braid {

enum class SeedBand { range, interval };  // minimum to maximum; 90 % interval of the mean (Student's t)

struct SeedCurves {
    CurvePtr mean;
    CurvePtr low;  // of the band; equal to the mean where fewer than two seeds have a finite value
    CurvePtr high;
    std::size_t seeds = 0;
};

// Over the x that all curves cover, at the x of any of them; a curve without a point there is interpolated
// between its neighbours. Only finite values count; where there is none the mean is NaN. Empty curves are
// left out.
SeedCurves combine_seeds(const std::vector<CurvePtr>& curves, SeedBand band);

// Half the width of the 90 % interval of a mean of `count` values with this standard deviation; 0 for fewer
// than two.
double interval_half_width(double standard_deviation, std::size_t count);

// y at x on the line between the neighbours; NaN outside the curve or beside a value that is not finite.
double interpolate(const Curve& curve, double x);

}  // namespace braid
