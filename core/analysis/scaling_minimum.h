// Minima of a ScalingObjective from given starts: limited-memory BFGS with a Wolfe line search (Ceres).
#pragma once

#include <span>
#include <vector>

#include "core/analysis/fit_watch.h"
#include "core/analysis/scaling_objective.h"

namespace braid {

struct ScalingMinimum {
    std::vector<double> theta = {};
    double value = 0;  // the sum
    bool converged = false;
};

// quick: to see which minimum a start leads to. exact: until nothing improves any more.
enum class Effort { quick, exact };
ScalingMinimum minimise(const ScalingObjective& objective, std::span<const double> weights,
                        std::vector<double> start, Effort effort);

// The grid: alpha and beta in {0, .5, 1, 1.5, 2}, log E in {-1, -.5, 0, .5, 1}, log a and log b in {0, 5, ..
// 25}; 4,500 curves with E, 900 without it, fewer where an exponent is fixed.
std::vector<ScalingCurve> start_grid(ScalingForm form, std::optional<double> alpha,
                                     std::optional<double> beta);

// The distinct minima that the starts lead to, each exact, the best one first; at most `keep`. Empty when it
// was stopped.
std::vector<ScalingMinimum> find_minima(const ScalingObjective& objective,
                                        std::span<const std::vector<double>> starts, std::size_t keep,
                                        const FitWatch& watch);
// The best of the minima that these lead to.
ScalingMinimum best_minimum(const ScalingObjective& objective, std::span<const double> weights,
                            std::span<const std::vector<double>> starts);

}  // namespace braid
