// Does an interval of 90 % hold the truth in 90 of 100 studies? And how long does the largest fit take?
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "core/analysis/scaling_joint.h"
#include "tests/analysis/scaling_samples.h"

namespace braid {
namespace {

using testing::published_curve;
using testing::sample_points;

TEST(ScalingCoverage, IntervalsHoldTheTruthAsOftenAsTheySay) {
    constexpr int studies = 200;
    const ScalingCurve truth = published_curve(ScalingForm::power2);
    const std::vector<std::pair<std::string, double>> parameters = {
        {"a", truth.a()}, {"alpha", truth.alpha}, {"b", truth.b()}, {"beta", truth.beta}};
    std::vector<int> held(parameters.size(), 0);
    for (int study = 0; study < studies; ++study) {
        const auto seed = static_cast<std::uint64_t>(study);
        const Result<ScalingFit> fit =
            fit_scaling_law(sample_points(truth, {.scales = 5, .budgets = 8, .noise = 2e-3, .seed = seed}),
                            {.resamples = 200, .seed = seed});
        ASSERT_TRUE(fit) << describe(fit.error());
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const Interval interval = *fit->estimate(parameters[i].first)->interval;
            held[i] += interval.low <= parameters[i].second && parameters[i].second <= interval.high ? 1 : 0;
        }
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const double share = static_cast<double>(held[i]) / studies;
        std::printf("90 %% intervals of %s hold the truth in %.1f %% of %d studies\n",
                    parameters[i].first.c_str(), 100 * share, studies);
        EXPECT_GE(share, 0.85) << parameters[i].first;
        EXPECT_LE(share, 0.95) << parameters[i].first;
    }
}

TEST(ScalingCoverage, SharedExponentsAreRefusedNoOftenerThanTheySay) {
    constexpr int studies = 24;
    const ScalingCurve truth = published_curve(ScalingForm::power2);
    ScalingCurve other = truth;
    other.log_b += 0.3;
    int refused = 0, refused_by_chi_square = 0;
    for (int study = 0; study < studies; ++study) {
        const auto seed = static_cast<std::uint64_t>(study);
        std::vector<ScalingFit> fits;
        for (const auto& [curve, group] : {std::pair{truth, "A"}, std::pair{other, "B"}})
            fits.push_back(*fit_scaling_law(
                sample_points(curve, {.noise = 3e-3, .seed = seed, .group = group}), {.resamples = 0}));
        const ScalingComparison found = *compare_groups(fits, {.resamples = 59, .seed = seed});
        refused += *found.tests[1].p <= 0.05 ? 1 : 0;
        refused_by_chi_square += found.tests[1].p_chi_square <= 0.05 ? 1 : 0;
        EXPECT_LE(*found.tests[0].p, 0.05) << "coefficients that differ are seen";
    }
    std::printf("true shared exponents refused at 5 %%: %d of %d studies (by chi-square: %d)\n", refused,
                studies, refused_by_chi_square);
    EXPECT_LE(refused, 3);
}

TEST(ScalingSpeed, TwoHundredFortyPointsWithinAMinute) {
    const auto points =
        sample_points(published_curve(ScalingForm::chinchilla), {.scales = 12, .budgets = 20, .noise = 5e-3});
    ASSERT_EQ(points.size(), 240U);
    const auto begin = std::chrono::steady_clock::now();
    const Result<ScalingFit> fit =
        fit_scaling_law(points, {.form = ScalingForm::chinchilla, .resamples = 1000});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ASSERT_TRUE(fit) << describe(fit.error());
    EXPECT_EQ(fit->starts, 4500U);
    EXPECT_EQ(fit->resampled.size(), 1000U);
    std::printf("240 points, 4,500 starts, 1,000 resamples: %.1f s\n", seconds);
    EXPECT_LT(seconds, 60);
}

}  // namespace
}  // namespace braid
