// What `fit` tells: tables, LaTeX, JSON, the table with residuals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/scaling_joint.h"
#include "core/analysis/scaling_table.h"
#include "core/base/json.h"

namespace braid::cli {

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

// All answers of one call.
struct FitReport {
    ScalingFitOptions options;
    ScalingTable table;
    std::string group_column = {};      // as the table has it; empty: one curve
    std::vector<ScalingFit> fits = {};  // one a group
    std::optional<ScalingComparison> comparison = {};
    std::vector<NamedPrediction> predictions = {};
    std::vector<NamedPlan> plans = {};
    std::string baseline = {};
    std::vector<NamedGain> gains = {};
    double seconds = 0;
};

// Of the table and of all fits, each once, after the name of its group.
std::vector<std::string> warnings_of(const FitReport& report);

std::string fit_text(const FitReport& report);
std::string fit_latex(const FitReport& report);
// One curve: {form, a, alpha, b, beta, E, intervals, r2_train, r2_heldout, points, excluded, ..}; with groups
// an array of these as "groups". A parameter that is not identified is null; "curve" has the numbers all the
// same.
Json fit_json(const FitReport& report);
// The rows as they were read, with predicted, log_residual, use, reason.
std::string fit_csv(const FitReport& report);

}  // namespace braid::cli
