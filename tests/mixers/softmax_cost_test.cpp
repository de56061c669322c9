// Counts of full and sliding-window attention against the published integers and against sums written out.
#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "core/mixers/builtin.h"
#include "core/spec/cost.h"
#include "core/spec/edit.h"
#include "core/spec/shorthand.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

ArchitectureSpec made(std::string_view pattern, std::string_view scale) {
    return instantiate(*parse_pattern(pattern, builtin_mixers()), *find_scale(scale));
}

ArchitectureCost priced(std::string_view pattern, std::string_view scale, std::int64_t context) {
    return cost(made(pattern, scale), builtin_mixers(), context);
}

struct Published {
    const char* scale;
    std::int64_t layer;
    double total_millions;
    double n_millions;
};

class PaperCount : public testing::TestWithParam<Published> {};

// Paper Tables 1, 4, 5, 6; S5's layer from the same formula.
INSTANTIATE_TEST_SUITE_P(Scales, PaperCount,
                         testing::Values(Published{"S1", 1'499'136, 71.4, 15.0},
                                         Published{"S2", 2'621'440, 106.7, 31.5},
                                         Published{"S3", 4'055'040, 158.9, 64.9},
                                         Published{"S4", 5'799'936, 217.2, 104.4},
                                         Published{"S5", 15'892'480, 664.8, 476.8}),
                         [](const auto& each) { return each.param.scale; });

TEST_P(PaperCount, OfFullAndSlidingWindowLayers) {
    for (const char* pattern : {"F", "S[w=128]F", "S[w=2048]", "{F:1 S:1}", "F[nope,nosink]"}) {
        const ArchitectureCost found = priced(pattern, GetParam().scale, 16384);
        for (const LayerCost& layer : found.layers)
            EXPECT_EQ(layer.paper_parameters, GetParam().layer) << pattern;
        EXPECT_EQ(found.non_embedding_parameters,
                  GetParam().layer * static_cast<std::int64_t>(found.layers.size()));
        EXPECT_NEAR(static_cast<double>(found.paper_parameters) / 1e6, GetParam().total_millions, 0.05);
        EXPECT_NEAR(static_cast<double>(found.non_embedding_parameters) / 1e6, GetParam().n_millions, 0.05);
    }
}

