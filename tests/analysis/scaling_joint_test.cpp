#include "core/analysis/scaling_joint.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/analysis/scaling_samples.h"

namespace braid {
namespace {

using testing::published_curve;
using testing::sample_points;

Result<ScalingComparison> compare(const std::vector<ScalingCurve>& curves, const ScalingFitOptions& options,
                                  double noise = 3e-3, std::uint64_t seed = 2) {
    std::vector<ScalingFit> fits;
    for (std::size_t i = 0; i < curves.size(); ++i)
        fits.push_back(*fit_scaling_law(
            sample_points(
                curves[i],
                {.noise = noise, .seed = seed, .group = std::string(1, static_cast<char>('A' + i))}),
            options));
    return compare_groups(fits, options);
}

TEST(ScalingJoint, TellsOneCurveFromSharedExponentsFromSeparateCurves) {
    const ScalingCurve base = published_curve(ScalingForm::power2);
    ScalingCurve shifted = base, other = base;
    shifted.log_b += 0.3;
    other.beta += 0.06;
    other.log_b += 0.06 * std::log(5e9);
    const ScalingFitOptions options{.resamples = 99};
    const auto same = compare({base, base, base}, options);
    ASSERT_TRUE(same) << describe(same.error());
    EXPECT_EQ(same->preferred, Sharing::one_curve) << same->answer;
    const auto shared = compare({base, shifted}, options);
    EXPECT_EQ(shared->preferred, Sharing::shared_exponents) << shared->answer;
    EXPECT_LT(shared->tests[0].p_chi_square, 1e-6);
    EXPECT_EQ(*shared->tests[0].p, 0.01);
    ASSERT_EQ(shared->shared_exponents.size(), 2U);
    EXPECT_EQ(shared->shared_exponents[0].curve.beta, shared->shared_exponents[1].curve.beta);
    EXPECT_EQ(shared->shared_exponents[0].estimate("beta")->interval,
              shared->shared_exponents[1].estimate("beta")->interval);
    EXPECT_NEAR(std::log(shared->shared_exponents[1].curve.b() / shared->shared_exponents[0].curve.b()), 0.3,
                0.03);
    const auto separate = compare({base, other}, options);
    EXPECT_EQ(separate->preferred, Sharing::separate) << separate->answer;
    EXPECT_EQ(separate->tests[1].degrees, 2);
    EXPECT_EQ(separate->tests[0].degrees, 4);
    EXPECT_NE(separate->answer.find("curves of their own"), std::string::npos);
}

TEST(ScalingJoint, ModelsAreNestedAndCounted) {
    const ScalingCurve base = published_curve(ScalingForm::chinchilla);
    const auto found = compare({base, base}, {.form = ScalingForm::chinchilla, .resamples = 0});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->models[0].parameters, 6);
    EXPECT_EQ(found->models[1].parameters, 9);
    EXPECT_EQ(found->models[2].parameters, 11);
    EXPECT_GE(found->models[0].objective, found->models[1].objective * (1 - 1e-9));
    EXPECT_GE(found->models[1].objective, found->models[2].objective * (1 - 1e-9));
    EXPECT_FALSE(found->tests[0].p);
    EXPECT_EQ(found->models[0].curves[0], found->models[0].curves[1]);
    const auto again = compare({base, base}, {.form = ScalingForm::chinchilla, .resamples = 0});
    EXPECT_EQ(found->models[2].curves, again->models[2].curves);
    EXPECT_FALSE(compare({base}, {.resamples = 0}));
}

TEST(ScalingJoint, LikelihoodIsThatOfADensity) {
    // Its integral is 1 for every s: the maximum over s of a sum known to belong to s is at that s.
    const double delta = 1e-3;
    for (const double s : {1e-8, 1e-6, 1e-5}) {
        double z = 0, mean = 0;
        const double step = 1e-6;
        for (double r = -0.5; r < 0.5; r += step) {
            const double a = std::abs(r), huber = a <= delta ? r * r / 2 : delta * (a - delta / 2);
            z += std::exp(-huber / s) * step;
            mean += huber * std::exp(-huber / s) * step;
        }
        mean /= z;
        const double expected = -1000 * (mean / s + std::log(z));
        EXPECT_NEAR(huber_log_likelihood(1000 * mean, 1000, delta) / expected, 1, 1e-4) << s;
    }
    EXPECT_NEAR(chi_square_tail(3.841459, 1), 0.05, 1e-6);
    EXPECT_NEAR(chi_square_tail(9.487729, 4), 0.05, 1e-6);
    EXPECT_EQ(chi_square_tail(0, 4), 1);
}

}  // namespace
}  // namespace braid
