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
    return problems;
}

MixerCost SoftmaxKind::cost(const HeadGroup& group, const MixerContext& context) const {
    const std::int64_t matrices = 2 * context.d_model * context.head_dim * group.heads +
                                  2 * context.d_model * context.head_dim * group.kv_heads;
    const bool sink = group.parameters.flag("sink", description_.parameters);
    constexpr std::int64_t bytes = 2;  // bf16
    return {.matrix_parameters = matrices,
            .paper_parameters = matrices,
            .total_parameters = matrices + (sink ? group.heads : 0),
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
