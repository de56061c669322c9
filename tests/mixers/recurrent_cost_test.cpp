// Counts of Lightning, Mamba-2 and Gated DeltaNet against the published integers and against sums written
// out.
#include <gtest/gtest.h>

#include <cmath>

#include "core/mixers/builtin.h"
#include "core/mixers/lightning/lightning_shape.h"
#include "core/spec/cost.h"
#include "core/spec/shorthand.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

ArchitectureSpec made(std::string_view pattern, std::string_view scale) {
    return instantiate(*parse_pattern(pattern, builtin_mixers()), *find_scale(scale));
}

ArchitectureCost priced(std::string_view pattern, std::string_view scale) {
    return cost(made(pattern, scale), builtin_mixers(), 16384);
}

struct Layer {
    char letter;
    const char* scale;
    std::int64_t paper;
    std::int64_t published;  // where it differs
};

class LayerCount : public testing::TestWithParam<Layer> {};

// Paper Tables 4, 5, 6; S5 by the same formulas.
INSTANTIATE_TEST_SUITE_P(
    Tables, LayerCount,
    testing::Values(
        Layer{'L', "S1", 1'502'208, 0}, Layer{'L', "S2", 2'625'536, 0}, Layer{'L', "S3", 4'060'160, 0},
        Layer{'L', "S4", 5'806'080, 0},
        Layer{'L', "S5", 2 * 1280 * 64 * 20 + 2 * 1280 * 64 * 2 + 128 * 1280 + 3 * 1280 * 3160, 0},
        Layer{'G', "S1", 1'496'114, 0}, Layer{'G', "S2", 2'627'634, 0}, Layer{'G', "S3", 4'075'570, 0},
        Layer{'G', "S4", 5'839'922, 0},
        Layer{'G', "S5", 1280 * (3 * 46 * 20 + 2 * 46 * 2 + 2 * 2) + 2 * 2 + 46 + 3 * 1280 * 3200, 0},
        Layer{'M', "S1", 1'575'570, 1'576'098}, Layer{'M', "S2", 2'789'912, 0},
        Layer{'M', "S3", 4'348'830, 4'349'470}, Layer{'M', "S4", 6'252'324, 6'253'092},
        Layer{'M', "S5", 1280 * (2 * 1280 + 2 * 2 * 16 + 20) + 1280 * 1280 + 3 * 20 + 1280 + 3 * 1280 * 3200,
              0}),
    [](const auto& each) { return std::string(1, each.param.letter) + each.param.scale; });

TEST_P(LayerCount, IsThePapersToTheInteger) {
    const ArchitectureCost found = priced(std::string(1, GetParam().letter), GetParam().scale);
    for (const LayerCost& layer : found.layers) {
        EXPECT_EQ(layer.paper_parameters, GetParam().paper);
        EXPECT_EQ(layer.published_parameters, GetParam().published);
    }
    const auto depth = static_cast<std::int64_t>(found.layers.size());
    const std::int64_t differs = GetParam().published > 0 ? GetParam().published - GetParam().paper : 0;
    EXPECT_EQ(found.published_parameters, differs == 0 ? 0 : found.paper_parameters + depth * differs);
}

TEST(RecurrentCost, PublishedCountsAreOfTheUnchangedLayerOnly) {
    EXPECT_EQ(priced("M[n=32]", "S1").published_parameters, 0);
    EXPECT_EQ(priced("{M:3 F:3}", "S1").published_parameters, 0);
    EXPECT_EQ(priced("MF", "S1").published_parameters, priced("MF", "S1").paper_parameters + 5 * 528);
}

TEST(RecurrentCost, StatesDoNotGrowWithTheContext) {
    const auto state = [](std::string_view pattern) { return priced(pattern, "S1").layers[0].state_bytes; };
    EXPECT_EQ(state("L"), 4 * 6 * 64 * 64);
    EXPECT_EQ(state("M"), 4 * 6 * 16 * 64);
    EXPECT_EQ(state("G"), 4 * 2 * 46 * 46);
    EXPECT_EQ(state("G[expand_v=2]"), 4 * 2 * 46 * 92);
    EXPECT_EQ(state("G[conv]"), 4 * 2 * 46 * 46 + 4 * 3 * 46 * (6 + 2 + 2));
    for (const char* pattern : {"L", "M", "G"}) {
        EXPECT_EQ(priced(pattern, "S1").kv_bytes, 0) << pattern;
        EXPECT_EQ(cost(made(pattern, "S1"), builtin_mixers(), 64).forward_flops_per_token,
                  priced(pattern, "S1").forward_flops_per_token)
            << pattern;
    }
}

TEST(RecurrentCost, OptionsOfGatedDeltaNetAreCounted) {
    const auto layer = [](std::string_view pattern) {
        return priced(pattern, "S1").layers[0].paper_parameters;
    };
    EXPECT_EQ(layer("G[conv]") - layer("G"), 4 * 46 * (6 + 2 + 2));
    EXPECT_EQ(layer("G[expand_v=2]") - layer("G"), 384 * 46 * (2 + 2 * 6) + 46);
    EXPECT_EQ(priced("G[d=5,expand_v=1.5]", "S1").layers[0].state_bytes, 4 * 2 * 5 * 8) << "whole channels";
}

TEST(RecurrentCost, LightningNarrowsTheFfnOfItsLayersOnly) {
    const ArchitectureSpec spec = made("LF", "S1");
    EXPECT_EQ(ffn_width(spec, 0, builtin_mixers()), 920);
    EXPECT_EQ(ffn_width(spec, 1, builtin_mixers()), 960);
    ArchitectureSpec narrow = spec;
    narrow.ffn_width = 40;
    const Diagnostics problems = validate(narrow, builtin_mixers());
    ASSERT_EQ(problems.size(), 1U) << "one rule of the model, however many layers break it";
    EXPECT_EQ(
        problems[0].message(),
        "ffn_width: must be more than 40 where a layer has Lightning, which narrows it by as much, got 40");
}

TEST(LightningDecay, IsTheOriginals) {
    const auto slope = [](std::int64_t head, std::int64_t heads) {
        return -lightning_log_decay(head, heads, {.layer = 0, .layers = 10}) / (1 + 1e-5);
    };
    const double six[] = {.25, .0625, .015625, .00390625, .5, .125};
    for (std::int64_t h = 0; h < 6; ++h) EXPECT_NEAR(slope(h, 6), six[h], 1e-15);
    for (std::int64_t h = 0; h < 8; ++h) EXPECT_NEAR(slope(h, 8), std::exp2(-double(h + 1)), 1e-15);
    EXPECT_NEAR(lightning_log_decay(0, 8, {.layer = 9, .layers = 10}), -0.5e-5, 1e-12)
        << "the deepest layer hardly forgets";
    EXPECT_LT(lightning_log_decay(0, 1, {.layer = 0, .layers = 1}), 0) << "a single layer";
}

}  // namespace
}  // namespace braid
