#include "core/analysis/scaling_joint.h"

#include <fmt/format.h>
#include <unsupported/Eigen/SpecialFunctions>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>

#include "core/analysis/parallel.h"
#include "core/analysis/scaling_bootstrap.h"
#include "core/analysis/scaling_identify.h"
#include "core/analysis/scaling_minimum.h"
#include "core/analysis/scaling_objective.h"
#include "core/base/random.h"

namespace braid {
namespace {

constexpr double refuse_below = 0.05;

struct Models {
    ScalingObjective separate, shared, one;
};

ScalingLayout layout_of(const ScalingFitOptions& options, std::size_t groups, Sharing sharing) {
    return {.form = options.form,
            .groups = groups,
            .shared_coefficients = sharing == Sharing::one_curve,
            .shared_exponents = sharing != Sharing::separate,
            .alpha = options.alpha,
            .beta = options.beta};
}

std::vector<double> theta_of(const ScalingObjective& objective, std::span<const ScalingCurve> curves) {
    std::vector<double> theta(objective.size());
    for (std::size_t group = 0; group < curves.size(); ++group)
        objective.set_curve(theta.data(), group, curves[group]);
    return theta;
}

std::vector<ScalingCurve> curves_of(const ScalingObjective& objective, const std::vector<double>& theta) {
    std::vector<ScalingCurve> curves;
    for (std::size_t group = 0; group < objective.layout().groups; ++group)
        curves.push_back(objective.curve(theta.data(), group));
    return curves;
}

SharedModel model_of(const ScalingObjective& objective, const ScalingMinimum& minimum, Sharing sharing) {
    SharedModel model{
        .sharing = sharing,
        .parameters = static_cast<int>(objective.size()) + 1,
        .objective = minimum.value,
        .log_likelihood = huber_log_likelihood(minimum.value, objective.points(), objective.delta()),
        .curves = curves_of(objective, minimum.theta)};
    model.aic = 2 * model.parameters - 2 * model.log_likelihood;
    return model;
}

// Exponents of each candidate with the coefficients of each group's own curve.
std::vector<std::vector<double>> shared_starts(const ScalingObjective& shared,
                                               std::span<const ScalingFit> fits,
                                               std::span<const ScalingMinimum> one,
                                               const ScalingObjective& one_objective) {
    std::vector<ScalingCurve> candidates;
    for (const ScalingFit& fit : fits) candidates.push_back(fit.curve);
    for (const ScalingMinimum& minimum : one)
        candidates.push_back(one_objective.curve(minimum.theta.data(), 0));
    std::vector<std::vector<double>> starts;
    for (const ScalingCurve& candidate : candidates) {
        std::vector<double> theta(shared.size());
        for (std::size_t group = 0; group < fits.size(); ++group)
            shared.set_curve(theta.data(), group, fits[group].curve);
        const ScalingIndex index = shared.layout().index(0);
        if (index.alpha >= 0) theta[static_cast<std::size_t>(index.alpha)] = candidate.alpha;
        if (index.beta >= 0) theta[static_cast<std::size_t>(index.beta)] = candidate.beta;
        starts.push_back(std::move(theta));
        starts.push_back(theta_of(shared, std::vector<ScalingCurve>(fits.size(), candidate)));
    }
    return starts;
}

double ratio(double null_sum, double alternative_sum, const ScalingObjective& objective) {
    return std::max(0.0, 2 * (huber_log_likelihood(alternative_sum, objective.points(), objective.delta()) -
                              huber_log_likelihood(null_sum, objective.points(), objective.delta())));
}

// Statistics of the tests in data made from a model: its fitted losses and its residuals, drawn at random.
struct Sample {
    double one_separate = 0, shared_separate = 0, one_shared = 0;
};
Sample simulate(const Models& models, Sharing null, const std::array<SharedModel, 3>& found,
                std::uint64_t seed, std::uint64_t index) {
    const ScalingObjective& truth = null == Sharing::one_curve ? models.one : models.shared;
    const std::vector<double> theta = theta_of(truth, found[static_cast<std::size_t>(null)].curves);
    const Eigen::ArrayXd predicted = truth.predictions(theta.data());
    const Eigen::ArrayXd residuals = truth.log_losses() - predicted;
    Random random(seed, "analysis/scaling-null", index, static_cast<std::uint64_t>(null));
    Eigen::ArrayXd losses = predicted;
    for (double& loss : losses) loss += residuals[static_cast<Eigen::Index>(random.below(truth.points()))];
    const auto best = [&](const ScalingObjective& model, Sharing own) {
        const ScalingObjective objective = model.with_log_losses(losses);
        const std::vector<std::vector<double>> starts = {
            theta_of(model, found[static_cast<std::size_t>(null)].curves),
            theta_of(model, found[static_cast<std::size_t>(own)].curves)};
        return best_minimum(objective, {}, starts).value;
    };
    const double separate = best(models.separate, Sharing::separate);
    const double shared = best(models.shared, Sharing::shared_exponents);
    Sample sample{.shared_separate = ratio(shared, separate, truth)};
    if (null == Sharing::one_curve) {
        const double one = best(models.one, Sharing::one_curve);
        sample.one_separate = ratio(one, separate, truth);
        sample.one_shared = ratio(one, shared, truth);
    }
    return sample;
}

std::string answer_of(const ScalingComparison& comparison) {
    const auto p = [](const LikelihoodRatioTest& test) {
        return fmt::format("p = {:.2g}", test.decisive_p());
    };
    std::string text;
    switch (comparison.preferred) {
        case Sharing::one_curve:
            text = "One curve describes them all: curves of their own fit no better than by chance (" +
                   p(comparison.tests[0]) + ")";
            break;
        case Sharing::shared_exponents:
            text = "They share exponents but not coefficients: one curve for all fits worse (" +
                   p(comparison.tests[0]) + "), exponents of their own fit no better than by chance (" +
                   p(comparison.tests[1]) + ")";
            break;
        case Sharing::separate:
            text =
                "They need curves of their own: shared exponents fit worse (" + p(comparison.tests[1]) + ")";
            break;
    }
    if (comparison.preferred_by_aic != comparison.preferred)
        text.append("; AIC prefers ").append(to_text(comparison.preferred_by_aic));
    return text;
}

Error interrupted() { return {.kind = ErrorKind::interrupted, .message = "the comparison was stopped"}; }

}  // namespace

double huber_log_likelihood(double sum, std::size_t points, double delta) {
    const auto count = static_cast<double>(points);
    // Residuals below the rounding of a loss say nothing about its density.
    constexpr double rounding = 1e-10;
    const double least = std::max(sum, count * rounding * rounding / 2);
    const auto minus = [&](double log_s) {
        const double s = std::exp(log_s);
        const double z = std::sqrt(2 * std::numbers::pi * s) * std::erf(delta / std::sqrt(2 * s)) +
                         2 * s / delta * std::exp(-delta * delta / (2 * s));
        return least / s + count * std::log(z);
    };
    // Golden section: one minimum, between residuals of 1e-12 and of e^10.
    double low = std::log(1e-24), high = 20;
    const double golden = (std::sqrt(5.0) - 1) / 2;
    for (int i = 0; i < 100; ++i) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        if (minus(left) < minus(right))
            high = right;
        else
            low = left;
    }
    return -minus((low + high) / 2);
}

