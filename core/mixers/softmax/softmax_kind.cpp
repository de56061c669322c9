#include "core/mixers/softmax/softmax_kind.h"

#include <algorithm>

namespace braid {

std::vector<ParameterDescription> softmax_parameters() {
    return {
        {.key = "position",
         .label = "Position",
         .help = "Rotary position embedding on queries and keys, or none (NoPE): the order of tokens then "
                 "comes from the causal mask and the other layers alone.",
         .default_value = std::string("rope"),
         .choices = {"rope", "nope"},
         .words = {{"rope", std::string("rope")}, {"nope", std::string("nope")}}},
        {.key = "rope_base",
         .label = "RoPE base",
         .help = "Base of the rotary frequencies: 1e5 in the paper, 5e5 in its 32K extension.",
         .default_value = 1e5,
         .minimum = 1,
         .maximum = 1e12,
         .only_if = "position=rope",
         .short_key = "base"},
        {.key = "ntk",
         .label = "NTK factor",
         .help = "How many times the training context the rotary frequencies are stretched to: the base is "
                 "multiplied by factor^(d/(d-2)). 1: as they are.",
         .default_value = 1.0,
         .minimum = 1,
         .maximum = 65536,
         .only_if = "position=rope"},
        {.key = "rotary",
         .label = "Rotated share",
         .help = "Part of a head's channels that RoPE turns, the first of them, rounded down to whole pairs; "
                 "the rest carries no position.",
         .default_value = 1.0,
         .minimum = 0.01,
         .maximum = 1,
         .only_if = "position=rope"},
        {.key = "rope_scaling",
         .label = "RoPE scaling",
         .help =
             "How frequencies change for contexts beyond the original one. linear: all are divided by the "
             "factor; dynamic: the base grows with the text's own length (NTK); yarn and llama3: slow "
             "frequencies are divided by the factor, fast ones stay.",
         .default_value = std::string("none"),
         .choices = {"none", "linear", "dynamic", "yarn", "llama3"},
         .only_if = "position=rope"},
        {.key = "rope_factor",
         .label = "Scaling factor",
         .help = "How many times the original context the frequencies are stretched to.",
         .default_value = 4.0,
         .minimum = 1,
         .maximum = 65536,
         .only_if = "rope_scaling=linear|dynamic|yarn|llama3"},
        {.key = "rope_context",
         .label = "Original context",
         .unit = "tokens",
         .help = "Context that the frequencies were trained for.",
         .default_value = std::int64_t{2048},
         .minimum = 1,
         .maximum = std::int64_t{1} << 27,
         .only_if = "rope_scaling=dynamic|yarn|llama3"},
        {.key = "rope_low",
         .label = "Slow below",
         .unit = "turns",
         .help = "Turns in the original context up to which a frequency is divided by the whole factor: "
                 "beta_slow of YaRN, low_freq_factor of Llama 3.",
         .default_value = 1.0,
         .minimum = 1e-3,
         .maximum = 1e6,
         .only_if = "rope_scaling=yarn|llama3"},
        {.key = "rope_high",
         .label = "Fast above",
         .unit = "turns",
         .help =
             "Turns in the original context from which a frequency stays as it is: beta_fast of YaRN (32), "
             "high_freq_factor of Llama 3 (4).",
         .default_value = 32.0,
         .minimum = 1e-3,
         .maximum = 1e6,
         .only_if = "rope_scaling=yarn|llama3"},
        {.key = "rope_attention",
         .label = "Attention factor",
         .help = "Multiplies rotated queries and keys (YaRN). 0: by 0.1 ln(factor) + 1.",
         .default_value = 0.0,
         .minimum = 0,
         .maximum = 100,
         .only_if = "rope_scaling=yarn"},
        {.key = "logn",
         .label = "Log-n scaling from",
         .unit = "tokens",
         .help =
             "Training context n: queries at t are multiplied by max(1, ln(t + 1) / ln(n)), so that longer "
             "contexts stay as sharp. 0: off.",
         .default_value = std::int64_t{0},
         .minimum = 0,
         .maximum = std::int64_t{1} << 27,
         .only_if = "position=nope"},
        {.key = "bias",
         .label = "Bias",
         .help = "A bias on queries, keys and values, as Qwen2 has it; none in the paper.",
         .default_value = false,
         .words = {{"bias", true}}},
        {.key = "qk_norm",
         .label = "Q/K norm",
         .help = "RMSNorm of each head's query and key, with a weight a channel that the heads share, before "
                 "RoPE, as Qwen3 has it; none in the paper.",
         .default_value = false,
         .words = {{"qknorm", true}}},
        {.key = "sink",
         .label = "Attention sink",
         .help = "One learnable logit a query head with zero value (init 0), so that a row may attend to "
                 "nothing (paper B.1).",
         .default_value = true,
         .words = {{"nosink", false}, {"sink", true}}},
    };
}

Diagnostics SoftmaxKind::validate(const HeadGroup& group, const MixerContext& context,
                                  const std::string& path) const {
    Diagnostics problems;
    const auto position = group.parameters.get("position", description_.parameters);
    if (position == ParameterValue(std::string("nope")) &&
        group.parameters.integer("logn", description_.parameters) == 1)
        problems.push_back({path + ".logn", "must be 0 (off) or at least 2", "1"});
    // A rule of the model, not of the layer: validate() lists it once.
    if (position == ParameterValue(std::string("rope")) && context.head_dim > 0 && context.head_dim % 2 != 0)
        problems.push_back({"head_dim", "must be even where a layer has RoPE, which turns pairs of channels",
                            std::to_string(context.head_dim)});
    if (position == ParameterValue(std::string("rope"))) {
        const std::string scaling = group.parameters.text("rope_scaling", description_.parameters);
        const double low = group.parameters.real("rope_low", description_.parameters);
        const double high = group.parameters.real("rope_high", description_.parameters);
        if ((scaling == "yarn" || scaling == "llama3") && !(low < high))
            problems.push_back(
                {path + ".rope_low", "must be below rope_high, " + to_text(high), to_text(low)});
        if (scaling == "yarn" && !(group.parameters.real("rope_base", description_.parameters) > 1))
            problems.push_back({path + ".rope_base", "must be above 1 for yarn scaling", "1"});
    }
    return problems;
}

RopeRule rope_rule(const ParameterValues& parameters, const std::vector<ParameterDescription>& described,
                   std::int64_t head_dim) {
    const auto real = [&](const char* key) { return parameters.real(key, described); };
    const std::string scaling = parameters.text("rope_scaling", described);
    RopeRule rule{.base = real("rope_base"), .rotary_dim = rotary_dim(head_dim, real("rotary"))};
    // NTK: the slowest frequency is stretched by the factor, the fastest not at all.
    rule.base = ntk_base(rule.base, real("ntk"), rule.rotary_dim);
    if (scaling == "none") return rule;
    rule.factor = real("rope_factor");
    if (scaling == "linear") {
        rule.scaling = RopeScaling::linear;
        return rule;
    }
    rule.context = parameters.integer("rope_context", described);
    if (scaling == "dynamic") {
        rule.scaling = RopeScaling::dynamic;
        return rule;
    }
    rule.scaling = scaling == "yarn" ? RopeScaling::yarn : RopeScaling::llama3;
    rule.low = real("rope_low");
    rule.high = real("rope_high");
    if (rule.scaling == RopeScaling::yarn) {
        const double given = real("rope_attention");
        rule.attention = given > 0 ? given : yarn_attention(rule.factor);
    }
    return rule;
}

MixerCost SoftmaxKind::cost(const HeadGroup& group, const MixerContext& context) const {
    const std::int64_t matrices = 2 * context.d_model * context.head_dim * group.heads +
                                  2 * context.d_model * context.head_dim * group.kv_heads;
    const auto has = [&](const char* key) { return group.parameters.flag(key, description_.parameters); };
    const std::int64_t small = (has("bias") ? context.head_dim * (group.heads + 2 * group.kv_heads) : 0) +
                               (has("qk_norm") ? 2 * context.head_dim : 0);
    constexpr std::int64_t bytes = 2;  // bf16
    return {.matrix_parameters = matrices,
            .paper_parameters = matrices + small,
            .total_parameters = matrices + small + (has("sink") ? group.heads : 0),
            .kv_bytes_per_token = 2 * context.head_dim * group.kv_heads * bytes,
            .kv_window = window(group),
            .state_bytes = 0};
}

double SoftmaxKind::mean_visible_keys(const HeadGroup& group, std::int64_t tokens) const {
    const std::int64_t kept = window(group) == 0 ? tokens : std::min(window(group), tokens);
    // The first `kept` positions see 1, 2, ... kept keys, the rest `kept`.
    const auto ramp = static_cast<double>(kept) * static_cast<double>(kept + 1) / 2;
    const auto flat = static_cast<double>(tokens - kept) * static_cast<double>(kept);
    return (ramp + flat) / static_cast<double>(tokens);
}

double SoftmaxKind::own_forward_flops(const HeadGroup&, const MixerContext&) const { return 0; }

}  // namespace braid
