#include "core/analysis/eta.h"

#include <gtest/gtest.h>

#include <random>

using namespace braid;

namespace {

CurvePtr run_of(const std::vector<double>& paces) {
    std::vector<double> time{0};
    std::vector<double> step{0};
    for (const double pace : paces) {
        time.push_back(time.back() + pace);
        step.push_back(step.back() + 1);
    }
    return Curve::make(time, step);
}

}  // namespace

TEST(Eta, ofASteadyRunIsExactWithoutRange) {
    const auto eta = estimate_eta(*run_of(std::vector<double>(100, 0.5)), 300);
    ASSERT_TRUE(eta);
    EXPECT_NEAR(eta->seconds, 100, 1e-9);
    EXPECT_NEAR(eta->plus_minus, 0, 1e-6);
}

TEST(Eta, isNothingWithoutEvidenceOrAtTheEnd) {
    EXPECT_FALSE(estimate_eta(*Curve::empty(), 10));
    EXPECT_FALSE(estimate_eta(*run_of({1}), 10));
    EXPECT_FALSE(estimate_eta(*run_of({1, 1, 1}), 3));
}

TEST(Eta, ignoresPausesAndOldPaces) {
    std::vector<double> paces(100, 9.0);
    paces.insert(paces.end(), 300, 1.0);
    paces[200] = 3600;
    const auto eta = estimate_eta(*run_of(paces), 500);
    ASSERT_TRUE(eta);
    EXPECT_NEAR(eta->seconds, 100, 1e-6);
}

TEST(Eta, rangeHoldsTheTruthInMostNoisyRuns) {
    std::mt19937_64 random(11);
    std::lognormal_distribution<double> pace(0, 0.5);
    int inside = 0;
    constexpr int trials = 400;
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> paces(200);
        double rest = 0;
        for (double& value : paces) {
            value = pace(random);
        }
        for (int i = 0; i < 200; ++i) {
            rest += pace(random);
        }
        const auto eta = estimate_eta(*run_of(paces), 400);
        inside += std::abs(eta->seconds - rest) <= eta->plus_minus ? 1 : 0;
    }
    std::printf("ETA: truth inside the 90 %% range in %.1f %% of runs\n", 100.0 * inside / trials);
    EXPECT_GT(inside, trials * 80 / 100);
}
