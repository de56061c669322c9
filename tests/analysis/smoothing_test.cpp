#include "core/analysis/smoothing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace braid;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

CurvePtr curve_of(const std::vector<double>& y) {
    std::vector<double> x(y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<double>(i);
    }
    return Curve::make(x, y);
}

}  // namespace

TEST(Smoothing, doesNotBendAConstantCurveByOneBit) {
    for (const double constant : {3.2140000000000004, -1e-17, 0.1, 1e300}) {
        for (const double beta : {0.1, 0.6, 0.92, 0.999}) {
            const CurvePtr smoothed = smooth(curve_of(std::vector<double>(5000, constant)), beta);
            EXPECT_EQ(smoothed->summary().min, constant);
            EXPECT_EQ(smoothed->summary().max, constant);
        }
    }
}

TEST(Smoothing, equalsItsDefinition) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    std::vector<double> y(300);
    for (double& value : y) {
        value = normal(random);
    }
    const double beta = 0.9;
    const CurvePtr smoothed = smooth(curve_of(y), beta);
    double worst = 0;
    for (std::size_t t = 0; t < y.size(); ++t) {
        double sum = 0;
        double weights = 0;
        for (std::size_t i = 0; i <= t; ++i) {
            const double weight = std::pow(beta, static_cast<double>(t - i));
            sum += weight * y[i];
            weights += weight;
        }
        worst = std::max(worst, std::abs(smoothed->y(t) - sum / weights));
    }
    EXPECT_LT(worst, 1e-14);
    EXPECT_EQ(smoothed->y(0), y[0]) << "the first point is its own average";
}

TEST(Smoothing, keepsTheLastPoint) {
    const CurvePtr smoothed = smooth(curve_of({5, 4, 3, 2, 1}), 0.9);
    ASSERT_EQ(smoothed->size(), 5u);
    EXPECT_EQ(smoothed->back().x, 4);
    EXPECT_LT(smoothed->back().y, 5);
}

TEST(Smoothing, oneBadValueDoesNotPoisonTheRest) {
    const CurvePtr smoothed = smooth(curve_of({1, nan_value, 1, infinite, 1, -infinite, 1}), 0.9);
    EXPECT_TRUE(std::isnan(smoothed->y(1)));
    EXPECT_EQ(smoothed->y(3), infinite);
    EXPECT_EQ(smoothed->y(5), -infinite);
    for (const std::size_t i : {0u, 2u, 4u, 6u}) {
        EXPECT_EQ(smoothed->y(i), 1);
    }
}

TEST(Smoothing, aGrowingCurveEqualsTheWholeOne) {
    std::vector<double> y;
    for (int i = 0; i < 10'000; ++i) {
        y.push_back(i % 97 == 0 ? nan_value : std::sin(0.01 * i) + 0.3 * ((i * 7919) % 13));
    }
    const CurvePtr whole = curve_of(y);
    Smoother smoother(0.97);
    CurvePtr growing = Curve::empty();
    CurvePtr result;
    for (std::size_t i = 0; i < y.size(); i += 613) {
        const std::size_t count = std::min<std::size_t>(613, y.size() - i);
        std::vector<double> x(count);
        for (std::size_t k = 0; k < count; ++k) {
            x[k] = static_cast<double>(i + k);
        }
        growing = growing->append(x, std::span(y).subspan(i, count));
        result = smoother.update(growing);
    }
    const CurvePtr expected = smooth(whole, 0.97);
    ASSERT_EQ(result->size(), expected->size());
    for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_TRUE(result->y(i) == expected->y(i) || std::isnan(y[i])) << i;
    }
    // A curve whose past changed (a resume superseded it) is smoothed afresh.
    const CurvePtr other = smoother.update(curve_of({2, 2, 2}));
    EXPECT_EQ(other->size(), 3u);
    EXPECT_EQ(other->back().y, 2);
}

TEST(Smoothing, offMeansTheCurveItself) {
    const CurvePtr curve = curve_of({1, 2, 3});
    EXPECT_EQ(smooth(curve, 0), curve);
}
