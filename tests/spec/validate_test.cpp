#include "core/spec/validate.h"

#include <gmock/gmock.h>

#include "core/mixers/builtin.h"
#include "core/spec/shorthand.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const MixerCatalog& mixers() { return builtin_mixers(); }

ArchitectureSpec made(std::string_view pattern, const char* scale = "S1") {
    return instantiate(*parse_pattern(pattern, mixers()), *find_scale(scale));
}

std::vector<std::string> messages(const ArchitectureSpec& spec) {
    std::vector<std::string> result;
    for (const Diagnostic& each : validate(spec, mixers())) result.push_back(each.message());
    return result;
}

HeadGroup& group(ArchitectureSpec& spec, std::size_t layer, std::size_t index = 0) {
    return spec.layers[layer].groups[index];
}

TEST(Validate, EveryPresetIsValidAtEveryScaleThatItIsFor) {
    for (const Preset& preset : presets())
        for (const Scale& scale : scales()) {
            if (!preset.scale.empty() && preset.scale != scale.name) continue;
            const auto pattern = parse_pattern(preset.pattern, mixers());
            ASSERT_TRUE(pattern) << preset.name;
            const ArchitectureSpec spec = instantiate(*pattern, scale);
            EXPECT_THAT(messages(spec), IsEmpty()) << preset.name << " at " << scale.name;
            EXPECT_EQ(static_cast<std::int64_t>(spec.layers.size()), scale.layers);
        }
}

TEST(Validate, AWindowThatIsTooSmall) {
    ArchitectureSpec spec = made("FS");
    group(spec, 3).parameters.set("window", std::int64_t{-1});
    EXPECT_THAT(messages(spec), ElementsAre("layers[3].window: must be at least 1, got -1"));
    spec = made("{F:2 S:4}");
    group(spec, 3, 1).parameters.set("window", std::int64_t{0});
    EXPECT_THAT(messages(spec), ElementsAre("layers[3].groups[1].window: must be at least 1, got 0"));
}

TEST(Validate, WhatTheModelGetsWrongIsSaidOnce) {
    ArchitectureSpec spec = made("FS");
    spec.head_dim = 63;
    EXPECT_THAT(messages(spec),
                ElementsAre("head_dim: must be even where a layer has RoPE, which turns pairs "
                            "of channels, got 63"));
    for (LayerSpec& layer : spec.layers) layer.groups[0].parameters.set("position", std::string("nope"));
    EXPECT_THAT(messages(spec), IsEmpty());

    spec = made("FS");
    spec.kv_heads = 4;
    for (LayerSpec& layer : spec.layers) layer.groups[0].kv_heads = 4;
    EXPECT_THAT(messages(spec), ElementsAre("kv_heads: must divide the 6 query heads, got 4"));

    spec = made("FS");
    spec.heads = 0;
    for (LayerSpec& layer : spec.layers) layer.groups[0].heads = 0;
    EXPECT_THAT(messages(spec), ElementsAre("heads: must be at least 1, got 0"));
}

TEST(Validate, LayersAndTheirIds) {
    ArchitectureSpec spec = made("F");
    spec.layers.clear();
    EXPECT_THAT(messages(spec), ElementsAre("layers: must have at least one layer"));
    spec = made("F x10000");
    EXPECT_THAT(messages(spec), IsEmpty());
    spec.layers.push_back(spec.layers.back());
    spec.layers.back().id = LayerId(10001);
    EXPECT_THAT(messages(spec), ElementsAre("layers: must have at most 10000 layers, got 10001"));
    spec = made("F");
    spec.layers[4].id = spec.layers[2].id;
    spec.layers[5].id = LayerId(0);
    spec.layers[6].groups.clear();
    EXPECT_THAT(messages(spec), ElementsAre("layers[4].id: must be unique, layers[2] has it too, got 3",
                                            "layers[5].id: must be at least 1, got 0",
                                            "layers[6].groups: must have at least one group of heads"));
}

TEST(Validate, HeadsOfLayersAndGroups) {
    ArchitectureSpec spec = made("F {F:2 S:4} F F F F F");
    group(spec, 0).heads = 4;
    group(spec, 1, 1).heads = 5;
    group(spec, 2).kv_heads = 1;
    group(spec, 3).heads = -1;
    group(spec, 4).kv_heads = 0;
    group(spec, 5).mixer = "hyena";
    group(spec, 6).parameters.set("windwo", std::int64_t{3});
    EXPECT_THAT(
        messages(spec),
        ElementsAre(
            "layers[0].heads: must be the model's 6 query heads, got 4",
            "layers[1].groups: query heads of the groups must add up to 6, got 7",
            "layers[2].kv_heads: must be the model's 2 kv heads, got 1",
            "layers[3].heads: must be at least 1, got -1", "layers[4].kv_heads: must be at least 1, got 0",
            "layers[5].mixer: must be one of full (F), swa (S), lightning (L), mamba2 (M), gdn (G), got "
            "\"hyena\"",
            "layers[6].windwo: is no parameter of Full attention (position, rope_base, ntk, rotary, "
            "rope_scaling, rope_factor, rope_context, rope_low, rope_high, rope_attention, logn, bias, "
            "qk_norm, sink)"));
}

// The "spec with 40 mistakes": each is reported, and nothing else.
TEST(Validate, FortyMistakesAreFortyDiagnostics) {
    ArchitectureSpec spec = made("FS x20");
    std::size_t mistakes = 0;
    const auto mistake = [&](auto& field, auto value) {
        field = value;
        ++mistakes;
    };
    mistake(spec.d_model, 0);
    mistake(spec.ffn_width, -5);
    mistake(spec.vocab, 1);
    mistake(spec.head_dim, 65);  // odd, with RoPE
    for (std::size_t i = 0; i < 6; ++i) {
        group(spec, 2 * i + 1).parameters.set("window", -static_cast<std::int64_t>(i));
        ++mistakes;
    }
    for (std::size_t i = 12; i < 18; ++i) mistake(group(spec, i).mixer, "mystery");
    for (std::size_t i = 18; i < 24; ++i) {
        group(spec, i).parameters.set("rope_base", 0.5);
        group(spec, i).parameters.set("position", std::string("alibi"));
        mistakes += 2;
    }
    for (std::size_t i = 24; i < 28; ++i) {
        mistake(group(spec, i).heads, 5);
        mistake(group(spec, i).kv_heads, 3);
    }
    for (std::size_t i = 28; i < 30; ++i) mistake(spec.layers[i].id, LayerId(1));
    mistake(spec.layers[30].id, LayerId(-4));
    group(spec, 31).parameters.set("sink", std::int64_t{1});
    ++mistakes;
    ASSERT_EQ(mistakes, 40U);
    const auto found = messages(spec);
    EXPECT_EQ(found.size(), 40U) << testing::PrintToString(found);
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), 40U);
}

}  // namespace
}  // namespace braid
