#include "core/analysis/number_format.h"

#include <gtest/gtest.h>

#include <limits>

using namespace braid;

namespace {
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();
}  // namespace

TEST(NumberFormat, counts) {
    EXPECT_EQ(format_count(0), "0");
    EXPECT_EQ(format_count(999), "999");
    EXPECT_EQ(format_count(12'240), "12,240");
    EXPECT_EQ(format_count(-1'234'567), "−1,234,567");
    EXPECT_EQ(format_count(std::numeric_limits<std::int64_t>::min()), "−9,223,372,036,854,775,808");
}

TEST(NumberFormat, fixedHasATrueMinusAndNoMinusZero) {
    EXPECT_EQ(format_fixed(0.98749, 3), "0.987");
    EXPECT_EQ(format_fixed(-0.1371, 3), "−0.137");
    EXPECT_EQ(format_fixed(-0.0001, 3), "0.000");
    EXPECT_EQ(format_fixed(1234.5, 1), "1,234.5");
    EXPECT_EQ(format_fixed(nan_value, 2), "NaN");
    EXPECT_EQ(format_fixed(-infinite, 2), "−∞");
}

TEST(NumberFormat, significant) {
    EXPECT_EQ(format_significant(3.22714), "3.227");
    EXPECT_EQ(format_significant(0.001953), "0.001953");
    EXPECT_EQ(format_significant(1.953e-4), "1.953e−4");
    EXPECT_EQ(format_significant(612'000), "612,000");
    EXPECT_EQ(format_significant(9.99996), "10.00");
    EXPECT_EQ(format_significant(1.5e9, 3), "1.50e9");
    EXPECT_EQ(format_significant(0), "0");
}

TEST(NumberFormat, siPrefixesKeepThreeDigitsAndASpace) {
    EXPECT_EQ(format_si(2'457'600), "2.46 M");
    EXPECT_EQ(format_si(901'120, "tokens"), "901 k tokens");
    EXPECT_EQ(format_si(1'228'800, "tokens"), "1.23 M tokens");
    EXPECT_EQ(format_si(47.7e9), "47.7 B");
    EXPECT_EQ(format_si(999'600), "1.00 M");
    EXPECT_EQ(format_si(600), "600");
    EXPECT_EQ(format_si(0.5, "s"), "0.50 s");
    EXPECT_EQ(format_si(-3000), "−3.00 k");
    EXPECT_EQ(format_si(614e12, "FLOPs"), "614 T FLOPs");
    EXPECT_EQ(format_si(999.9e12), "1.00×10¹⁵");
    EXPECT_EQ(format_si(-2.456e18, "FLOPs"), "−2.46×10¹⁸ FLOPs");
}

TEST(NumberFormat, times) {
    EXPECT_EQ(format_duration(49.2), "49 s");
    EXPECT_EQ(format_duration(204), "3 min 24 s");
    EXPECT_EQ(format_duration(12 * 3600 + 51 * 60), "12 h 51 min");
    EXPECT_EQ(format_duration(4.7 * 86400), "4.7 days");
    EXPECT_EQ(format_duration(0.125), "125 ms");
    EXPECT_EQ(format_duration(59.7), "1 min 0 s");
    EXPECT_EQ(format_clock(72), "01:12");
    EXPECT_EQ(format_clock(3723), "1:02:03");
}

TEST(NumberFormat, bytes) {
    EXPECT_EQ(format_bytes(64.0 * (1 << 30)), "64.0 GiB");
    EXPECT_EQ(format_bytes(1024), "1.0 KiB");
    EXPECT_EQ(format_bytes(17), "17 B");
}

TEST(NumberFormat, exactNumbersReadBackTheSame) {
    for (const double value : {0.1, 1.0 / 3, 2457600.0, -1e-300, 6.02e23}) {
        EXPECT_EQ(std::stod(exact_number(value)), value);
    }
    EXPECT_EQ(exact_number(nan_value), "nan");
    EXPECT_EQ(exact_number(-infinite), "-inf");
    EXPECT_EQ(exact_number(0.1), "0.1");
}
