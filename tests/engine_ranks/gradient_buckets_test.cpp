#include "core/engine/parallel/gradient_buckets.h"

#include <gtest/gtest.h>

#include "tests/engine_run/run_fixture.h"

namespace braid::testing {
namespace {

ParameterLayout layout_of(const ArchitectureSpec& spec) {
    return make_layout(spec, make_mixers(spec).value());
}

std::int64_t bucket_at(const std::vector<GradientBucket>& buckets, std::int64_t element) {
    for (std::size_t i = 0; i < buckets.size(); ++i)
        if (buckets[i].begin <= element && element < buckets[i].end) return static_cast<std::int64_t>(i);
    return -1;
}

TEST(GradientBuckets, CoverEveryElementOnceAndComeInTheOrderOfTheBackwardPass) {
    for (const char* pattern : {"FS[w=4] x2", "GL x2", "F x1"})
        for (const bool tied : {false, true}) {
            ArchitectureSpec spec = tiny_architecture(pattern);
            if (tied) spec.parameters.set("tied", true);
            const ParameterLayout layout = layout_of(spec);
            for (const std::int64_t most : {std::int64_t{1}, std::int64_t{3'000}, std::int64_t{1} << 30}) {
                std::vector<GradientBucket> buckets = gradient_buckets(layout, most);
                for (std::size_t i = 1; i < buckets.size(); ++i)
                    EXPECT_LE(buckets[i - 1].stage, buckets[i].stage);
                std::sort(buckets.begin(), buckets.end(),
                          [](const auto& a, const auto& b) { return a.begin < b.begin; });
                EXPECT_EQ(buckets.front().begin, 0);
                EXPECT_EQ(buckets.back().end, layout.elements);
                for (std::size_t i = 1; i < buckets.size(); ++i)
                    EXPECT_EQ(buckets[i - 1].end, buckets[i].begin);
            }
        }
}

TEST(GradientBuckets, WaitForTheLastOfTheirOperands) {
    const ParameterLayout layout = layout_of(tiny_architecture("FS[w=4] x2"));
    const auto layers = static_cast<std::int64_t>(layout.layers.size());
    const std::vector<GradientBucket> fine = gradient_buckets(layout, 1);
    const auto stage = [&](const std::vector<GradientBucket>& buckets, const Operand& operand) {
        return buckets[static_cast<std::size_t>(bucket_at(buckets, operand.offset))].stage;
    };
    EXPECT_EQ(stage(fine, layout.head), 0);
    EXPECT_EQ(stage(fine, layout.final_norm), 0);
    EXPECT_EQ(stage(fine, layout.embedding), layers + 1);
    for (std::int64_t l = 0; l < layers; ++l)
        EXPECT_EQ(stage(fine, layout.layers[static_cast<std::size_t>(l)].gate_up), layers - l);
    EXPECT_EQ(fine.front().stage, 0) << "the head is summed while everything else is computed";
    const std::vector<GradientBucket> one = gradient_buckets(layout, layout.elements);
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one.front().stage, layers + 1);
}

}  // namespace
}  // namespace braid::testing
