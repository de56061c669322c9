#include "core/analysis/crossing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace braid;

namespace {
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> steps{0, 20, 40, 60, 80};
}  // namespace

TEST(Crossing, isTheFirstRecordedPointOnThatSide) {
    const auto crossing =
        first_crossing(*Curve::make(steps, std::vector<double>{0.1, 0.5, 0.92, 0.88, 0.95}), 0.9);
    ASSERT_TRUE(crossing);
    EXPECT_EQ(crossing->index, 2u);
    EXPECT_EQ(crossing->point, (CurvePoint{40, 0.92}));
    EXPECT_NEAR(crossing->between, 20 + 20 * (0.4 / 0.42), 1e-12);
}

TEST(Crossing, neverIsNothingNotZero) {
    EXPECT_FALSE(first_crossing(*Curve::make(steps, std::vector<double>{0, 0.1, 0.2, nan_value, 0.89}), 0.9));
    EXPECT_FALSE(first_crossing(*Curve::empty(), 0.9));
}

TEST(Crossing, touchingCountsAndGapsAreBridged) {
    const auto touch = first_crossing(*Curve::make(steps, std::vector<double>{0, nan_value, 0.9, 1, 1}), 0.9);
    ASSERT_TRUE(touch);
    EXPECT_EQ(touch->point.x, 40);
    EXPECT_EQ(touch->between, 40);
    const auto below = first_crossing(*Curve::make(steps, std::vector<double>{4, 3, 2, 1, 0}), 2.5,
                                      CrossingSide::falls_below);
    ASSERT_TRUE(below);
    EXPECT_EQ(below->point.x, 40);
    EXPECT_EQ(below->between, 30);
    EXPECT_EQ(first_crossing(*Curve::make(steps, std::vector<double>{1, 1, 1, 1, 1}), 0.9)->between, 0);
}

TEST(CrossingGap, comparesTheSlowestTwo) {
    const CurvePtr quick = Curve::make(steps, std::vector<double>{0, 0.95, 1, 1, 1});
    const CurvePtr medium = Curve::make(steps, std::vector<double>{0, 0, 0.95, 1, 1});
    const CurvePtr slow = Curve::make(steps, std::vector<double>{0, 0, 0, 0, 0.95});
    const CurvePtr never = Curve::make(steps, std::vector<double>{0, 0, 0, 0, 0.1});
    const auto gap = slowest_gap({slow, quick, medium}, 0.9);
    ASSERT_TRUE(gap);
    EXPECT_EQ(*gap, (CrossingGap{.slowest = 0, .second = 2, .from = 40, .to = 80, .at_least = false}));
    EXPECT_EQ(gap->ratio(), 2);
    const auto open = slowest_gap({quick, medium, never}, 0.9);
    ASSERT_TRUE(open);
    EXPECT_TRUE(open->at_least);
    EXPECT_EQ(open->to, 80);
    EXPECT_FALSE(slowest_gap({quick, never, never}, 0.9));
    EXPECT_FALSE(slowest_gap({quick}, 0.9));
    EXPECT_FALSE(slowest_gap({quick, quick}, 0.9)) << "equally fast";
    EXPECT_FALSE(slowest_gap({}, 0.9));
}

TEST(MedianCrossing, isOverTheSeedsAndNeverIsLaterThanAll) {
    const CurvePtr at_20 = Curve::make(steps, std::vector<double>{0, 0.95, 1, 1, 1});
    const CurvePtr at_40 = Curve::make(steps, std::vector<double>{0, 0, 0.95, 1, 1});
    const CurvePtr at_80 = Curve::make(steps, std::vector<double>{0, 0, 0, 0, 0.95});
    const CurvePtr never = Curve::make(steps, std::vector<double>{0, 0, 0, 0, 0.1});
    EXPECT_EQ(median_crossing({at_80, at_20, at_40}, 0.9), 40) << "their mean curve gets there at 80";
    EXPECT_EQ(median_crossing({at_20, at_40}, 0.9), 30);
    EXPECT_EQ(median_crossing({at_20, never, at_40}, 0.9), 40);
    EXPECT_TRUE(std::isinf(median_crossing({at_20, never}, 0.9)));
    EXPECT_TRUE(std::isinf(median_crossing({never}, 0.9)));
    EXPECT_TRUE(std::isnan(median_crossing({}, 0.9)));
}
