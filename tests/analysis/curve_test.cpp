#include "core/analysis/curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace braid;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

struct Columns {
    std::vector<double> x, y;
};

Columns noisy(std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> odd(0, 50);
    Columns columns;
    for (std::size_t i = 0; i < count; ++i) {
        columns.x.push_back(static_cast<double>(i));
        switch (odd(random)) {
            case 0:
                columns.y.push_back(nan_value);
                break;
            case 1:
                columns.y.push_back(infinite);
                break;
            case 2:
                columns.y.push_back(-infinite);
                break;
            case 3:
                columns.y.push_back(0);
                break;
            default:
                columns.y.push_back(normal(random));
        }
    }
    return columns;
}

CurveSummary slow_summary(const Columns& columns, std::size_t begin, std::size_t end) {
    CurveSummary summary;
    for (std::size_t i = begin; i < end; ++i) {
        summary.add(columns.y[i]);
    }
    return summary;
}

}  // namespace

TEST(Curve, summariesOfAnyRangeEqualThoseOfAllPoints) {
    const Columns columns = noisy(3 * Curve::chunk_size + 1234, 1);
    const CurvePtr curve = Curve::make(columns.x, columns.y);
    std::mt19937_64 random(2);
    std::uniform_int_distribution<std::size_t> index(0, curve->size());
    for (int trial = 0; trial < 2000; ++trial) {
        std::size_t begin = index(random);
        std::size_t end = trial % 3 == 0 ? std::min(curve->size(), begin + 40) : index(random);
        if (begin > end) {
            std::swap(begin, end);
        }
        ASSERT_EQ(curve->summarize(begin, end), slow_summary(columns, begin, end)) << begin << " " << end;
    }
}

TEST(Curve, appendingInPiecesEqualsMakingAtOnceAndLeavesOldSnapshotsAlone) {
    const Columns columns = noisy(2 * Curve::chunk_size + 77, 3);
    CurvePtr grown = Curve::empty();
    std::vector<CurvePtr> snapshots;
    std::size_t done = 0;
    for (std::size_t piece = 1; done < columns.x.size(); piece = piece * 2 + 1) {
        const std::size_t count = std::min(piece, columns.x.size() - done);
        snapshots.push_back(grown);
        grown = grown->append(std::span(columns.x).subspan(done, count),
                              std::span(columns.y).subspan(done, count));
        done += count;
    }
    ASSERT_EQ(grown->size(), columns.x.size());
    EXPECT_EQ(grown->summary(), slow_summary(columns, 0, columns.x.size()));
    for (std::size_t i = 0; i < columns.x.size(); ++i) {
        ASSERT_EQ(grown->x(i), columns.x[i]);
    }
    for (const CurvePtr& snapshot : snapshots) {
        EXPECT_EQ(snapshot->summary(), slow_summary(columns, 0, snapshot->size()));
    }
}

TEST(Curve, aClockThatWentBackIsSortedAndNothingIsLost) {
    const std::vector<double> x{0, 1, 2, 5, 3, 4, nan_value, 6};
    const std::vector<double> y{0, 10, 20, 50, 30, 40, 99, 60};
    const CurvePtr curve = Curve::make(x, y);
    ASSERT_EQ(curve->size(), 7u);
    for (std::size_t i = 0; i < curve->size(); ++i) {
        EXPECT_EQ(curve->x(i), static_cast<double>(i));
        EXPECT_EQ(curve->y(i), 10.0 * static_cast<double>(i));
    }
    const CurvePtr later = curve->append(std::vector<double>{2.5}, std::vector<double>{25});
    EXPECT_EQ(later->y(3), 25);
    EXPECT_EQ(later->size(), 8u);
}

TEST(Curve, findsPlacesBySteps) {
    const std::vector<double> x{1, 2, 2, 2, 3};
    const std::vector<double> y{0, 0, 0, 0, 0};
    const CurvePtr curve = Curve::make(x, y);
    EXPECT_EQ(curve->lower_bound(2), 1u);
    EXPECT_EQ(curve->upper_bound(2), 4u);
    EXPECT_EQ(curve->lower_bound(0), 0u);
    EXPECT_EQ(curve->upper_bound(9), 5u);
    EXPECT_EQ(Curve::empty()->lower_bound(1), 0u);
}
