// config.json of transformers to an architecture and back; what cannot be followed is refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/engine/hf/export_hf.h"
#include "core/engine/hf/hf_config.h"
#include "core/engine/hf/hf_tensors.h"
#include "core/mixers/builtin.h"
#include "core/spec/scale.h"
#include "core/spec/shorthand.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Json small(const std::string& type) {
    return {{"model_type", type},      {"hidden_size", 48},      {"intermediate_size", 96},
            {"vocab_size", 211},       {"num_hidden_layers", 3}, {"num_attention_heads", 4},
            {"num_key_value_heads", 2}};
}

Json with(Json config, const Json& more) {
    config.update(more);
    return config;
}

ArchitectureSpec read(const Json& config) {
    const auto model = architecture_from_hf(config, "m");
    EXPECT_TRUE(model) << (model ? "" : to_error(model.error()).message);
    return model ? model->architecture : ArchitectureSpec();
}

std::string layers(const ArchitectureSpec& spec) {
    return format_pattern(spec.layers, spec, builtin_mixers());
}

std::vector<std::string> problems(const Json& config) {
    const auto model = architecture_from_hf(config, "m");
    std::vector<std::string> texts;
    if (!model)
        for (const Diagnostic& each : model.error()) texts.push_back(each.message());
    return texts;
}

TEST(HfConfig, FamiliesHaveTheirLayers) {
    EXPECT_EQ(layers(read(small("llama"))), "F[base=10000,nosink] x3");
    EXPECT_EQ(layers(read(with(small("mistral"), {{"sliding_window", 16}}))), "S[w=16,base=10000,nosink] x3");
    EXPECT_EQ(layers(read(small("mistral"))), "S[w=4096,base=10000,nosink] x3")
        << "the default of transformers";
    EXPECT_EQ(layers(read(with(small("mistral"), {{"sliding_window", nullptr}}))), "F[base=10000,nosink] x3");
    EXPECT_EQ(layers(read(small("qwen2"))), "F[base=10000,bias,nosink] x3");
    EXPECT_EQ(layers(read(with(small("qwen2"), {{"use_sliding_window", true}, {"max_window_layers", 2}}))),
              "F[base=10000,bias,nosink] x2 S[w=4096,base=10000,bias,nosink]");
    const ArchitectureSpec qwen3 = read(small("qwen3"));
    EXPECT_EQ(qwen3.head_dim, 128) << "the default of transformers";
    EXPECT_EQ(layers(qwen3), "F[base=10000,qknorm,nosink] x3");
    const ArchitectureSpec bamba = read(
        with(small("bamba"), {{"attn_layer_indices", {1}}, {"mamba_n_heads", 6}, {"mamba_d_state", 16}}));
    EXPECT_EQ(layers(bamba),
              "M[ssm_heads=6,ssm_groups=1,ssm_head_dim=16,conv,conv_bias=true]F[base=10000,rotary=0.5,nosink]"
              "M[ssm_heads=6,ssm_groups=1,ssm_head_dim=16,conv,conv_bias=true] x1");
    EXPECT_DOUBLE_EQ(norm_eps(bamba), 1e-5);
}

