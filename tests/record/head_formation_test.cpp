#include "core/record/head_formation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace braid {
namespace {

// Two layers of two heads, the second layer without attention; head 1 of layer 0 ends on top.
MeasurementRecord trace(const std::vector<double>& mass_of_top, std::int64_t step = 600) {
    MeasuredArray mass{.name = "mass",
                       .axes = {{.name = "tokens", .unit = "tokens"},
                                {.name = "layer", .ticks = {0.0, 1.0}},
                                {.name = "head", .ticks = {0.0, 1.0}}},
                       .samples = {100}};
    for (std::size_t t = 0; t < mass_of_top.size(); ++t) {
        mass.axes[0].ticks.emplace_back(1000.0 * double(t));
        mass.values.insert(mass.values.end(), {0.1, mass_of_top[t], std::nan(""), std::nan("")});
    }
    MeasuredArray entropy = mass;
    entropy.name = "entropy";
    for (double& value : entropy.values) value = 1 - value;
    return {.kind = "trace",
            .created = "2026-02-03T04:05:06Z",
            .checkpoint = {.run = "a91f", .step = Step(step)},
            .arrays = {mass, entropy},
            .file = "trace.json"};
}

TEST(HeadFormation, FirstCheckpointWithHalfTheAttention) {
    const Result<HeadFormation> found = head_formation(trace({0.02, 0.3, 0.5, 0.4, 0.9}));
    ASSERT_TRUE(found) << describe(found.error());
    EXPECT_EQ(found->layer, 0);
    EXPECT_EQ(found->head, 1);
    EXPECT_EQ(found->formed, 2000);
    EXPECT_EQ(found->not_before, 1000);
    EXPECT_EQ(found->tokens, 4000);
    EXPECT_DOUBLE_EQ(found->mass, 0.9);
    EXPECT_DOUBLE_EQ(found->entropy_start, 0.98);
    EXPECT_NEAR(found->entropy_end, 0.1, 1e-12);
    EXPECT_EQ(found->samples, 100);
    EXPECT_EQ(head_formation(trace({0.6}))->formed, 0);
    EXPECT_FALSE(head_formation(trace({0.02, 0.2}))->formed);
}

TEST(HeadFormation, WhatIsNoTraceIsRefused) {
    MeasurementRecord other = trace({0.1, 0.2});
    other.kind = "heads";
    EXPECT_NE(head_formation(other).error().message.find("heads"), std::string::npos);
    MeasurementRecord poor = trace({0.1, 0.2});
    poor.arrays.pop_back();
    EXPECT_NE(head_formation(poor).error().message.find("entropy"), std::string::npos);
    EXPECT_EQ(head_formation(poor).error().path, "trace.json");
    MeasurementRecord none = trace({std::nan("")});
    none.arrays[0].values[0] = std::nan("");
    EXPECT_FALSE(head_formation(none));
}

TEST(HeadFormation, SeedsThatHoldAndThoseThatDoNot) {
    const HeadFormation soon = *head_formation(trace({0, 0.9, 0.9, 0.9, 0.9}));
    const HeadFormation later = *head_formation(trace({0, 0, 0.9, 0.9, 0.9}));
    const HeadFormation never = *head_formation(trace({0, 0, 0, 0, 0.2}));
    EXPECT_EQ((FormationPair{.early = soon, .late = later}).ratio(), 2);
    EXPECT_EQ((FormationPair{.early = soon, .late = never}).ratio(), 4) << "a lower bound";
    EXPECT_FALSE((FormationPair{.early = never, .late = soon}).ratio());
    EXPECT_TRUE((FormationPair{.early = soon, .late = never}).holds());
    EXPECT_FALSE((FormationPair{.early = later, .late = later}).holds());
    EXPECT_EQ(
        formation_text({{.seed = 1, .early = soon, .late = never},
                        {.seed = 2, .early = later, .late = later},
                        {.seed = 3, .early = never, .late = later}},
                       "Window 4", "Window 64"),
        "In 1 of 3 seeds Window 64 forms a retrieval head after at least 1.4 times the tokens of Window 4 or "
        "none "
        "by the end of the training (seed 1); not so in seed 2: 1.00 times, seed 3: none in the first.");
    EXPECT_EQ(formation_text({{.seed = 7, .early = soon, .late = later}}, "A", "B"),
              "In 1 of 1 seed B forms a retrieval head after at least 1.4 times the tokens of A (seed 7: "
              "2.00 times).");
    EXPECT_EQ(formation_text({}, "a", "b"), "");
}

}  // namespace
}  // namespace braid
