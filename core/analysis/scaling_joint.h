// Do several architectures share one scaling law? Three nested models of the same points, compared.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/scaling_fit.h"

namespace braid {

enum class Sharing { one_curve, shared_exponents, separate };
std::string_view to_text(Sharing sharing);

// Errors of log losses are taken to have the density exp(-huber(r) / s) / Z(s) whose maximum the fit is:
// nearly a Laplace density where they are large against delta, a normal one where they are small. s is fitted
// too.
double huber_log_likelihood(double sum, std::size_t points, double delta);
// Probability that a chi-square number with these degrees of freedom is at least as large.
double chi_square_tail(double statistic, int degrees);

struct SharedModel {
    Sharing sharing = Sharing::separate;
    int parameters = 0;  // s counted
    double objective = 0;
    double log_likelihood = 0;
    double aic = 0;                         // 2 parameters - 2 log_likelihood; smaller is better
    std::vector<ScalingCurve> curves = {};  // one a group
};

struct LikelihoodRatioTest {
    Sharing null = Sharing::one_curve;
    Sharing alternative = Sharing::separate;
    double statistic = 0;  // 2 (log likelihood of the alternative - of the null)
    int degrees = 0;
    double p_chi_square = 1;  // as if there were many points and the density were right
    // Share of data sets made from the null (its curves and its residuals, drawn at random) whose statistic
    // is as large; this one holds with few points too. None without resamples.
    std::optional<double> p = {};
    double decisive_p() const { return p.value_or(p_chi_square); }
};

struct ScalingComparison {
    std::vector<std::string> groups = {};
    std::array<SharedModel, 3> models = {};  // in the order of Sharing
    std::array<LikelihoodRatioTest, 3> tests =
        {};  // one curve / separate, shared / separate, one curve / shared
    Sharing preferred_by_aic = Sharing::separate;
    // The simplest model that the tests do not refuse at 5 %.
    Sharing preferred = Sharing::separate;
    std::string answer = {};  // one sentence
    // The fit with shared exponents, one entry a group; alpha and beta are the same in all.
    std::vector<ScalingFit> shared_exponents = {};
};

// Of at least two fits with the same options. Errors: invalid_input, interrupted.
Result<ScalingComparison> compare_groups(std::span<const ScalingFit> fits, const ScalingFitOptions& options,
                                         const FitWatch& watch = {});

}  // namespace braid
