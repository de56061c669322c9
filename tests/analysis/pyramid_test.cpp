#include "core/analysis/pyramid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ctime>
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

// Of this process: what others do on the machine does not count.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Extent {
    double low = infinite, high = -infinite;
};

// Lowest and highest drawn value in each column, from what detail() says.
std::vector<Extent> drawn_extents(const Detail& drawn, const DetailRequest& request) {
    std::vector<Extent> columns(static_cast<std::size_t>(request.columns));
    const auto add = [&](const CurvePoint& point) {
        if (point.x < request.x_range.lower || point.x > request.x_range.upper) {
            return;
        }
        const double share = (point.x - request.x_range.lower) / request.x_range.size();
        auto& column =
            columns[std::min(columns.size() - 1, static_cast<std::size_t>(share * request.columns))];
        column.low = std::min(column.low, point.y);
        column.high = std::max(column.high, point.y);
    };
    for (const CurvePoint& point : drawn.points) {
        add(point);
    }
    for (const CurvePoint& point : drawn.dots) {
        add(point);
    }
    return columns;
}

}  // namespace

TEST(Detail, aOneStepSpikeIsVisibleAtEveryZoom) {
    std::vector<double> y(100'000, 1.0);
    const std::size_t spike = 61'803;
    y[spike] = 50;
    const CurvePtr curve = curve_of(y);
    for (double half = 50'000; half > 2; half /= 1.7) {
        for (const int columns : {37, 400, 1600}) {
            DetailRequest request;
            request.x_range = {static_cast<double>(spike) - half * 0.9, static_cast<double>(spike) + half};
            request.columns = columns;
            const Detail drawn = detail(*curve, request);
            const auto highest =
                std::max_element(drawn.points.begin(), drawn.points.end(),
                                 [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
            ASSERT_NE(highest, drawn.points.end());
            EXPECT_EQ(highest->y, 50) << half << " " << columns;
            EXPECT_NEAR(highest->x, static_cast<double>(spike), request.x_range.size() / columns);
            EXPECT_EQ(detail(*curve, request), drawn) << "two redraws must be equal";
        }
    }
}

TEST(Detail, everyColumnHasTheExactMinimumAndMaximumOfItsPoints) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    std::vector<double> y(50'000);
    for (double& value : y) {
        value = normal(random);
    }
    const CurvePtr curve = curve_of(y);
    for (const AxisRange range :
         {AxisRange{0, 49'999}, AxisRange{1234.5, 1300.25}, AxisRange{-500, 20'000.125}}) {
        DetailRequest request{.x_range = range, .columns = 701};
        const auto drawn = drawn_extents(detail(*curve, request), request);
        std::vector<Extent> expected(drawn.size());
        for (std::size_t i = 0; i < y.size(); ++i) {
            const auto x = static_cast<double>(i);
            if (x < range.lower || x > range.upper) {
                continue;
            }
            auto& column = expected[std::min(
                expected.size() - 1, static_cast<std::size_t>((x - range.lower) / range.size() * 701))];
            column.low = std::min(column.low, y[i]);
            column.high = std::max(column.high, y[i]);
        }
        for (std::size_t c = 0; c < drawn.size(); ++c) {
            ASSERT_EQ(drawn[c].low, expected[c].low) << c;
            ASSERT_EQ(drawn[c].high, expected[c].high) << c;
        }
    }
}

TEST(Detail, drawsFewPointsOfLongCurvesAndAllOfShortOnes) {
    const CurvePtr longer = curve_of(std::vector<double>(1'000'000, 2.0));
    const Detail drawn = detail(*longer, {.x_range = {0, 999'999}, .columns = 500});
    EXPECT_LE(drawn.points.size(), 4u * 500 + 2);
    EXPECT_EQ(drawn.in_range, 1'000'000u);
    const Detail few = detail(*curve_of({1, 5, 2, 4}), {.x_range = {0, 3}, .columns = 500});
    EXPECT_EQ(few.points, (std::vector<CurvePoint>{{0, 1}, {1, 5}, {2, 2}, {3, 4}}));
}

TEST(Detail, linesRunToTheEdgeOfTheView) {
    const CurvePtr curve = curve_of({0, 10, 20, 30, 40});
    const Detail drawn = detail(*curve, {.x_range = {1.4, 2.6}, .columns = 100});
    ASSERT_EQ(drawn.line_begin.size(), 1u);
    EXPECT_EQ(drawn.points, (std::vector<CurvePoint>{{1, 10}, {2, 20}, {3, 30}}));
    EXPECT_EQ(drawn.in_range, 1u);
    const Detail between = detail(*curve, {.x_range = {1.4, 1.6}, .columns = 100});
    EXPECT_EQ(between.points, (std::vector<CurvePoint>{{1, 10}, {2, 20}}));
}

TEST(Detail, missingValuesAreGapsAndALoneFinitePointIsADot) {
    const CurvePtr curve = curve_of({1, 2, nan_value, 5, nan_value, nan_value, 3, 4});
    const Detail drawn = detail(*curve, {.x_range = {0, 7}, .columns = 100});
    ASSERT_EQ(drawn.line_begin.size(), 2u);
    EXPECT_EQ(drawn.dots, (std::vector<CurvePoint>{{3, 5}}));
    EXPECT_EQ(drawn.missing, 3u);
    EXPECT_EQ(drawn.points.size(), 4u);
}

TEST(Detail, aLoneFinitePointShowsAlsoAmongAMillionMissing) {
    std::vector<double> y(1'000'000, nan_value);
    y[777'777] = 3;
    const Detail drawn = detail(*curve_of(y), {.x_range = {0, 999'999}, .columns = 300});
    ASSERT_EQ(drawn.dots.size(), 1u);
    EXPECT_EQ(drawn.dots[0].y, 3);
    EXPECT_EQ(drawn.missing, 999'999u);
    EXPECT_TRUE(drawn.points.empty());
}

TEST(Detail, infinitiesAreEdgeMarksAndTheRestStays) {
    const CurvePtr curve = curve_of({1, infinite, 2, -infinite, 3, 4});
    const Detail drawn = detail(*curve, {.x_range = {0, 5}, .columns = 100});
    ASSERT_EQ(drawn.marks.size(), 2u);
    EXPECT_EQ(drawn.marks[0].kind, EdgeMarkKind::plus_inf);
    EXPECT_EQ(drawn.marks[0].x, 1);
    EXPECT_EQ(drawn.marks[1].kind, EdgeMarkKind::minus_inf);
    EXPECT_EQ(drawn.at_edge, 2u);
    EXPECT_EQ(drawn.dots.size(), 2u);
    EXPECT_EQ(drawn.line_begin.size(), 1u);
}

TEST(Detail, logAxesCountAndMarkWhatIsNotPositive) {
    const AxisMap log{.scale = AxisScale::log};
    const CurvePtr curve = curve_of({1, 10, 0, -3, 100, 1000});
    const Detail drawn = detail(*curve, {.x_range = {0, 5}, .columns = 100, .y_map = log});
    ASSERT_EQ(drawn.marks.size(), 2u);
    EXPECT_EQ(drawn.marks[0].kind, EdgeMarkKind::not_positive);
    EXPECT_EQ(drawn.at_edge, 2u);
    for (const CurvePoint& point : drawn.points) {
        EXPECT_GT(point.y, 0);
    }
    // The same when a column holds thousands of points.
    std::vector<double> y(100'000);
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = i % 10 == 0 ? -1.0 : 2.0 + static_cast<double>(i % 7);
    }
    const Detail dense = detail(*curve_of(y), {.x_range = {0, 99'999}, .columns = 100, .y_map = log});
    EXPECT_EQ(dense.at_edge, 10'000u);
    EXPECT_LE(dense.marks.size(), 100u);
    for (const CurvePoint& point : dense.points) {
        EXPECT_GE(point.y, 2);
    }
    // Symlog shows them where they are.
    const Detail symlog =
        detail(*curve, {.x_range = {0, 5}, .columns = 100, .y_map = {.scale = AxisScale::symlog}});
    EXPECT_TRUE(symlog.marks.empty());
    EXPECT_EQ(symlog.points.size(), 6u);
}

TEST(Detail, stepZeroHasNoPlaceOnALogXAxis) {
    const CurvePtr curve = curve_of({5, 4, 3, 2});
    const Detail drawn =
        detail(*curve, {.x_range = {0, 10}, .columns = 100, .x_map = {.scale = AxisScale::log}});
    EXPECT_EQ(drawn.off_axis, 1u);
    ASSERT_FALSE(drawn.points.empty());
    EXPECT_EQ(drawn.points.front(), (CurvePoint{1, 4}));
}

TEST(Detail, senselessRequestsDrawNothing) {
    const CurvePtr curve = curve_of({1, 2, 3});
    EXPECT_EQ(detail(*curve, {.x_range = {0, 2}, .columns = 0}), Detail{});
    EXPECT_EQ(detail(*curve, {.x_range = {2, 2}, .columns = 10}), Detail{});
    EXPECT_EQ(detail(*curve, {.x_range = {nan_value, 2}, .columns = 10}), Detail{});
    EXPECT_TRUE(detail(*Curve::empty(), {.x_range = {0, 2}, .columns = 10}).points.empty());
}

TEST(Detail, tenMillionPointsAreReadyForSixtyFramesASecond) {
    constexpr std::size_t count = 10'000'000;
    std::vector<double> y(count);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        y[i] = static_cast<double>(state >> 40);
    }
    const double start = cpu_seconds();
    const CurvePtr curve = curve_of(y);
    const double build = cpu_seconds() - start;
    std::vector<double> times;
    for (int frame = 0; frame < 60; ++frame) {
        const double begin = cpu_seconds();
        const double from = 1e4 * frame;
        const Detail drawn = detail(*curve, {.x_range = {from, from + 9e6}, .columns = 1600});
        times.push_back(cpu_seconds() - begin);
        ASSERT_GT(drawn.points.size(), 1600u);
    }
    std::sort(times.begin(), times.end());
    std::printf(
        "10^7 points: build %.0f ms, view of 1600 columns %.2f ms (median), %.2f ms (worst), %.0f MB\n",
        build * 1e3, times[30] * 1e3, times.back() * 1e3, static_cast<double>(curve->bytes()) / 1e6);
    EXPECT_LT(times[30], 1.0 / 60);
    EXPECT_LT(build, 2);
}

TEST(Detail, fiveHundredRunsAreReadyForThirtyFramesASecond) {
    std::vector<double> y(10'000);
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = std::sin(static_cast<double>(i * i % 977));
    }
    const CurvePtr curve = curve_of(y);
    std::vector<DenseColumn> columns;
    double best = 1e9;
    for (int frame = 0; frame < 7; ++frame) {
        const double begin = cpu_seconds();
        for (int run = 0; run < 500; ++run) {
            ASSERT_GT(detail(*curve, {.x_range = {0.1 * frame, 9'999}, .columns = 1000}).points.size(),
                      1000u);
        }
        best = std::min(best, cpu_seconds() - begin);
    }
    std::printf("500 runs x 10,000 points: %.1f ms a view of 1000 columns\n", best * 1e3);
    EXPECT_LT(best, 0.1);
}

TEST(Detail, denseColumnsAgreeWithAllPoints) {
    std::mt19937_64 random(17);
    std::exponential_distribution<double> gap(1.0);
    std::vector<double> x;
    std::vector<double> y;
    double now = 0;
    for (int i = 0; i < 20'000; ++i) {
        now += i % 500 == 0 ? 90.0 : gap(random);
        x.push_back(now);
        y.push_back(std::sin(now) + 2);
    }
    const CurvePtr curve = Curve::make(x, y);
    const DetailRequest request{.x_range = {x[100], x[15'000]}, .columns = 333};
    std::vector<DenseColumn> columns;
    ASSERT_TRUE(dense_columns(*curve, request, columns));
    std::size_t next = 0;
    std::size_t points = 0;
    for (std::size_t i = 100; i <= 15'000;) {
        const auto column_of = [&](double at) {
            return std::min(332,
                            static_cast<int>((at - request.x_range.lower) / request.x_range.size() * 333));
        };
        DenseColumn expected{column_of(x[i]), y[i], y[i], y[i], y[i]};
        for (; i <= 15'000 && column_of(x[i]) == expected.column; ++i, ++points) {
            expected.low = std::min(expected.low, y[i]);
            expected.high = std::max(expected.high, y[i]);
            expected.last = y[i];
        }
        ASSERT_LT(next, columns.size());
        ASSERT_EQ(columns[next++], expected);
    }
    EXPECT_EQ(next, columns.size());
    y[7'000] = nan_value;
    EXPECT_FALSE(dense_columns(*Curve::make(x, y), request, columns));
    EXPECT_FALSE(dense_columns(*curve_of({1, 0, 2}),
                               {.x_range = {0, 2}, .columns = 9, .y_map = {.scale = AxisScale::log}},
                               columns));
}