TEST(HfConfig, RopeOfBothGenerations) {
    const auto of = [](const Json& more) {
        const std::string text = layers(read(with(small("llama"), more)));
        return text.substr(0, text.rfind(",nosink"));
    };
    EXPECT_EQ(of({{"rope_theta", 5e5}}), "F[base=5e5");
    EXPECT_EQ(of({{"rope_scaling", {{"type", "linear"}, {"factor", 2.0}}}}),
              "F[base=10000,rope_scaling=linear,rope_factor=2");
    EXPECT_EQ(of({{"rope_parameters", {{"rope_type", "linear"}, {"factor", 2.0}, {"rope_theta", 3e4}}}}),
              "F[base=30000,rope_scaling=linear,rope_factor=2");
    EXPECT_EQ(
        of({{"rope_scaling", {{"rope_type", "dynamic"}, {"factor", 2.0}}}, {"max_position_embeddings", 64}}),
        "F[base=10000,rope_scaling=dynamic,rope_factor=2,rope_context=64");
    EXPECT_EQ(of({{"rope_scaling",
                   {{"rope_type", "llama3"},
                    {"factor", 8.0},
                    {"low_freq_factor", 1.0},
                    {"high_freq_factor", 4.0},
                    {"original_max_position_embeddings", 8192}}}}),
              "F[base=10000,rope_scaling=llama3,rope_factor=8,rope_context=8192,rope_high=4");
    EXPECT_EQ(
        of({{"rope_scaling", {{"rope_type", "yarn"}, {"factor", 4.0}}}, {"max_position_embeddings", 4096}}),
        "F[base=10000,rope_scaling=yarn,rope_context=4096");
    const Json default_parameters = {{"rope_type", "default"}, {"rope_theta", 5e5}};
    const Json linear = {{"rope_type", "linear"}, {"factor", 2.0}};
    EXPECT_EQ(of({{"rope_scaling", linear}, {"rope_parameters", default_parameters}}),
              "F[base=5e5,rope_scaling=linear,rope_factor=2")
        << "transformers 4 reads rope_scaling alone, 5 reads it first";
    EXPECT_EQ(of({{"rope_scaling", linear}, {"rope_parameters", default_parameters}, {"rope_theta", 3e4}}),
              "F[base=30000,rope_scaling=linear,rope_factor=2");
    for (const Json& empty : {Json(nullptr), Json::object()})
        EXPECT_EQ(of({{"rope_scaling", empty}, {"rope_parameters", default_parameters}}), "F[base=5e5");
}

