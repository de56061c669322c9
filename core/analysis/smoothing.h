// Debiased exponential moving average. A constant curve stays exactly constant, the first point is its own
// average, and each point's average ends at that point.
#pragma once

#include <cstddef>

#include "core/analysis/curve.h"

namespace braid {

// mean_t = sum_i beta^(t-i) y_i / sum_i beta^(t-i) over the finite y_i, i <= t. beta in [0, 1); 0 gives back
// the curve. Where y is NaN or infinite the result is that same y (a gap or an edge mark stays one) and the
// mean is not touched.
CurvePtr smooth(const CurvePtr& curve, double beta);

// Keeps up with a growing curve: each update costs the new points only.
class Smoother {
public:
    explicit Smoother(double beta) : beta_(beta) {}
    double beta() const { return beta_; }
    // The smoothed `curve`. If it does not continue the last one, it is smoothed from its start.
    CurvePtr update(const CurvePtr& curve);

private:
    double next(double y);

    double beta_;
    double mean_ = 0;
    double weight_ = 0;  // sum of beta^(t-i)
    CurvePtr source_;
    CurvePtr result_;
};

}  // namespace braid
