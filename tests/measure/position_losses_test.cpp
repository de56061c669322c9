#include "core/measure/position_losses.h"

#include <gtest/gtest.h>

#include <cmath>

namespace braid::testing {
namespace {

// Two sequences of four; the last of the second has no target.
const Batch batch{.sequences = 2,
                  .context = 4,
                  .tokens_BT = {0, 0, 0, 0, 0, 0, 0, 0},
                  .targets_BT = {1, 1, 1, 1, 1, 1, 1, no_target}};
const std::vector<float> losses = {1, 2, 3, 4, 5, 6, 7, 99};

TEST(PositionLosses, TheMeanCountsTargetsTheErrorSequences) {
    const MeanLoss mean = mean_loss(batch, losses);
    EXPECT_DOUBLE_EQ(mean.mean, 4);  // 28 / 7
    EXPECT_EQ(mean.targets, 7);
    EXPECT_EQ(mean.sequences, 2);
    // Residuals 10 - 4 * 4 = -6 and 18 - 4 * 3 = 6: sqrt(72 * 2 / 1) / 7.
    EXPECT_DOUBLE_EQ(mean.standard_error, 12.0 / 7);
}

TEST(PositionLosses, ByPositionAndAgainstAnother) {
    const std::vector<float> other = {0, 0, 0, 0, 5, 6, 7, 0};
    const std::vector<std::int64_t> ends = {1, 3, 4};
    const std::vector<PositionLoss> parts = position_losses(batch, losses, other, ends);
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_DOUBLE_EQ(parts[0].loss.mean, 3);
    EXPECT_DOUBLE_EQ(parts[1].loss.mean, 4.5);
    EXPECT_EQ(parts[1].begin, 1);
    EXPECT_DOUBLE_EQ(parts[2].loss.mean, 4);
    EXPECT_TRUE(std::isnan(parts[2].loss.standard_error)) << "one sequence has no spread";
    EXPECT_DOUBLE_EQ(parts[0].difference->mean, 0.5);
    // Differences 1 and 0: sqrt((0.25 + 0.25) * 2) / 2.
    EXPECT_DOUBLE_EQ(parts[0].difference->standard_error, 0.5);
    EXPECT_FALSE(position_losses(batch, losses, {}, ends)[0].difference);
}

TEST(PositionLosses, BucketsCoverTheContext) {
    EXPECT_EQ(position_buckets(8, 4, false), (std::vector<std::int64_t>{2, 4, 6, 8}));
    EXPECT_EQ(position_buckets(256, 8, true), (std::vector<std::int64_t>{2, 4, 8, 16, 32, 64, 128, 256}));
    EXPECT_EQ(position_buckets(3, 10, true), (std::vector<std::int64_t>{1, 2, 3}));
    for (const std::int64_t context : {1, 2, 7, 100, 4'096, 131'072})
        for (const std::int64_t count : {1, 5, 16, 64})
            for (const bool logarithmic : {false, true}) {
                std::int64_t last = 0;
                for (const std::int64_t end : position_buckets(context, count, logarithmic)) {
                    EXPECT_GT(end, last) << context << " " << count;
                    last = end;
                }
                EXPECT_EQ(last, context);
            }
}

}  // namespace
}  // namespace braid::testing
