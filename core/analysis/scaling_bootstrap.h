// Resamples of the points of a fit, and intervals from them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/fit_watch.h"
#include "core/analysis/interval.h"
#include "core/analysis/scaling_minimum.h"
#include "core/analysis/scaling_objective.h"

namespace braid {

// How often each point counts in resample `index`: as many draws as there are points. Points with the same
// key (bootstrap_key() of their group) stand together and are drawn among themselves; a resample in which
// they have fewer than `distinct` different points is drawn again, up to 100 times. Depends on nothing but
// the arguments.
std::uint64_t bootstrap_key(std::string_view group);
std::vector<double> resample_weights(std::span<const std::uint64_t> keys, std::size_t distinct,
                                     std::uint64_t seed, std::uint64_t index);

// The minimum in each resample, the best of those that `minima` lead to, in the order of the resamples. Empty
// when it was stopped.
std::vector<ScalingMinimum> bootstrap(const ScalingObjective& objective, std::span<const std::uint64_t> keys,
                                      std::size_t distinct, std::span<const ScalingMinimum> minima,
                                      int resamples, std::uint64_t seed, const FitWatch& watch);

}  // namespace braid
