// Fits of a scaling law: points in; parameters, intervals, residuals, what is not identified and warnings
// out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/fit_watch.h"
#include "core/analysis/interval.h"
#include "core/analysis/scaling_law.h"
#include "core/analysis/scaling_points.h"
#include "core/base/error.h"

namespace braid {

struct ScalingFitOptions {
    ScalingForm form = ScalingForm::power2;
    std::optional<double> alpha = {};  // known, not fitted
    std::optional<double> beta = {};
    double delta = 1e-3;   // of the Huber function, in log loss
    int resamples = 1000;  // 0: no intervals
    double level = 0.9;    // of every interval
    std::uint64_t seed = 0;
};

// One of a, alpha, b, beta, E.
struct ScalingEstimate {
    std::string name;
    double value = 0;
    std::optional<Interval> interval = {};  // percentile bootstrap; none where it is fixed or not asked for
    bool fixed = false;
    std::string not_identified = {};  // why its digits mean nothing; empty: they do
    bool identified() const { return not_identified.empty(); }
};

struct ScalingResidual {
    ScalingPoint point;
    double predicted = 0;       // loss
    double log_residual = 0;    // log(measured / predicted)
    bool extrapolated = false;  // beyond twice the fitted range
};

struct ScalingFit {
    ScalingForm form = ScalingForm::power2;
    std::string group = {};
    ScalingCurve curve = {};
    std::vector<ScalingEstimate> estimates = {};
    std::vector<ScalingResidual> residuals = {};  // all points, excluded ones too, in the order given
    std::size_t fitted = 0;
    std::size_t held_out = 0;
    std::size_t excluded = 0;
    // 1 - sum of squared errors of the loss / its sum of squares about the mean of these points; none where
    // there are fewer than two or they are all equal.
    std::optional<double> r2_train = {};
    std::optional<double> r2_heldout = {};
    double typical_error = 0;  // median of the |log residual| of the fitted points
    double objective = 0;      // the sum of the Huber function
    ScalingRange range = {};   // of the fitted points
    // Of J'J, J the derivatives of the log losses by log a and log b at the middle of the points, log E,
    // alpha and beta, columns scaled to length 1: 1 where each has its own effect, infinite where two have
    // the same.
    double condition = 0;
    std::vector<std::string> undetermined = {};  // parameters that can move together with no effect at all
    std::size_t starts = 0;
    std::vector<ScalingCurve> minima = {};     // all distinct ones found, `curve` first
    std::vector<double> minima_values = {};    // their sums
    std::vector<ScalingCurve> resampled = {};  // one a resample, for bands and derived numbers
    double level = 0;
    std::uint64_t seed = 0;
    std::vector<std::string> warnings = {};

    const ScalingEstimate* estimate(std::string_view name) const;
};

// Fits the points of one curve (their groups are not looked at but for the name). Errors: invalid_input with
// every problem of check_points(), interrupted. The same points, options and seed give the same bits,
// whatever the number of threads.
Result<ScalingFit> fit_scaling_law(std::span<const ScalingPoint> points,
                                   const ScalingFitOptions& options = {}, const FitWatch& watch = {});

// For curves fitted otherwise, as several together: fills in all that follows from form, curve, range,
// condition, minima and resampled.
void complete_fit(ScalingFit& fit, std::span<const ScalingPoint> points, const ScalingFitOptions& options);

struct ScalingPrediction {
    double parameters = 0;
    double tokens = 0;
    double loss = 0;
    std::optional<Interval> interval = {};
    std::string warning = {};  // where it is extrapolated
};
ScalingPrediction predict(const ScalingFit& fit, double parameters, double tokens);

struct ComputePlan {
    ComputeOptimum optimum;
    std::optional<Interval> parameters = {};
    std::optional<Interval> tokens = {};
    std::optional<Interval> loss = {};
    std::string warning = {};
};
// Best N and D for C = 6 N D operations; none where the curve has no optimum.
std::optional<ComputePlan> plan_compute(const ScalingFit& fit, double flops);

// What one architecture saves against another: tokens to the loss that the baseline reaches at (N, D).
struct EfficiencyGain {
    double parameters = 0;
    double baseline_tokens = 0;
    double loss = 0;                        // of the baseline there
    std::optional<double> tokens = {};      // none: the architecture never reaches that loss at this N
    std::optional<double> gain = {};        // baseline_tokens / tokens: 2 means half the tokens
    std::optional<Interval> interval = {};  // of the gain; 0 where a resample never reaches the loss
    double reached = 1;                     // share of the resamples that do
    std::string warning = {};               // extrapolation of either
};
EfficiencyGain efficiency_gain(const ScalingFit& fit, const ScalingFit& baseline, double parameters,
                               double tokens);

}  // namespace braid