TEST(HfConfig, AContextThatAFileLeavesOutIsTheFamilys) {
    for (const auto& [family, context] : {std::pair{"llama", 2048}, std::pair{"mistral", 131'072},
                                          std::pair{"qwen2", 32'768}, std::pair{"qwen3", 32'768}}) {
        const ArchitectureSpec spec =
            read(with(small(family), {{"rope_scaling", {{"rope_type", "dynamic"}, {"factor", 2.0}}}}));
        const HeadGroup& group = spec.layers.front().groups.front();
        EXPECT_EQ(group.parameters.integer("rope_context",
                                           builtin_mixers().find(group.mixer)->description().parameters),
                  context)
            << family;
    }
    EXPECT_EQ(hf_context("bamba"), 262'144);
}

TEST(HfConfig, NoKeyValueHeadsMeansOneForEachQueryHead) {
    for (const char* family : {"llama", "mistral", "qwen2", "qwen3", "bamba"}) {
        Json config = small(family);
        config["mamba_n_heads"] = 6;
        config["num_key_value_heads"] = nullptr;
        EXPECT_EQ(read(config).kv_heads, 4) << family;
    }
    Json absent = with(small("mistral"), {{"num_attention_heads", 16}, {"head_dim", 8}});
    absent.erase("num_key_value_heads");
    EXPECT_EQ(read(absent).kv_heads, 8);
}

TEST(HfConfig, WhatCannotBeFollowedIsRefusedByNameAllAtOnce) {
    EXPECT_THAT(
        problems(with(small("llama"), {{"hidden_act", "gelu"},
                                       {"quantization_config", {{"bits", 4}}},
                                       {"attention_bias", true},
                                       {"mlp_bias", true},
                                       {"num_local_experts", 8},
                                       {"partial_rotary_factor", 0.5},
                                       {"attention_dropout", 0.1},
                                       {"rope_scaling", {{"rope_type", "longrope"}, {"factor", 2.0}}},
                                       {"logits_scaling", 8.0},
                                       {"layer_types", {"full_attention", "chunked_attention"}}})),
        UnorderedElementsAre(HasSubstr("hidden_act: must be silu"), HasSubstr("quantization_config:"),
                             HasSubstr("attention_bias:"), HasSubstr("mlp_bias:"),
                             HasSubstr("num_local_experts:"), HasSubstr("partial_rotary_factor:"),
                             HasSubstr("rope_scaling.rope_type: must be default, linear, dynamic, yarn or "
                                       "llama3, got \"longrope\""),
                             HasSubstr("logits_scaling:"), HasSubstr("layer_types:")));
    EXPECT_THAT(problems({{"model_type", "gpt_oss"}}),
                ElementsAre(HasSubstr("model_type: must be one of llama, ")));
    EXPECT_THAT(problems(Json::array()), ElementsAre(HasSubstr("must be an object")));
    EXPECT_THAT(problems(with(small("bamba"), {{"mamba_d_conv", 8},
                                               {"mamba_proj_bias", true},
                                               {"mamba_n_groups", 2},
                                               {"attn_layer_indices", {9}},
                                               {"mamba_n_heads", 7},
                                               {"time_step_limit", {0.0, 1.0}}})),
                UnorderedElementsAre(HasSubstr("mamba_d_conv: must be 4"), HasSubstr("mamba_proj_bias:"),
                                     HasSubstr("mamba_n_groups: must be 1"), HasSubstr("attn_layer_indices:"),
                                     HasSubstr("mamba_n_heads:"), HasSubstr("time_step_limit:")));
}

TEST(HfConfig, RopeThatTheFamiliesHaveNotIsRefused) {
    const Json one = {{"rope_type", "default"}, {"rope_theta", 1e6}};
    EXPECT_THAT(problems(with(small("qwen3"),
                              {{"rope_parameters", {{"full_attention", one}, {"sliding_attention", one}}}})),
                UnorderedElementsAre(HasSubstr("rope_parameters.full_attention: must not be given"),
                                     HasSubstr("rope_parameters.sliding_attention: must not be given")));
    EXPECT_THAT(problems(with(small("llama"), {{"rope_parameters", {{"partial_rotary_factor", 0.5}}}})),
                ElementsAre("partial_rotary_factor: must be 1 in a llama model, got 0.5"));
    EXPECT_THAT(problems(with(small("llama"), {{"rope_scaling", "linear"}})),
                ElementsAre(HasSubstr("rope_scaling: must be an object")));
    const auto bamba = [](double share) {
        return with(small("bamba"), {{"attn_layer_indices", {1}},
                                     {"mamba_n_heads", 6},
                                     {"head_dim", 12},
                                     {"partial_rotary_factor", share}});
    };
    EXPECT_THAT(problems(bamba(0.25)), ElementsAre(HasSubstr("partial_rotary_factor: times head_dim must be "
                                                             "an even number of channels, not 3")));
    EXPECT_THAT(problems(bamba(0.05)), ElementsAre(HasSubstr("even number of channels, not 0")));
    EXPECT_THAT(problems(bamba(0.5)), IsEmpty());
}

TEST(HfConfig, WindowsWithoutALengthAreRefused) {
    const Json config =
        with(small("qwen3"), {{"layer_types", {"full_attention", "sliding_attention", "sliding_attention"}}});
    EXPECT_THAT(problems(config), ElementsAre(HasSubstr("use_sliding_window: must be true")));
    EXPECT_THAT(problems(with(config, {{"use_sliding_window", true}, {"sliding_window", nullptr}})),
                ElementsAre(HasSubstr("sliding_window: must be given")));
    EXPECT_EQ(layers(read(with(config, {{"use_sliding_window", true}, {"sliding_window", 8}}))),
              "F[base=10000,qknorm,nosink] (S[w=8,base=10000,qknorm,nosink])x2");
}

TEST(HfConfig, WrongDimensionsAreSaidInTheFilesOwnNames) {
    EXPECT_THAT(problems(with(small("llama"), {{"num_key_value_heads", 3}})),
                ElementsAre("num_key_value_heads: must divide the 4 query heads, got 3"));
    EXPECT_THAT(problems(with(small("mistral"), {{"sliding_window", 0}})),
                ElementsAre("sliding_window: must be at least 1, got 0"));
    EXPECT_THAT(problems(with(small("llama"), {{"head_dim", 7}})),
                ElementsAre(HasSubstr("head_dim: must be even")));
    EXPECT_THAT(problems(with(small("llama"), {{"hidden_size", "48"}})),
                Contains(HasSubstr("hidden_size: must be a whole number")));
    EXPECT_THAT(problems(with(small("llama"), {{"num_hidden_layers", 2'000'000'000}})),
                ElementsAre(HasSubstr("num_hidden_layers: must be from 1 to")));
    EXPECT_THAT(problems(with(small("llama"), {{"rms_norm_eps", -1.0}})),
                ElementsAre(HasSubstr("rms_norm_eps:")));
    Json config = small("llama");
    config.erase("hidden_size");
    EXPECT_THAT(problems(config), Contains("hidden_size: must be given"));
}

TEST(HfConfig, UnknownKeysAreNotedNotRefused) {
    const auto model =
        architecture_from_hf(with(small("llama"), {{"my_setting", 3}, {"bos_token_id", 1}}), "m");
    ASSERT_TRUE(model);
    EXPECT_THAT(model->notes, ElementsAre(HasSubstr("my_setting")));
}

// Written and read again: the same architecture, for everything that has a class.
TEST(HfConfig, WhatHasAClassComesBack) {
    for (const auto& [pattern, family] :
         {std::pair{"F[nosink] x3", "llama"}, std::pair{"F[nosink,base=5e5,rope_scaling=linear] x3", "llama"},
          std::pair{"F[nosink,rope_scaling=yarn,rope_attention=1.5,rope_low=2] x3", "llama"},
          std::pair{"F[nosink,rope_scaling=llama3,rope_high=4] x3", "llama"},
          std::pair{"F[nosink,rope_scaling=dynamic,rope_context=77] x3", "llama"},
          std::pair{"S[w=9,nosink] x3", "mistral"}, std::pair{"F[nosink,bias]S[w=9,nosink,bias] x2", "qwen2"},
          std::pair{"S[w=9,nosink,qknorm]F[nosink,qknorm] x2", "qwen3"},
          std::pair{"M[conv,ssm_groups=1]F[nosink,rotary=0.5]M[conv,ssm_groups=1] x1", "bamba"},
          std::pair{"M[conv,conv_bias=true,ssm_groups=1]F[nosink] x1", "bamba"}}) {
        ArchitectureSpec spec = instantiate(*parse_pattern(pattern, builtin_mixers()), *find_scale("S1"));
        spec.parameters.set("norm_eps", 1e-5);
        spec.parameters.set("tied", true);
        const auto target = hf_class_of(spec);
        ASSERT_TRUE(target) << pattern << ": " << target.error().front();
        EXPECT_EQ(target->model_type, family) << pattern;
        const auto back = architecture_from_hf(hf_config(spec, *target, std::nullopt, 512), "m");
        ASSERT_TRUE(back) << pattern << ": " << to_error(back.error()).message;
        // Mamba-2's own heads are written out; they are the same as the layer's.
        if (family == std::string("bamba"))
            EXPECT_TRUE(validate(back->architecture, builtin_mixers()).empty());
        else
            EXPECT_EQ(content_hash(back->architecture, builtin_mixers()),
                      content_hash(spec, builtin_mixers()))
                << pattern << " came back as " << layers(back->architecture);
    }
}

TEST(HfConfig, EveryWayToReadTheRopeOfAHybridSaysAllOfIt) {
    for (const auto& [rotary, share] : {std::pair{"", 1.0}, std::pair{",rotary=0.5", 0.5}}) {
        std::string pattern = "M[conv,ssm_groups=1]F[nosink,base=5e5,rope_scaling=linear,rope_factor=2";
        pattern.append(rotary).append("] x1");
        const ArchitectureSpec spec =
            instantiate(*parse_pattern(pattern, builtin_mixers()), *find_scale("S1"));
        const auto target = hf_class_of(spec);
        ASSERT_TRUE(target) << target.error().front();
        const Json config = hf_config(spec, *target, std::nullopt, 512);
        EXPECT_EQ(config["partial_rotary_factor"], share);
        for (const char* key : {"rope_scaling", "rope_parameters"})
            EXPECT_EQ(config[key], (Json{{"rope_type", "linear"},
                                         {"factor", 2.0},
                                         {"rope_theta", 5e5},
                                         {"partial_rotary_factor", share}}));
    }
}

TEST(HfConfig, AGivenContextGoesBeforeTheSources) {
    const ArchitectureSpec spec =
        instantiate(*parse_pattern("F[nosink] x1", builtin_mixers()), *find_scale("S1"));
    const HfClass target = *hf_class_of(spec);
    const auto context = [&](const std::optional<Json>& source, std::int64_t given) {
        return hf_config(spec, target, source, given)["max_position_embeddings"];
    };
    const Json source = {{"model_type", "llama"}, {"max_position_embeddings", 4096}};
    EXPECT_EQ(context(source, 512), 512);
    EXPECT_EQ(context(source, 0), 4096);
    EXPECT_EQ(context(Json{{"model_type", "mistral"}}, 0), 131'072);
    EXPECT_EQ(context(std::nullopt, 0), 2048);
}

TEST(HfConfig, WhatHasNoClassSaysWhy) {
    const auto reasons = [](const char* pattern) {
        const auto target =
            hf_class_of(instantiate(*parse_pattern(pattern, builtin_mixers()), *find_scale("S1")));
        return target ? std::string() : target.error().front();
    };
    EXPECT_EQ(reasons("FS x2"), "no class: layers[0] has an attention sink");
    EXPECT_EQ(reasons("F[nosink]F[base=5e5,nosink] x2"),
              "no class: layers[1] has other RoPE, bias or norm settings than an earlier layer");
    EXPECT_THAT(reasons("F[nosink]L x2"), HasSubstr("layers[1] is Lightning"));
    EXPECT_THAT(reasons("F[nosink]G x2"), HasSubstr("Gated DeltaNet"));
    EXPECT_THAT(reasons("{F[nosink]:3 S[nosink]:3} x2"), HasSubstr("mixes heads"));
    EXPECT_THAT(reasons("F[nope,nosink] x2"), HasSubstr("has no RoPE"));
    EXPECT_THAT(reasons("S[w=4,nosink]S[w=8,nosink] x2"), HasSubstr("another window"));
    EXPECT_THAT(reasons("F[nosink,bias,qknorm] x2"), HasSubstr("both a bias and a norm"));
    EXPECT_THAT(reasons("F[nosink,rotary=0.5] x2"), HasSubstr("only a part of each head"));
    EXPECT_THAT(reasons("M[conv] x2"), HasSubstr("it has no attention layer"));
    EXPECT_THAT(reasons("MF[nosink] x2"), HasSubstr("no short convolution"));
    EXPECT_THAT(reasons("M[conv]F[nosink] x2"), HasSubstr("several groups"));
    EXPECT_THAT(reasons("F[nosink] x2"), IsEmpty());
}

TEST(HfTensors, HybridLayersHaveTheirOwnNames) {
    const ArchitectureSpec spec = instantiate(
        *parse_pattern("M[conv,conv_bias=true]F[nosink] x1", builtin_mixers()), *find_scale("S1"));
    const auto tensors = hf_tensors(spec, "bamba");
    ASSERT_TRUE(tensors);
    std::vector<std::string> names;
    for (const HfTensor& each : *tensors) {
        names.push_back(each.theirs);
        if (each.theirs == "model.layers.0.mamba.conv1d.weight") {
            EXPECT_EQ(each.their_shape, (std::vector<std::int64_t>{each.own_shape[0], 1, 4}));
        } else {
            EXPECT_EQ(each.their_shape, each.own_shape) << each.theirs;
        }
    }
    std::sort(names.begin(), names.end());
    EXPECT_THAT(
        names,
        ElementsAre(
            "lm_head.weight", "model.embed_tokens.weight", "model.final_layernorm.weight",
            "model.layers.0.feed_forward.down_proj.weight", "model.layers.0.feed_forward.gate_proj.weight",
            "model.layers.0.feed_forward.up_proj.weight", "model.layers.0.input_layernorm.weight",
            "model.layers.0.mamba.A_log", "model.layers.0.mamba.D", "model.layers.0.mamba.conv1d.bias",
            "model.layers.0.mamba.conv1d.weight", "model.layers.0.mamba.dt_bias",
            "model.layers.0.mamba.in_proj.weight", "model.layers.0.mamba.norm.weight",
            "model.layers.0.mamba.out_proj.weight", "model.layers.0.pre_ff_layernorm.weight",
            "model.layers.1.feed_forward.down_proj.weight", "model.layers.1.feed_forward.gate_proj.weight",
            "model.layers.1.feed_forward.up_proj.weight", "model.layers.1.input_layernorm.weight",
            "model.layers.1.pre_ff_layernorm.weight", "model.layers.1.self_attn.k_proj.weight",
            "model.layers.1.self_attn.o_proj.weight", "model.layers.1.self_attn.q_proj.weight",
            "model.layers.1.self_attn.v_proj.weight"));
}

}  // namespace
}  // namespace braid
