// Which parameters of a fit the points say anything about.
#pragma once

#include <Eigen/Core>

#include <vector>

#include "core/analysis/scaling_fit.h"
#include "core/analysis/scaling_objective.h"

namespace braid {

struct Identification {
    double condition = 1;          // of J'J with columns scaled to length 1; infinite for a column of zeros
    std::vector<bool> loose = {};  // columns that can be moved against others, or alone, with no effect
};
Identification identify(const Eigen::MatrixXd& jacobian);

// Beyond this the rounding of a double decides, whatever the points say.
inline constexpr double numerical_condition_limit = 1e14;
// An exponent known no better than within this factor, end to end of its interval, is not known.
inline constexpr double exponent_width_limit = 4;
// Nor a coefficient: a and b are what a model of one parameter would lose, far outside all points.
inline constexpr double coefficient_width_limit = 100;

// Sets condition and undetermined of a fit whose parameters are these columns.
void set_identification(ScalingFit& fit, const Identification& found, const ScalingIndex& columns);
// Sets not_identified of every estimate, from what is undetermined and the intervals.
void judge_identification(ScalingFit& fit);

}  // namespace braid
