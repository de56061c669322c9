#include "core/analysis/scaling_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/scaling_bootstrap.h"
#include "core/analysis/scaling_identify.h"
#include "core/analysis/scaling_minimum.h"

namespace braid {
namespace {

constexpr std::size_t minima_kept = 4;  // resamples are fitted from each of these

std::optional<double> r_squared(std::span<const ScalingResidual> residuals, PointUse use) {
    double sum = 0, count = 0;
    for (const ScalingResidual& row : residuals)
        if (row.point.use == use) {
            sum += row.point.loss;
            count += 1;
        }
    if (count < 2) return std::nullopt;
    double about_mean = 0, errors = 0;
    for (const ScalingResidual& row : residuals)
        if (row.point.use == use) {
            about_mean += (row.point.loss - sum / count) * (row.point.loss - sum / count);
            errors += (row.point.loss - row.predicted) * (row.point.loss - row.predicted);
        }
    if (!(about_mean > 0)) return std::nullopt;
    return 1 - errors / about_mean;
}

// a, alpha, b, beta, E of one curve, as they are listed.
std::vector<std::pair<std::string, double>> parameters_of(const ScalingCurve& curve, ScalingForm form) {
    std::vector<std::pair<std::string, double>> list = {
        {"a", curve.a()}, {"alpha", curve.alpha}, {"b", curve.b()}, {"beta", curve.beta}};
    if (form == ScalingForm::chinchilla) list.emplace_back("E", curve.irreducible);
    return list;
}

void add_residuals(ScalingFit& fit, std::span<const ScalingPoint> points) {
    std::vector<double> errors;
    for (const ScalingPoint& point : points) {
        ScalingResidual row{.point = point, .predicted = fit.curve.loss(point.parameters, point.tokens)};
        row.log_residual = std::log(point.loss / row.predicted);
        row.extrapolated = extrapolates(fit.range, point.parameters, point.tokens);
        fit.fitted += point.use == PointUse::fitted ? 1 : 0;
        fit.held_out += point.use == PointUse::held_out ? 1 : 0;
        fit.excluded += point.use == PointUse::excluded ? 1 : 0;
        if (point.use == PointUse::fitted) errors.push_back(std::abs(row.log_residual));
        fit.residuals.push_back(std::move(row));
    }
    fit.r2_train = r_squared(fit.residuals, PointUse::fitted);
    fit.r2_heldout = r_squared(fit.residuals, PointUse::held_out);
    std::sort(errors.begin(), errors.end());
    fit.typical_error = quantile(errors, 0.5);
}

void add_estimates(ScalingFit& fit, const ScalingFitOptions& options) {
    for (const auto& [name, value] : parameters_of(fit.curve, fit.form))
        fit.estimates.push_back(
            {.name = name,
             .value = value,
             .fixed = (name == "alpha" && options.alpha) || (name == "beta" && options.beta)});
    if (fit.resampled.empty()) return;
    std::vector<std::vector<double>> values(fit.estimates.size());
    for (const ScalingCurve& curve : fit.resampled) {
        const auto list = parameters_of(curve, fit.form);
        for (std::size_t i = 0; i < list.size(); ++i) values[i].push_back(list[i].second);
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!fit.estimates[i].fixed)
            fit.estimates[i].interval = percentile_interval(std::move(values[i]), fit.level);
}

void add_warnings(ScalingFit& fit, const ScalingFitOptions& options) {
    const auto wanted = static_cast<std::size_t>(
        parameter_count(fit.form, options.alpha.has_value(), options.beta.has_value()));
    if (fit.fitted == wanted)
        fit.warnings.push_back(
            fmt::format("as many points as parameters ({}): the curve goes through them "
                        "all, and nothing tells how far to trust it",
                        wanted));
    else if (fit.fitted < 2 * wanted && !fit.resampled.empty())
        fit.warnings.push_back(
            fmt::format("{} points for {} parameters: the intervals are rough", fit.fitted, wanted));
    std::string unknown;
    for (const ScalingEstimate& estimate : fit.estimates)
        if (!estimate.identified())
            unknown.append(unknown.empty() ? "" : "; ")
                .append(estimate.name)
                .append(": ")
                .append(estimate.not_identified);
    if (!unknown.empty()) fit.warnings.push_back("not identified by these points: " + unknown);
    for (const ScalingEstimate& estimate : fit.estimates)
        if ((estimate.name == "alpha" || estimate.name == "beta") && estimate.value < 0 && !estimate.fixed &&
            estimate.identified())
            fit.warnings.push_back(fmt::format("{} is below 0: the loss rises with {}", estimate.name,
                                               estimate.name == "alpha" ? "parameters" : "tokens"));
    // A minimum of another place whose sum is within a twentieth is no worse than noise makes it.
    for (std::size_t i = 1; i < fit.minima.size(); ++i)
        if (fit.undetermined.empty() && fit.minima_values[i] <= 1.05 * fit.minima_values[0])
            fit.warnings.push_back(fmt::format(
                "another curve fits nearly as well (sum {:.4g} against {:.4g}): "
                "alpha {:.3g}, beta {:.3g}",
                fit.minima_values[i], fit.minima_values[0], fit.minima[i].alpha, fit.minima[i].beta));
    std::size_t far = 0;
    for (const ScalingResidual& row : fit.residuals)
        far += row.point.use == PointUse::held_out && row.extrapolated ? 1 : 0;
    if (far > 0)
        fit.warnings.push_back(
            fmt::format("{} of the {} held-out points lie beyond twice the fitted range", far, fit.held_out));
}

Error interrupted() { return {.kind = ErrorKind::interrupted, .message = "the fit was stopped"}; }

}  // namespace

Result<ScalingFit> fit_scaling_law(std::span<const ScalingPoint> points, const ScalingFitOptions& options,
                                   const FitWatch& watch) {
    const std::string group = points.empty() ? std::string() : points.front().group;
    const Diagnostics problems =
        check_points(points, options.form, options.alpha.has_value(), options.beta.has_value(), group);
    if (!problems.empty()) return fail(to_error(problems));

    ScalingFit fit{.form = options.form, .group = group, .level = options.level, .seed = options.seed};
    fit.range = fitted_range(points);
    const ScalingLayout layout{.form = options.form, .alpha = options.alpha, .beta = options.beta};
    const ScalingObjective objective(points, std::vector<std::size_t>(points.size(), 0), layout,
                                     options.delta);
    std::vector<std::vector<double>> starts;
    for (const ScalingCurve& curve : start_grid(options.form, options.alpha, options.beta)) {
        starts.emplace_back(objective.size());
        objective.set_curve(starts.back().data(), 0, curve);
    }
    fit.starts = starts.size();

    // About as much time goes to the starts as to the resamples.
    const auto part = [&watch](double from, double to) {
        FitWatch inner = watch;
        if (watch.progress)
            inner.progress = [&watch, from, to](double done) { watch.progress(from + (to - from) * done); };
        return inner;
    };
    const double middle = options.resamples > 0 ? 0.7 : 1.0;
    const std::vector<ScalingMinimum> minima = find_minima(objective, starts, minima_kept, part(0, middle));
    if (minima.empty() && watch.stopped()) return fail(interrupted());
    if (minima.empty())
        return fail(ErrorKind::internal, "no start of the grid led to a minimum", group,
                    "Please report it with the table");
    for (const ScalingMinimum& minimum : minima) {
        fit.minima.push_back(objective.curve(minimum.theta.data(), 0));
        fit.minima_values.push_back(minimum.value);
    }
    fit.curve = fit.minima.front();
    fit.objective = minima.front().value;
    set_identification(fit, identify(objective.jacobian(minima.front().theta.data())), layout.index(0));
    if (options.resamples > 0) {
        const std::vector<ScalingMinimum> resamples =
            bootstrap(objective, std::vector<std::uint64_t>(objective.points(), bootstrap_key(group)),
                      objective.size(), minima, options.resamples, options.seed, part(middle, 1));
        if (resamples.empty()) return fail(interrupted());
        for (const ScalingMinimum& minimum : resamples)
            fit.resampled.push_back(objective.curve(minimum.theta.data(), 0));
    }
    complete_fit(fit, points, options);
    return fit;
}

void complete_fit(ScalingFit& fit, std::span<const ScalingPoint> points, const ScalingFitOptions& options) {
    add_residuals(fit, points);
    add_estimates(fit, options);
    judge_identification(fit);
    add_warnings(fit, options);
}

}  // namespace braid
