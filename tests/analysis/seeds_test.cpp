#include "core/analysis/seeds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace braid;

namespace {
const std::vector<double> steps{0, 10, 20};
CurvePtr curve(std::vector<double> y) { return Curve::make(std::span(steps).first(y.size()), y); }
}  // namespace

TEST(Seeds, oneSeedIsItself) {
    const CurvePtr only = curve({1, 2, 3});
    const SeedCurves combined = combine_seeds({only}, SeedBand::range);
    EXPECT_EQ(combined.mean, only) << "grouping must not change a run's values";
    EXPECT_EQ(combined.seeds, 1u);
    EXPECT_EQ(combine_seeds({}, SeedBand::range).seeds, 0u);
}

TEST(Seeds, meanAndRange) {
    const SeedCurves combined =
        combine_seeds({curve({1, 2, 3}), curve({3, 2, 9}), curve({2, 2, 0})}, SeedBand::range);
    ASSERT_EQ(combined.mean->size(), 3u);
    EXPECT_EQ(combined.mean->y(0), 2);
    EXPECT_EQ(combined.low->y(2), 0);
    EXPECT_EQ(combined.high->y(2), 9);
    EXPECT_EQ(combined.low->y(1), 2);
}

TEST(Seeds, intervalIsStudents) {
    const SeedCurves combined = combine_seeds({curve({1}), curve({2}), curve({3})}, SeedBand::interval);
    // Standard deviation 1, n = 3, t(2) = 2.920.
    EXPECT_NEAR(combined.high->y(0) - combined.mean->y(0), 2.920 / std::sqrt(3.0), 1e-12);
}

TEST(Seeds, shorterSeedsEndTheMeanAndGapsDoNotPoisonIt) {
    const double missing = std::numeric_limits<double>::quiet_NaN();
    const SeedCurves combined = combine_seeds({curve({1, missing, 3}), curve({3, 5})}, SeedBand::range);
    ASSERT_EQ(combined.mean->size(), 2u);
    EXPECT_EQ(combined.mean->y(1), 5);
    EXPECT_TRUE(std::isnan(combine_seeds({curve({missing}), curve({missing})}, SeedBand::range).mean->y(0)));
}

TEST(Seeds, differentStepsAreInterpolated) {
    const CurvePtr other = Curve::make(std::vector<double>{0, 20}, std::vector<double>{0, 20});
    const SeedCurves combined = combine_seeds({curve({0, 20, 0}), other}, SeedBand::range);
    ASSERT_EQ(combined.mean->size(), 3u);
    EXPECT_EQ(combined.mean->y(1), 15);
}
