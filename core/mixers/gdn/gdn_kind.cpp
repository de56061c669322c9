// Gated DeltaNet (paper Eq. 5, B.3): the delta rule with a data-dependent decay.
#include <cmath>

#include "core/mixers/gdn/gdn_shape.h"
#include "core/mixers/kind_makers.h"
#include "core/mixers/recurrent/recurrent_kind.h"

namespace braid {

GdnShape gdn_shape(const HeadGroup& group, const std::vector<ParameterDescription>& descriptions) {
    const std::int64_t key_dim = group.parameters.integer("head_dim", descriptions);
    const double expand = group.parameters.real("expand_v", descriptions);
    return {.heads = group.heads,
            .kv_heads = group.kv_heads,
            .key_dim = key_dim,
            .value_dim = std::llround(static_cast<double>(key_dim) * expand),
            .convolution = group.parameters.flag("conv", descriptions)};
}

namespace {

class GdnKind final : public RecurrentKind {
public:
    using RecurrentKind::RecurrentKind;

    // D times: q and k of K, v, output gate and output of V, decay and write strength; then A_log and dt_bias
    // of each kv head, the norm of a head's V, and 4 taps a channel of the convolution.
    MixerCost cost(const HeadGroup& group, const MixerContext& context) const override {
        const GdnShape s = gdn_shape(group, description().parameters);
        const std::int64_t matrices =
            context.d_model * (s.convolved() + 2 * s.kv_heads + 2 * s.value_dim * s.heads);
        const std::int64_t taps = s.convolution ? gdn_convolution_kernel * s.convolved() : 0;
        const std::int64_t parameters = matrices + 2 * s.kv_heads + s.value_dim + taps;
        const std::int64_t kept = s.convolution ? (gdn_convolution_kernel - 1) * s.convolved() : 0;
        return {.matrix_parameters = matrices,
                .paper_parameters = parameters,
                .total_parameters = parameters,
                .state_bytes = state_bytes(shape(group, context)) + 4 * kept};
    }

    double own_forward_flops(const HeadGroup& group, const MixerContext& context) const override {
        const GdnShape s = gdn_shape(group, description().parameters);
        const double taps =
            s.convolution ? static_cast<double>(2 * gdn_convolution_kernel * s.convolved()) : 0.0;
        return RecurrentKind::own_forward_flops(group, context) + taps;
    }

protected:
    RecurrentShape shape(const HeadGroup& group, const MixerContext&) const override {
        const GdnShape s = gdn_shape(group, description().parameters);
        return {.states = s.kv_heads,
                .readers = s.heads,
                .key_dim = s.key_dim,
                .value_dim = s.value_dim,
                .delta = true};
    }
};

}  // namespace

std::unique_ptr<MixerKind> make_gdn_kind() {
    return std::make_unique<GdnKind>(MixerDescription{
        .id = "gdn",
        .letter = 'G',
        .title = "Gated DeltaNet",
        .citation = "Yang et al., 2025",
        .equation = "S = exp(g_t) S_{t-1},  S_t = S + k_t (beta_t (v_t - S^T k_t))^T,  o_t = S_t^T q_t",
        .help =
            "Replaces what the state holds under a key instead of adding to it, and forgets by a decay read "
            "from the token. Keys, values, decay and write strength exist once a kv group.",
        .softmax = false,
        .recurrent = true,
        .parameters = {
            {.key = "head_dim",
             .label = "Head dimension",
             .unit = "channels",
             .help = "Width of q and k of a head: 46 matches the parameters of a full layer (paper Table 5).",
             .default_value = std::int64_t{46},
             .minimum = 1,
             .maximum = 512,
             .short_key = "d"},
            {.key = "expand_v",
             .label = "Value expansion",
             .help = "Width of v, gate and output over that of q and k, in whole channels; 1 in the paper.",
             .default_value = 1.0,
             .minimum = 1,
             .maximum = 4},
            {.key = "conv",
             .label = "Short convolution",
             .help =
                 "Causal convolution over 4 tokens on each channel of q, k and v; off in the paper, but for "
                 "its Table 7.",
             .default_value = false,
             .words = {{"conv", true}, {"noconv", false}}},
        }});
}

}  // namespace braid