TEST(SoftmaxCost, EverythingAddsNormsAndSinks) {
    // S1: D 384, H 6, 10 layers, V 73,448.
    const ArchitectureCost found = priced("FS", "S1", 1024);
    EXPECT_EQ(found.layers[0].total_parameters, 1'499'136 + 2 * 384 + 6);
    EXPECT_EQ(found.total_parameters, 2 * 73'448 * 384 + 384 + 10 * (1'499'136 + 2 * 384 + 6));
    EXPECT_EQ(priced("F[nosink]S[nosink]", "S1", 1024).total_parameters, found.total_parameters - 60);
    // The tiny model, summed by hand: attention 4 x 64 x 64, FFN 3 x 64 x 160.
    EXPECT_EQ(priced("FS", "tiny", 128).total_parameters,
              64 * 64 + 64 * 64 + 64 + 4 * (4 * 64 * 64 + 3 * 64 * 160 + 2 * 64 + 2));
}

TEST(SoftmaxCost, KvBytesStopAtTheWindow) {
    // bf16: 2 x 64 x 2 kv heads x 2 bytes = 512 a token and layer.
    const ArchitectureCost found = priced("S[w=128]F", "S1", 16384);
    EXPECT_EQ(found.layers[0].kv_bytes_per_token, 512);
    EXPECT_EQ(found.layers[0].kv_bytes, 512 * 128);
    EXPECT_EQ(found.layers[1].kv_bytes, 512 * 16384);
    EXPECT_EQ(found.kv_bytes, 5 * 512 * (128 + 16384));
    EXPECT_EQ(found.kv_bytes_per_token, 10 * 512);
    EXPECT_EQ(found.state_bytes, 0);
    EXPECT_EQ(priced("S[w=128]F", "S1", 100).kv_bytes, 10 * 512 * 100);
    // Head-wise: each group keeps its own window. {F:3/1 S:3/1}
    EXPECT_EQ(priced("{F:1 S[w=128]:1}", "S1", 16384).layers[0].kv_bytes, 256 * 16384 + 256 * 128);
}

TEST(SoftmaxCost, VisibleKeysAreTheMeanOfTheMask) {
    for (const std::int64_t window : {1, 2, 16, 63, 100, 1000}) {
        const HeadGroup group = made("S[w=" + std::to_string(window) + "]", "S1").layers[0].groups[0];
        for (const std::int64_t tokens : {1, 7, 64, 100, 129}) {
            double seen = 0;
            for (std::int64_t query = 0; query < tokens; ++query)
                for (std::int64_t key = 0; key <= query; ++key) seen += key > query - window ? 1 : 0;
            EXPECT_DOUBLE_EQ(builtin_mixers().find("swa")->mean_visible_keys(group, tokens),
                             seen / static_cast<double>(tokens))
                << window << " " << tokens;
        }
    }
    EXPECT_DOUBLE_EQ(builtin_mixers().find("full")->mean_visible_keys({.mixer = "full"}, 16384), 8192.5);
}

TEST(SoftmaxCost, FlopsFollowTheDefinition) {
    const ArchitectureCost full = priced("F", "S1", 16384);
    const double head = 73'448.0 * 384;
    const double scores = 10 * 4 * 8192.5 * 64 * 6;
    EXPECT_DOUBLE_EQ(full.training_flops_per_token, 6 * (10 * 1'499'136.0 + head) + 3.5 * scores);
    EXPECT_DOUBLE_EQ(full.forward_flops_per_token, 2 * (10 * 1'499'136.0 + head) + scores);
    // Half of the layers see at most 128 keys: the attention of the 1:1 hybrid is about half.
    const ArchitectureCost hybrid = priced("S[w=128]F", "S1", 16384);
    const double linear = 6 * (10 * 1'499'136.0 + head);
    EXPECT_NEAR((hybrid.training_flops_per_token - linear) / (full.training_flops_per_token - linear), 0.5078,
                0.001);
}

TEST(SoftmaxCost, ContextIsClampedAndTheLargestModelFitsSixtyFourBits) {
    EXPECT_EQ(priced("F", "S1", 0).kv_bytes, priced("F", "S1", 1).kv_bytes);
    ArchitectureSpec spec = made("F x10000", "S1");
    for (const ParameterDescription& each : dimension_parameters())
        set_dimension(spec, each.key, static_cast<std::int64_t>(each.maximum));
    for (LayerSpec& layer : spec.layers) layer.groups[0].heads = layer.groups[0].kv_heads = 512;
    const ArchitectureCost found = cost(spec, builtin_mixers(), INT64_MAX);
    EXPECT_GT(found.kv_bytes, 0);
    EXPECT_NEAR(static_cast<double>(found.kv_bytes), 1e4 * 4 * 1024 * 512 * 134217728.0, 1e13);
    EXPECT_GT(found.total_parameters, 0);
}

// What a keystroke in the composer needs, all of it: the new spec, its problems, its cost and its text.
TEST(SoftmaxCost, AnEditOfAThousandLayersIsPricedInLessThanFiveMilliseconds) {
    ArchitectureSpec spec = made("{F:1 S[w=64]:2} S[w=16] F[nope] F x250", "S1");
    ASSERT_EQ(spec.layers.size(), 1000U);
    const std::array<LayerId, 1> edited = {LayerId(500)};
    using milliseconds = std::chrono::duration<double, std::milli>;
    milliseconds cost_alone(1e9);
    milliseconds whole(1e9);
    for (int i = 0; i < 100; ++i) {  // the quickest counts: others may use the cores meanwhile
        const auto start = std::chrono::steady_clock::now();
        spec = set_parameter(std::move(spec), edited, "rope_base", 1e4 + i, builtin_mixers());
        const Diagnostics problems = validate(spec, builtin_mixers());
        const auto before = std::chrono::steady_clock::now();
        const ArchitectureCost price = cost(spec, builtin_mixers(), 16384);
        const auto after = std::chrono::steady_clock::now();
        const std::string text = format_pattern(spec.layers, spec, builtin_mixers());
        whole = std::min<milliseconds>(whole, std::chrono::steady_clock::now() - start);
        cost_alone = std::min<milliseconds>(cost_alone, after - before);
        ASSERT_TRUE(problems.empty());
        ASSERT_GT(price.total_parameters, 0);
        ASSERT_FALSE(text.empty());
    }
    std::printf("1,000 layers: cost %.3f ms; edit, rules, cost and text %.3f ms\n", cost_alone.count(),
                whole.count());
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(cost_alone.count(), 5);
    EXPECT_LT(whole.count(), 5);
#endif
}

}  // namespace
}  // namespace braid
