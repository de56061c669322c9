#include "core/analysis/axis.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace braid;

namespace {

std::vector<std::string> labels(const Ticks& ticks) {
    std::vector<std::string> texts;
    for (const Tick& tick : ticks.major) {
        texts.push_back(tick.label);
    }
    return texts;
}

using Texts = std::vector<std::string>;
const AxisMap linear{};
const AxisMap log_axis{.scale = AxisScale::log};

}  // namespace

TEST(Axis, linearTicksAreNiceWithEqualDecimals) {
    EXPECT_EQ(labels(make_ticks(linear, {0, 1})), (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
    EXPECT_EQ(labels(make_ticks(linear, {0, 1000})), (Texts{"0", "200", "400", "600", "800", "1,000"}));
    EXPECT_EQ(labels(make_ticks(linear, {-0.3, 0.3}, {.target = 3})), (Texts{"−0.2", "0.0", "0.2"}));
    EXPECT_EQ(labels(make_ticks(linear, {0, 1}, {.target = 4})),
              (Texts{"0.00", "0.25", "0.50", "0.75", "1.00"}));
}

TEST(Axis, countsShareOneFactor) {
    const Ticks ticks = make_ticks(linear, {0, 2'457'600}, {.use_factor = true});
    EXPECT_EQ(ticks.factor, 1e6);
    EXPECT_EQ(ticks.factor_name, "M");
    const Ticks flops = make_ticks(linear, {0, 4e19}, {.use_factor = true});
    EXPECT_EQ(flops.factor, 1e18);
    EXPECT_EQ(flops.factor_name, "10¹⁸");
    EXPECT_EQ(flops.major.back().label, "40");
    EXPECT_EQ(labels(ticks), (Texts{"0.0", "0.5", "1.0", "1.5", "2.0"}));
}

TEST(Axis, stepsAreWhole) {
    EXPECT_EQ(labels(make_ticks(linear, {0, 3}, {.target = 8, .whole = true})), (Texts{"0", "1", "2", "3"}));
}

TEST(Axis, tinyAndHugeNumbersAreReadable) {
    EXPECT_EQ(labels(make_ticks(linear, {0, 2e-5}, {.target = 2})), (Texts{"0", "1e−5", "2e−5"}));
    for (const Tick& tick : make_ticks(linear, {0, 4e12}).major) {
        EXPECT_LT(tick.label.size(), 8u) << tick.label;
    }
}

TEST(Axis, logTicksArePowersWithMinorOnes) {
    const Ticks ticks = make_ticks(log_axis, {1, 1e6}, {.target = 6});
    EXPECT_EQ(labels(ticks), (Texts{"10⁰", "10¹", "10²", "10³", "10⁴", "10⁵", "10⁶"}));
    EXPECT_EQ(ticks.minor.size(), 48u);
    EXPECT_EQ(labels(make_ticks(log_axis, {0.01, 1e4}, {.target = 6})),
              (Texts{"0.01", "0.1", "1", "10", "100", "1,000", "10,000"}));
    EXPECT_EQ(labels(make_ticks(log_axis, {1e9, 1e11}, {.target = 4, .use_factor = true})),
              (Texts{"1.00 B", "3.00 B", "10.0 B", "30.0 B", "100 B"}));
    EXPECT_TRUE(make_ticks(log_axis, {0, 10}).major.empty()) << "a log axis has no place for 0";
    for (const Tick& tick : make_ticks(log_axis, {1e-9, 1e12}, {.target = 4}).major) {
        EXPECT_FALSE(tick.label.empty());
    }
}

TEST(Axis, logOfLessThanADecadeStillHasTicks) {
    EXPECT_GE(make_ticks(log_axis, {2.2, 2.6}).major.size(), 3u);
    EXPECT_GE(make_ticks(log_axis, {2, 30}).major.size(), 3u);
}

TEST(Axis, symlogGoesThroughZero) {
    const AxisMap map{.scale = AxisScale::symlog, .linear_width = 1};
    const Ticks ticks = make_ticks(map, {-1000, 1000}, {.target = 5});
    bool zero = false;
    for (std::size_t i = 0; i < ticks.major.size(); ++i) {
        zero = zero || ticks.major[i].value == 0;
        if (i > 0) {
            EXPECT_LT(ticks.major[i - 1].value, ticks.major[i].value);
        }
    }
    EXPECT_TRUE(zero);
    EXPECT_LE(ticks.major.size(), 9u);
}

TEST(Axis, mapsThereAndBack) {
    for (const AxisMap map : {linear, log_axis, AxisMap{.scale = AxisScale::symlog, .linear_width = 0.1}}) {
        for (const double value : {1e-3, 0.5, 2.0, 1e6}) {
            EXPECT_NEAR(map.backward(map.forward(value)), value, 1e-9 * value);
        }
    }
    EXPECT_TRUE(std::isnan(log_axis.forward(-1)));
    EXPECT_FALSE(log_axis.defined(0));
}

TEST(Axis, rangesOfOneValueAreSensible) {
    const AxisRange one = padded_range(linear, 3, 3);
    EXPECT_LT(one.lower, 3);
    EXPECT_GT(one.upper, 3);
    EXPECT_LT(padded_range(linear, 0, 0).lower, 0);
    const AxisRange tiny = padded_range(log_axis, 1e-8, 1e-8);
    EXPECT_GT(tiny.lower, 0);
    EXPECT_GT(tiny.upper, tiny.lower);
    EXPECT_GT(padded_range(log_axis, -1, 5).lower, 0);
}

TEST(Axis, everyRangeGivesFewTicks) {
    for (const AxisScale scale : {AxisScale::linear, AxisScale::log, AxisScale::symlog}) {
        for (double low = 1e-12; low < 1e12; low *= 37) {
            for (double length = 1e-10; length < 1e12; length *= 53) {
                const Ticks ticks = make_ticks({.scale = scale}, {low, low + length}, {.target = 5});
                EXPECT_LE(ticks.major.size(), 12u) << low << " " << length << " " << static_cast<int>(scale);
            }
        }
    }
}
