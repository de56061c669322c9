#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/analysis/scaling_report.h"

namespace braid {
namespace {

// Around the best value, on both sides twice as far as its interval reaches (a fifth of it where there is
// none).
Result<ScalingProfile> profile_of(const ScalingFit& fit, const std::string& exponent,
                                  std::span<const ScalingPoint> points, const ScalingReportOptions& options,
                                  const FitWatch& watch) {
    ScalingProfile profile{.group = fit.group, .exponent = exponent};
    const ScalingEstimate* estimate = fit.estimate(exponent);
    if (estimate == nullptr || estimate->fixed) return profile;
    const double best = estimate->value;
    double half = std::max(0.05, 0.2 * std::abs(best));
    if (estimate->interval)
        half = 2 * std::max({best - estimate->interval->low, estimate->interval->high - best, 1e-3});
    const double at_best = huber_log_likelihood(fit.objective, fit.fitted, options.fit.delta);
    for (int i = 0; i < options.profile_points; ++i) {
        const double value = best + half * (2.0 * i / std::max(1, options.profile_points - 1) - 1);
        ScalingFitOptions held = options.fit;
        held.resamples = 0;
        (exponent == "alpha" ? held.alpha : held.beta) = value;
        const Result<ScalingFit> one =
            fit_scaling_law(points, held, {.stop = watch.stop, .threads = watch.threads});
        if (!one) return fail(one.error());
        profile.values.push_back(value);
        profile.deviance.push_back(std::max(
            0.0, 2 * (at_best - huber_log_likelihood(one->objective, one->fitted, options.fit.delta))));
    }
    return profile;
}

}  // namespace

Result<ScalingReport> make_scaling_report(ScalingTable table, const ScalingReportOptions& options,
                                          const FitWatch& watch,
                                          const std::function<void(const std::string&)>& stage) {
    const auto begin = std::chrono::steady_clock::now();
    ScalingReport report{.options = options.fit, .table = std::move(table), .baseline = options.baseline};
    if (!options.group.empty())
        report.group_column = report.table.table.titles[*report.table.table.column(options.group)];
    const std::vector<std::string> groups = groups_of(report.table.points);
    Diagnostics problems;
    for (const std::string& group : groups) {
        const Diagnostics found =
            check_points(points_of(report.table.points, group), options.fit.form,
                         options.fit.alpha.has_value(), options.fit.beta.has_value(), group);
        problems.insert(problems.end(), found.begin(), found.end());
    }
    if (!options.baseline.empty() &&
        std::find(groups.begin(), groups.end(), options.baseline) == groups.end())
        problems.push_back({.path = "--baseline",
                            .rule = "must be a value of the column " + report.group_column,
                            .found = options.baseline});
    if (!problems.empty()) return fail(to_error(problems));

    const double several = groups.size() > 1 ? 2.0 : 0.0;
    const double profiled = options.profile_points > 0 ? 1.0 : 0.0;
    const double parts = static_cast<double>(groups.size()) + several + profiled;
    double before = 0;
    const auto part = [&](const std::string& what, double share) {
        if (stage) stage(what);
        FitWatch inner = watch;
        if (watch.progress)
            inner.progress = [&watch, before, share, parts](double done) {
                watch.progress((before + share * done) / parts);
            };
        before += share;
        return inner;
    };
    for (const std::string& group : groups) {
        Result<ScalingFit> one =
            fit_scaling_law(points_of(report.table.points, group), options.fit,
                            part("fitting" + (group.empty() ? std::string() : " " + group), 1));
        if (!one) return fail(std::move(one.error()));
        report.fits.push_back(std::move(*one));
    }
    if (groups.size() > 1) {
        Result<ScalingComparison> comparison =
            compare_groups(report.fits, options.fit,
                           part("comparing " + std::to_string(groups.size()) + " curves", several));
        if (!comparison) return fail(std::move(comparison.error()));
        report.comparison = std::move(*comparison);
    }
    if (options.profile_points > 0) {
        const FitWatch inner = part("profiles", profiled);
        for (const ScalingFit& fit : report.fits)
            for (const char* exponent : {"alpha", "beta"}) {
                Result<ScalingProfile> profile =
                    profile_of(fit, exponent, points_of(report.table.points, fit.group), options, inner);
                if (!profile) return fail(std::move(profile.error()));
                if (!profile->values.empty()) report.profiles.push_back(*std::move(profile));
            }
    }
    for (const ScalingFit& one : report.fits) {
        for (const auto& [parameters, tokens] : options.predictions)
            report.predictions.push_back({one.group, predict(one, parameters, tokens)});
        for (const double flops : options.flops)
            report.plans.push_back({one.group, flops, plan_compute(one, flops)});
        if (!options.baseline.empty() && one.group == options.baseline) add_efficiency_gains(report, one);
    }
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return report;
}

}  // namespace braid
