// Losses made from a known curve.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/analysis/scaling_points.h"
#include "core/base/random.h"

namespace braid::testing {

// A published fit of 240 models (Besiroglu et al., 2024); E is left out where there is none.
inline ScalingCurve published_curve(ScalingForm form) {
    return {.log_a = std::log(482.01),
            .alpha = 0.3478,
            .log_b = std::log(2085.43),
            .beta = 0.3658,
            .irreducible = form == ScalingForm::chinchilla ? 1.8172 : 0.0};
}

struct SampleDesign {
    int scales = 4;    // 15 M parameters, twice as many, ..
    int budgets = 6;   // 20 tokens a parameter, twice as many, ..
    double noise = 0;  // standard deviation of the log loss
    std::uint64_t seed = 0;
    std::string group = {};
};

inline std::vector<ScalingPoint> sample_points(const ScalingCurve& curve, const SampleDesign& design) {
    Random random(design.seed, "tests/scaling", random_stream(design.group));
    std::vector<ScalingPoint> points;
    for (int i = 0; i < design.scales; ++i)
        for (int j = 0; j < design.budgets; ++j) {
            const double parameters = 15e6 * std::pow(2.0, i), tokens = 20 * parameters * std::pow(2.0, j);
            points.push_back(
                {.parameters = parameters,
                 .tokens = tokens,
                 .loss = curve.loss(parameters, tokens) * std::exp(design.noise * random.normal()),
                 .group = design.group});
        }
    return points;
}

}  // namespace braid::testing
