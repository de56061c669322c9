// What a fitted curve is asked: a loss somewhere, the best split of a budget, tokens saved.
#include <cmath>

#include "core/analysis/scaling_fit.h"

namespace braid {
namespace {

// The interval of a number that every resampled curve gives; none without resamples.
template <class Number>
std::optional<Interval> interval_of(const ScalingFit& fit, Number number) {
    if (fit.resampled.empty()) return std::nullopt;
    std::vector<double> values;
    for (const ScalingCurve& curve : fit.resampled) values.push_back(number(curve));
    return percentile_interval(std::move(values), fit.level);
}

}  // namespace

const ScalingEstimate* ScalingFit::estimate(std::string_view name) const {
    for (const ScalingEstimate& estimate : estimates)
        if (estimate.name == name) return &estimate;
    return nullptr;
}

ScalingPrediction predict(const ScalingFit& fit, double parameters, double tokens) {
    return {.parameters = parameters,
            .tokens = tokens,
            .loss = fit.curve.loss(parameters, tokens),
            .interval =
                interval_of(fit, [&](const ScalingCurve& curve) { return curve.loss(parameters, tokens); }),
            .warning = extrapolation_warning(fit.range, parameters, tokens)};
}

std::optional<ComputePlan> plan_compute(const ScalingFit& fit, double flops) {
    const std::optional<ComputeOptimum> optimum = compute_optimum(fit.curve, flops);
    if (!optimum) return std::nullopt;
    ComputePlan plan{.optimum = *optimum,
                     .warning = extrapolation_warning(fit.range, optimum->parameters, optimum->tokens)};
    std::vector<double> parameters, tokens, losses;
    for (const ScalingCurve& curve : fit.resampled) {
        const std::optional<ComputeOptimum> other = compute_optimum(curve, flops);
        if (!other) return plan;  // some resamples have no optimum: there is no interval to give
        parameters.push_back(other->parameters);
        tokens.push_back(other->tokens);
        losses.push_back(other->loss);
    }
    if (!parameters.empty()) {
        plan.parameters = percentile_interval(std::move(parameters), fit.level);
        plan.tokens = percentile_interval(std::move(tokens), fit.level);
        plan.loss = percentile_interval(std::move(losses), fit.level);
    }
    return plan;
}

EfficiencyGain efficiency_gain(const ScalingFit& fit, const ScalingFit& baseline, double parameters,
                               double tokens) {
    EfficiencyGain gain{.parameters = parameters,
                        .baseline_tokens = tokens,
                        .loss = baseline.curve.loss(parameters, tokens),
                        .warning = extrapolation_warning(baseline.range, parameters, tokens)};
    gain.tokens = tokens_for_loss(fit.curve, parameters, gain.loss);
    if (gain.tokens) {
        gain.gain = tokens / *gain.tokens;
        if (gain.warning.empty()) gain.warning = extrapolation_warning(fit.range, parameters, *gain.tokens);
    }
    const std::size_t pairs = std::min(fit.resampled.size(), baseline.resampled.size());
    if (pairs == 0) return gain;
    // A resample of one against a resample of the other: their points are drawn independently.
    std::vector<double> gains;
    std::size_t reached = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
        const std::optional<double> needed =
            tokens_for_loss(fit.resampled[i], parameters, baseline.resampled[i].loss(parameters, tokens));
        reached += needed ? 1 : 0;
        gains.push_back(needed ? tokens / *needed : 0.0);
    }
    gain.reached = static_cast<double>(reached) / static_cast<double>(pairs);
    gain.interval = percentile_interval(std::move(gains), fit.level);
    return gain;
}

}  // namespace braid
