#include "core/measure/ruler/averages.h"

#include <gtest/gtest.h>

#include "core/measure/ruler/tasks.h"

namespace braid::testing {
namespace {

TEST(RulerAverages, AreNamedAsInThePaper) {
    std::vector<Score> scores;
    double value = 0;
    for (const TextTask& task : ruler_tasks())
        for (const std::int64_t length : {4'096, 8'192})
            scores.push_back({.name = task.id, .length = length, .value = value += 1, .unit = "%"});
    const std::vector<ScoreSummary> averages = ruler_averages(scores);
    ASSERT_EQ(averages.size(), 4U);
    EXPECT_EQ(averages[0].name, "NIAH average (8)");
    EXPECT_DOUBLE_EQ(*averages[0].value, 8.5);  // of 1 .. 16
    EXPECT_EQ(averages[1].name, "Total average (13)");
    EXPECT_DOUBLE_EQ(*averages[1].value, 13.5);  // of 1 .. 26
    EXPECT_EQ(averages[2].name, "RULER <= 4K");
    EXPECT_DOUBLE_EQ(*averages[2].value, 13);  // of 1, 3, .. 25
    EXPECT_EQ(averages[3].name, "RULER > 4K");
    EXPECT_DOUBLE_EQ(*averages[3].value, 14);
}

TEST(RulerAverages, ATaskWithoutDataIsNoZero) {
    const std::vector<Score> scores = {{.name = "niah_single_1", .length = 8'192, .value = 90},
                                       {.name = "niah_single_2", .length = 8'192, .no_data = "needs a text"},
                                       {.name = "vt", .length = 8'192, .value = 10},
                                       {.name = "vt", .length = 16'384, .value = 30}};
    const std::vector<ScoreSummary> averages = ruler_averages(scores);
    ASSERT_EQ(averages.size(), 3U);
    EXPECT_EQ(averages[0].name, "NIAH average (1 of 8)");
    EXPECT_EQ(averages[0].value, 90);
    EXPECT_EQ(averages[1].name, "Total average (2 of 13)");
    EXPECT_EQ(averages[1].value, 55) << "each task counts alike, however many lengths it has";
    EXPECT_EQ(averages[2].name, "RULER > 4K (2 of 13)") << "no column with the average of all";
    EXPECT_TRUE(ruler_averages({}).empty());
}

}  // namespace
}  // namespace braid::testing
