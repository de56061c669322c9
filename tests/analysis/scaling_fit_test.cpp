#include "core/analysis/scaling_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/analysis/scaling_bootstrap.h"
#include "core/analysis/scaling_identify.h"
#include "tests/analysis/scaling_samples.h"

namespace braid {
namespace {

using testing::published_curve;
using testing::sample_points;

std::string text_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

void expect_refused(const std::vector<ScalingPoint>& points, const ScalingFitOptions& options,
                    const std::string& part) {
    const Result<ScalingFit> fit = fit_scaling_law(points, options);
    ASSERT_FALSE(fit) << part;
    EXPECT_EQ(fit.error().kind, ErrorKind::invalid_input);
    EXPECT_NE(fit.error().message.find(part), std::string::npos) << fit.error().message;
}

TEST(ScalingFit, FindsTheCurveThatMadeThePoints) {
    for (const ScalingForm form : {ScalingForm::power2, ScalingForm::chinchilla}) {
        const ScalingCurve truth = published_curve(form);
        const Result<ScalingFit> fit =
            fit_scaling_law(sample_points(truth, {}), {.form = form, .resamples = 20});
        ASSERT_TRUE(fit) << describe(fit.error());
        EXPECT_NEAR(fit->curve.alpha / truth.alpha, 1, 1e-6);
        EXPECT_NEAR(fit->curve.beta / truth.beta, 1, 1e-6);
        EXPECT_NEAR(fit->curve.a() / truth.a(), 1, 1e-5);
        EXPECT_NEAR(fit->curve.b() / truth.b(), 1, 1e-5);
        EXPECT_NEAR(fit->curve.irreducible, truth.irreducible, 1e-6);
        EXPECT_EQ(fit->starts, form == ScalingForm::power2 ? 900U : 4500U);
        for (const ScalingEstimate& estimate : fit->estimates)
            EXPECT_TRUE(estimate.identified()) << estimate.name;
        EXPECT_NEAR(*fit->r2_train, 1, 1e-9);
        EXPECT_FALSE(fit->r2_heldout);
        EXPECT_TRUE(fit->warnings.empty()) << text_of(fit->warnings);
    }
}

TEST(ScalingFit, GradientAndDerivativesAgreeWithDifferences) {
    for (const ScalingForm form : {ScalingForm::power2, ScalingForm::chinchilla}) {
        const auto points = sample_points(published_curve(form), {.noise = 2e-3});
        const ScalingObjective objective(points, std::vector<std::size_t>(points.size(), 0), {.form = form},
                                         1e-3);
        std::vector<double> theta(objective.size()), gradient(objective.size());
        objective.set_curve(theta.data(), 0, published_curve(form));
        ScalingObjective::Workspace room;
        std::vector<double> weights(points.size(), 1.0);
        weights[3] = 4;
        objective.evaluate(theta.data(), weights, gradient.data(), room);
        const Eigen::MatrixXd jacobian = objective.jacobian(theta.data());
        for (std::size_t i = 0; i < theta.size(); ++i) {
            const double step = 1e-6;
            std::vector<double> up = theta, down = theta;
            up[i] += step;
            down[i] -= step;
            const double slope = (objective.evaluate(up.data(), weights, nullptr, room) -
                                  objective.evaluate(down.data(), weights, nullptr, room)) /
                                 (2 * step);
            EXPECT_NEAR(gradient[i], slope, 1e-8) << i;
            const Eigen::ArrayXd column =
                (objective.predictions(up.data()) - objective.predictions(down.data())) / (2 * step);
            EXPECT_LT((column - jacobian.col(static_cast<Eigen::Index>(i)).array()).abs().maxCoeff(), 1e-8)
                << i;
        }
        // The sum, written out.
        double sum = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double r =
                std::abs(std::log(published_curve(form).loss(points[i].parameters, points[i].tokens)) -
                         std::log(points[i].loss));
            sum += weights[i] * (r <= 1e-3 ? r * r / 2 : 1e-3 * (r - 5e-4));
        }
        EXPECT_NEAR(objective.evaluate(theta.data(), weights, nullptr, room), sum, 1e-12);
    }
}

TEST(ScalingFit, RepeatsToTheBitOnAnyNumberOfThreads) {
    const auto points = sample_points(published_curve(ScalingForm::power2), {.noise = 5e-3});
    const auto fit = [&](int threads, std::uint64_t seed) {
        return *fit_scaling_law(points, {.resamples = 50, .seed = seed}, {.threads = threads});
    };
    const ScalingFit one = fit(1, 3), three = fit(3, 3), other = fit(1, 4);
    EXPECT_EQ(one.curve, three.curve);
    EXPECT_EQ(one.resampled, three.resampled);
    EXPECT_EQ(one.curve, other.curve) << "the seed is of the resamples only";
    EXPECT_NE(one.resampled, other.resampled);
}

TEST(ScalingFit, OneWildPointHardlyMovesTheCurve) {
    auto points = sample_points(published_curve(ScalingForm::power2), {.noise = 1e-3});
    const double before = fit_scaling_law(points, {.resamples = 0})->curve.alpha;
    points[7].loss *= 2;
    const double after = fit_scaling_law(points, {.resamples = 0})->curve.alpha;
    EXPECT_NEAR(after, before, 0.01);
}

TEST(ScalingFit, HeldOutAndExcludedPointsArePredictedNotFitted) {
    auto points = sample_points(published_curve(ScalingForm::power2), {.scales = 5, .noise = 2e-3});
    for (ScalingPoint& point : points)
        if (point.parameters > 2e8) point.use = PointUse::held_out;
    points[0].use = PointUse::excluded;
    points[0].loss = 99;
    const ScalingFit fit = *fit_scaling_law(points, {.resamples = 0});
    EXPECT_EQ(fit.fitted, 23U);
    EXPECT_EQ(fit.held_out, 6U);
    EXPECT_EQ(fit.excluded, 1U);
    EXPECT_GT(*fit.r2_train, 0.99);
    EXPECT_GT(*fit.r2_heldout, 0.9);
    double mean = 0, errors = 0, about = 0;
    for (std::size_t i = 24; i < 30; ++i) mean += points[i].loss / 6;
    for (std::size_t i = 24; i < 30; ++i) {
        errors += std::pow(points[i].loss - fit.curve.loss(points[i].parameters, points[i].tokens), 2);
        about += std::pow(points[i].loss - mean, 2);
    }
    EXPECT_NEAR(*fit.r2_heldout, 1 - errors / about, 1e-12);
    points[29].loss *= 3;
    EXPECT_EQ(fit_scaling_law(points, {.resamples = 0})->curve, fit.curve);
}

TEST(ScalingFit, KnownExponentsStayAsGiven) {
    const ScalingCurve truth = published_curve(ScalingForm::power2);
    const ScalingFit fit = *fit_scaling_law(sample_points(truth, {.noise = 1e-3}),
                                            {.alpha = truth.alpha, .beta = truth.beta, .resamples = 20});
    EXPECT_EQ(fit.curve.alpha, truth.alpha);
    EXPECT_EQ(fit.starts, 36U);
    EXPECT_NEAR(fit.curve.a() / truth.a(), 1, 0.01);
    EXPECT_TRUE(fit.estimate("alpha")->fixed);
    EXPECT_FALSE(fit.estimate("alpha")->interval);
    EXPECT_TRUE(fit.estimate("a")->interval);
    // One size is enough where alpha is known.
    EXPECT_TRUE(fit_scaling_law(sample_points(truth, {.scales = 1}), {.alpha = truth.alpha, .resamples = 0}));
}

TEST(ScalingFit, SaysWhatThePointsDoNotIdentify) {
    // Two sizes close together and noise: nobody can tell alpha from that.
    auto points = sample_points(published_curve(ScalingForm::power2), {.scales = 2, .noise = 0.1});
    for (ScalingPoint& point : points)
        if (point.parameters > 2e7) point.parameters = 16e6;
    const ScalingFit fit = *fit_scaling_law(points, {.resamples = 200});
    EXPECT_FALSE(fit.estimate("a")->identified());
    EXPECT_FALSE(fit.estimate("alpha")->identified());
    EXPECT_TRUE(fit.estimate("beta")->identified()) << "tokens say what they say";
    EXPECT_NE(text_of(fit.warnings).find("not identified by these points: a: "), std::string::npos)
        << text_of(fit.warnings);
    // E cannot be told from a N^-alpha with two sizes, whatever the noise; three budgets say what b is.
    const auto four = sample_points(published_curve(ScalingForm::chinchilla), {.scales = 2, .budgets = 2});
    std::vector<ScalingPoint> eight = four;
    eight.insert(eight.end(), four.begin(), four.end());
    const ScalingFit flat = *fit_scaling_law(eight, {.form = ScalingForm::chinchilla, .resamples = 0});
    EXPECT_GE(flat.condition, numerical_condition_limit);
    for (const ScalingEstimate& estimate : flat.estimates)
        EXPECT_EQ(estimate.identified(), estimate.name == "b" || estimate.name == "beta") << estimate.name;
}

TEST(ScalingFit, ACoefficientIsNoBetterKnownThanItsExponent) {
    ScalingFit fit;
    fit.estimates.resize(2);
    fit.estimates[0].name = "a";
    fit.estimates[0].interval = {3e-36, 1.2e-35};
    fit.estimates[1].name = "alpha";
    fit.estimates[1].interval = {-17.0, 0.5};
    judge_identification(fit);
    EXPECT_FALSE(fit.estimate("alpha")->identified());
    EXPECT_EQ(fit.estimate("a")->not_identified, "its exponent alpha is not identified");
}

TEST(ScalingFit, PointsThatCannotBeFittedAreRefusedWithTheReason) {
    const auto good = sample_points(published_curve(ScalingForm::power2), {});
    expect_refused({good.begin(), good.begin() + 3}, {},
                   "must be at least 4, the parameters of power2, got 3");
    expect_refused(std::vector<ScalingPoint>(6, good[0]), {}, "they are all at one place");
    expect_refused({good.begin(), good.begin() + 6}, {}, "must have at least two values of parameters");
    expect_refused({good.begin(), good.begin() + 6}, {.form = ScalingForm::chinchilla, .alpha = 0.3},
                   "E, a and alpha cannot be told apart");
    auto one_budget = good;
    for (ScalingPoint& point : one_budget) point.tokens = 1e9;
    expect_refused(one_budget, {}, "must have at least two values of tokens");
    auto flat = good;
    for (ScalingPoint& point : flat) point.loss = 3;
    expect_refused(flat, {}, "must differ in loss");
    auto bad = good;
    bad[1].loss = std::nan("");
    bad[2].tokens = -1;
    bad[2].line = 4;
    expect_refused(bad, {}, "points[1], loss: must be a finite number above 0, got nan");
    expect_refused(bad, {}, "line 4, tokens: must be a finite number above 0, got -1");
    expect_refused({}, {}, "got 0");
}

TEST(ScalingFit, StopsWhenAskedAndTellsHowFarItIs) {
    const auto points = sample_points(published_curve(ScalingForm::power2), {.noise = 5e-3});
    std::atomic<bool> stop{false};
    double last = 0;
    bool rising = true;
    const FitWatch watch{.progress =
                             [&](double done) {
                                 rising = rising && done >= last;
                                 last = done;
                             },
                         .stop = &stop,
                         .threads = 2};
    ASSERT_TRUE(fit_scaling_law(points, {.resamples = 20}, watch));
    EXPECT_TRUE(rising);
    EXPECT_DOUBLE_EQ(last, 1);
    const FitWatch stopping{.progress = [&](double done) { stop = done > 0.3; }, .stop = &stop, .threads = 2};
    const Result<ScalingFit> stopped = fit_scaling_law(points, {.resamples = 100'000}, stopping);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().kind, ErrorKind::interrupted);
}

TEST(ScalingFit, WarnsBeyondTwiceTheFittedRange) {
    const ScalingFit fit = *fit_scaling_law(
        sample_points(published_curve(ScalingForm::power2), {.noise = 2e-3}), {.resamples = 100});
    const ScalingPrediction inside = predict(fit, 1.2e8, 1e10), beyond = predict(fit, 4.8e8, 1e10);
    EXPECT_TRUE(inside.warning.empty()) << inside.warning;
    EXPECT_EQ(beyond.warning, "extrapolated: parameters 4.8e+08 is 4 times the largest fitted (1.2e+08)");
    EXPECT_FALSE(predict(fit, 1e8, 1e8).warning.empty()) << "too few tokens is an extrapolation as well";
    EXPECT_LT(inside.interval->low, inside.loss);
    EXPECT_GT(inside.interval->high, inside.loss);
    EXPECT_LT(inside.interval->high - inside.interval->low, 0.02);
}

TEST(ScalingLaw, ComputeOptimumIsTheBestSplit) {
    const ScalingCurve curve = published_curve(ScalingForm::chinchilla);
    const auto optimum = compute_optimum(curve, 5.76e23);
    ASSERT_TRUE(optimum);
    EXPECT_NEAR(6 * optimum->parameters * optimum->tokens / 5.76e23, 1, 1e-12);
    for (const double factor : {0.8, 0.99, 1.01, 1.25})
        EXPECT_GT(curve.loss(optimum->parameters * factor, optimum->tokens / factor), optimum->loss)
            << factor;
    // About 20 tokens a parameter at Chinchilla's own budget.
    EXPECT_NEAR(optimum->tokens / optimum->parameters, 20, 5);
    EXPECT_FALSE(compute_optimum({.log_a = 1, .alpha = -0.1, .log_b = 1, .beta = 0.3}, 1e20));
    EXPECT_NEAR(*tokens_for_loss(curve, 1e9, curve.loss(1e9, 3e10)) / 3e10, 1, 1e-9);
    EXPECT_FALSE(tokens_for_loss(curve, 1e9, 1.9)) << "below what any number of tokens reaches";
}

TEST(ScalingLaw, EfficiencyGainCountsTokensForTheSameLoss) {
    const ScalingCurve truth = published_curve(ScalingForm::power2);
    ScalingCurve better = truth;
    better.log_b -= truth.beta * std::log(2.0);  // needs half the tokens
    const auto fit = [](const ScalingCurve& curve, const char* group) {
        return *fit_scaling_law(sample_points(curve, {.noise = 1e-3, .group = group}), {.resamples = 200});
    };
    const ScalingFit full = fit(truth, "Full"), hybrid = fit(better, "Hybrid");
    const EfficiencyGain gain = efficiency_gain(hybrid, full, 6e7, 1e10);
    ASSERT_TRUE(gain.gain);
    EXPECT_NEAR(*gain.gain, 2, 0.1);
    EXPECT_LT(gain.interval->low, 2);
    EXPECT_GT(gain.interval->high, 2);
    EXPECT_EQ(gain.reached, 1);
    EXPECT_NEAR(*efficiency_gain(full, full, 6e7, 1e10).gain, 1, 1e-9);
    // A far better baseline is out of reach.
    ScalingCurve far = truth;
    far.log_a -= 1;
    far.log_b -= 3;
    EXPECT_FALSE(efficiency_gain(full, fit(far, "far"), 6e7, 1e11).tokens);
}

TEST(ScalingBootstrap, ResamplesDrawAsManyPointsFromEachGroup) {
    const std::vector<std::uint64_t> keys = {7, 7, 7, 7, 9, 9, 9, 9};
    bool differ = false;
    for (std::uint64_t index = 0; index < 50; ++index) {
        const auto weights = resample_weights(keys, 3, 1, index);
        double first = 0, second = 0, distinct = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            first += weights[i];
            second += weights[i + 4];
            distinct += weights[i] > 0 ? 1 : 0;
            differ = differ || weights[i] != weights[i + 4];
        }
        EXPECT_EQ(first, 4);
        EXPECT_EQ(second, 4);
        EXPECT_GE(distinct, 3);
        EXPECT_EQ(weights, resample_weights(keys, 3, 1, index));
    }
    EXPECT_TRUE(differ) << "groups draw for themselves";
    EXPECT_EQ(percentile_interval({4, 1, 3, 2, 5}, 0.5), (Interval{2, 4}));
    EXPECT_EQ(quantile(std::vector<double>{1, 2}, 0.25), 1.25);
}

}  // namespace
}  // namespace braid