double chi_square_tail(double statistic, int degrees) {
    if (!(statistic > 0) || degrees <= 0) return 1;
    return Eigen::numext::igammac(degrees / 2.0, statistic / 2);
}

Result<ScalingComparison> compare_groups(std::span<const ScalingFit> fits, const ScalingFitOptions& options,
                                         const FitWatch& watch) {
    if (fits.size() < 2)
        return fail(ErrorKind::invalid_input,
                    fmt::format("groups to compare: must be at least 2, got {}", fits.size()));
    ScalingComparison comparison;
    std::vector<ScalingPoint> points;
    std::vector<std::size_t> places;
    std::vector<std::uint64_t> keys;
    for (std::size_t group = 0; group < fits.size(); ++group) {
        comparison.groups.push_back(fits[group].group);
        for (const ScalingResidual& row : fits[group].residuals) {
            if (row.point.use != PointUse::fitted) continue;
            points.push_back(row.point);
            places.push_back(group);
            keys.push_back(bootstrap_key(fits[group].group));
        }
    }
    const auto layout = [&](Sharing sharing) { return layout_of(options, fits.size(), sharing); };
    const ScalingObjective separate(points, places, layout(Sharing::separate), options.delta);
    const Models models{separate, separate.with_layout(layout(Sharing::shared_exponents)),
                        separate.with_layout(layout(Sharing::one_curve))};
    const auto part = [&watch](double from, double to) {
        FitWatch inner = watch;
        if (watch.progress)
            inner.progress = [&watch, from, to](double done) { watch.progress(from + (to - from) * done); };
        return inner;
    };

    std::vector<std::vector<double>> grid;
    for (const ScalingCurve& curve : start_grid(options.form, options.alpha, options.beta))
        grid.push_back(theta_of(models.one, std::vector<ScalingCurve>(fits.size(), curve)));
    const std::vector<ScalingMinimum> one = find_minima(models.one, grid, 2, part(0, 0.2));
    if (one.empty()) return fail(interrupted());
    const std::vector<ScalingMinimum> shared =
        find_minima(models.shared, shared_starts(models.shared, fits, one, models.one), 2, part(0.2, 0.25));
    if (shared.empty()) return fail(interrupted());
    std::vector<ScalingCurve> own, together = curves_of(models.shared, shared.front().theta);
    for (const ScalingFit& fit : fits) own.push_back(fit.curve);
    const std::vector<std::vector<double>> separate_starts = {theta_of(models.separate, own),
                                                              theta_of(models.separate, together)};
    comparison.models = {
        model_of(models.one, one.front(), Sharing::one_curve),
        model_of(models.shared, shared.front(), Sharing::shared_exponents),
        model_of(models.separate, best_minimum(models.separate, {}, separate_starts), Sharing::separate)};

    constexpr std::array<std::pair<Sharing, Sharing>, 3> pairs = {
        {{Sharing::one_curve, Sharing::separate},
         {Sharing::shared_exponents, Sharing::separate},
         {Sharing::one_curve, Sharing::shared_exponents}}};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const SharedModel& null = comparison.models[static_cast<std::size_t>(pairs[i].first)];
        const SharedModel& alternative = comparison.models[static_cast<std::size_t>(pairs[i].second)];
        LikelihoodRatioTest& test = comparison.tests[i];
        test = {.null = pairs[i].first,
                .alternative = pairs[i].second,
                .statistic = ratio(null.objective, alternative.objective, models.one),
                .degrees = alternative.parameters - null.parameters};
        test.p_chi_square = chi_square_tail(test.statistic, test.degrees);
    }

    const auto count = static_cast<std::size_t>(std::max(options.resamples, 0));
    std::vector<Sample> from_one(count), from_shared(count);
    std::mutex mutex;
    std::size_t done = 0;
    const FitWatch simulation = part(0.25, 0.85);
    const bool finished = parallel_for(
        count, watch.threads,
        [&](std::size_t i, int) {
            from_one[i] = simulate(models, Sharing::one_curve, comparison.models, options.seed, i);
            from_shared[i] = simulate(models, Sharing::shared_exponents, comparison.models, options.seed, i);
            if (!watch.progress) return;
            const std::lock_guard lock(mutex);
            simulation.progress(static_cast<double>(++done) / static_cast<double>(count));
        },
        watch.stop);
    if (!finished) return fail(interrupted());
    const auto set_p = [&](LikelihoodRatioTest& test, const std::vector<Sample>& samples,
                           double Sample::*statistic) {
        if (count == 0) return;
        const auto larger = std::count_if(samples.begin(), samples.end(), [&](const Sample& sample) {
            return sample.*statistic >= test.statistic;
        });
        test.p = static_cast<double>(larger + 1) / static_cast<double>(count + 1);
    };
    set_p(comparison.tests[0], from_one, &Sample::one_separate);
    set_p(comparison.tests[1], from_shared, &Sample::shared_separate);
    set_p(comparison.tests[2], from_one, &Sample::one_shared);
    comparison.preferred_by_aic =
        std::min_element(comparison.models.begin(), comparison.models.end(),
                         [](const SharedModel& a, const SharedModel& b) { return a.aic < b.aic; })
            ->sharing;
    comparison.preferred = comparison.tests[0].decisive_p() >= refuse_below   ? Sharing::one_curve
                           : comparison.tests[1].decisive_p() >= refuse_below ? Sharing::shared_exponents
                                                                              : Sharing::separate;
    comparison.answer = answer_of(comparison);

    std::vector<ScalingMinimum> resamples;
    if (count > 0) {
        const auto distinct = static_cast<std::size_t>(options.form == ScalingForm::chinchilla ? 3 : 2);
        resamples =
            bootstrap(models.shared, keys, distinct, shared, options.resamples, options.seed, part(0.85, 1));
        if (resamples.empty()) return fail(interrupted());
    }
    const Identification identified = identify(models.shared.jacobian(shared.front().theta.data()));
    for (std::size_t group = 0; group < fits.size(); ++group) {
        ScalingFit fit{.form = options.form,
                       .group = fits[group].group,
                       .curve = together[group],
                       .objective = shared.front().value,
                       .range = fits[group].range,
                       .level = options.level,
                       .seed = options.seed};
        set_identification(fit, identified, models.shared.layout().index(group));
        for (const ScalingMinimum& minimum : shared) {
            fit.minima.push_back(models.shared.curve(minimum.theta.data(), group));
            fit.minima_values.push_back(minimum.value);
        }
        for (const ScalingMinimum& minimum : resamples)
            fit.resampled.push_back(models.shared.curve(minimum.theta.data(), group));
        std::vector<ScalingPoint> all;
        for (const ScalingResidual& row : fits[group].residuals) all.push_back(row.point);
        complete_fit(fit, all, options);
        comparison.shared_exponents.push_back(std::move(fit));
    }
    return comparison;
}

}  // namespace braid
