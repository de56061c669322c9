// All that one call of a fit tells: a curve for each group of a table, whether they share one, what follows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/fit_watch.h"
#include "core/analysis/scaling_joint.h"
#include "core/analysis/scaling_table.h"

namespace braid {

struct NamedGain {
    std::string group;
    EfficiencyGain gain;
};

struct NamedPrediction {
    std::string group;
    ScalingPrediction prediction;
};

struct NamedPlan {
    std::string group;
    double flops = 0;
    std::optional<ComputePlan> plan;
};

// How well one exponent of a curve is known: twice the loss of log likelihood where it is held and all else
// is fitted anew. 0 at the best value; 2.71 at the ends of a 90 % interval.
struct ScalingProfile {
    std::string group;
    std::string exponent;  // "alpha", "beta"
    std::vector<double> values = {};
    std::vector<double> deviance = {};
    bool operator==(const ScalingProfile&) const = default;
};

struct ScalingReport {
    ScalingFitOptions options;
    ScalingTable table;
    std::string group_column = {};      // as the table has it; empty: one curve
    std::vector<ScalingFit> fits = {};  // one a group
    std::optional<ScalingComparison> comparison = {};
    std::vector<NamedPrediction> predictions = {};
    std::vector<NamedPlan> plans = {};
    std::string baseline = {};
    std::vector<NamedGain> gains = {};
    std::vector<ScalingProfile> profiles = {};
    double seconds = 0;
};

struct ScalingReportOptions {
    ScalingFitOptions fit = {};
    std::string group = {};     // column; empty: one curve
    std::string baseline = {};  // a value of it: tokens that the others need for its losses; may be empty
    std::vector<std::pair<double, double>> predictions = {};  // (parameters, tokens)
    std::vector<double> flops = {};
    int profile_points = 0;  // of each exponent; 0: no profiles
};

// Fits every group and compares them (braid_scaling_fit). Problems of groups (too few points, all equal) are
// one invalid_input that lists all. Errors also: interrupted.
Result<ScalingReport> make_scaling_report(ScalingTable table, const ScalingReportOptions& options,
                                          const FitWatch& watch = {},
                                          const std::function<void(const std::string&)>& stage = {});

// Rows of each other group at the baseline's largest model and each of its budgets there.
void add_efficiency_gains(ScalingReport& report, const ScalingFit& baseline);

// Of the table and of all fits, each once, after the name of its group.
std::vector<std::string> warnings_of(const ScalingReport& report);

// The coefficients, R^2 and numbers of points (booktabs).
std::string scaling_latex(const ScalingReport& report);
// Tokens that the others need for the losses of the baseline; empty without a baseline.
std::string efficiency_latex(const ScalingReport& report);
// The rows as they were read, with predicted, log_residual, use, reason.
std::string scaling_csv(const ScalingReport& report);
// The coefficients: a row a group and parameter.
std::string coefficients_csv(const ScalingReport& report);

}  // namespace braid
