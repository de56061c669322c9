#include "core/analysis/spread.h"

#include <gtest/gtest.h>

using namespace braid;

TEST(Spread, leavesRoomyLabelsAlone) {
    EXPECT_EQ(spread_apart({10, 50, 90}, 12, 0, 100), (std::vector<double>{10, 50, 90}));
    EXPECT_TRUE(spread_apart({}, 12, 0, 100).empty());
}

TEST(Spread, movesCloseOnesEquallyAndKeepsTheirOrder) {
    EXPECT_EQ(spread_apart({52, 50}, 10, 0, 100), (std::vector<double>{56, 46}));
    EXPECT_EQ(spread_apart({50, 50, 50}, 10, 0, 100), (std::vector<double>{40, 50, 60}));
}

TEST(Spread, staysInside) {
    EXPECT_EQ(spread_apart({99, 99.5, 100}, 10, 0, 100), (std::vector<double>{80, 90, 100}));
    EXPECT_EQ(spread_apart({-50, 500}, 10, 0, 100), (std::vector<double>{0, 100}));
}

TEST(Spread, fillsTheRoomEvenlyWhereItIsTooSmall) {
    EXPECT_EQ(spread_apart({5, 5, 5}, 100, 0, 100), (std::vector<double>{0, 50, 100}));
}
