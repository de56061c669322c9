// Mamba-2 (paper Eq. 4, B.4): a state-space layer in its dual form, one data-dependent decay a head.
#include "core/mixers/kind_makers.h"
#include "core/mixers/mamba2/mamba2_shape.h"
#include "core/mixers/recurrent/recurrent_kind.h"

namespace braid {

Mamba2Shape mamba2_shape(const HeadGroup& group, const MixerContext& context,
                         const std::vector<ParameterDescription>& descriptions) {
    const auto own_or = [&](const char* key, std::int64_t usual) {
        const std::int64_t own = group.parameters.integer(key, descriptions);
        return own > 0 ? own : usual;
    };
    const bool convolution = group.parameters.flag("conv", descriptions);
    return {.heads = own_or("ssm_heads", group.heads),
            .groups = own_or("ssm_groups", group.kv_heads),
            .width = own_or("ssm_head_dim", context.head_dim),
            .state = group.parameters.integer("state", descriptions),
            .convolution = convolution,
            .convolution_bias = convolution && group.parameters.flag("conv_bias", descriptions),
            .norm_eps = context.norm_eps};
}

namespace {

class Mamba2Kind final : public RecurrentKind {
public:
    using RecurrentKind::RecurrentKind;

    Diagnostics validate(const HeadGroup& group, const MixerContext& context,
                         const std::string& path) const override {
        const Mamba2Shape s = mamba2_shape(group, context, description().parameters);
        const bool own = group.parameters.find("ssm_heads") || group.parameters.find("ssm_groups");
        if (!own || s.groups < 1 || s.heads % s.groups == 0) return {};  // else the layer's heads are wrong
        return {{path + ".ssm_groups", "must divide the " + std::to_string(s.heads) + " heads",
                 std::to_string(s.groups)}};
    }

    // In: z and x of the inner width P*h, B and C of N*g, dt of h. Out: P*h x D. Then A_log, D and dt_bias of
    // each head, the norm of the inner width, and taps and bias of the convolution over x, B and C.
    MixerCost cost(const HeadGroup& group, const MixerContext& context) const override {
        const Mamba2Shape s = mamba2_shape(group, context, description().parameters);
        const std::int64_t matrices =
            context.d_model * (s.inner() + s.convolved() + s.heads) + s.inner() * context.d_model;
        const std::int64_t taps = s.convolution ? mamba2_convolution_kernel * s.convolved() : 0;
        const std::int64_t bias = s.convolution_bias ? s.convolved() : 0;
        const std::int64_t parameters = matrices + 3 * s.heads + s.inner() + taps + bias;
        const std::int64_t kept = s.convolution ? (mamba2_convolution_kernel - 1) * s.convolved() : 0;
        return {.matrix_parameters = matrices,
                .paper_parameters = parameters,
                .total_parameters = parameters,
                .state_bytes = state_bytes(shape(group, context)) + 4 * kept};
    }

    double own_forward_flops(const HeadGroup& group, const MixerContext& context) const override {
        const Mamba2Shape s = mamba2_shape(group, context, description().parameters);
        const double taps =
            s.convolution ? static_cast<double>(2 * mamba2_convolution_kernel * s.convolved()) : 0.0;
        return RecurrentKind::own_forward_flops(group, context) + taps;
    }

protected:
    // B and C, the keys and queries, are shared by the heads of a group; decay and values are the head's own.
    RecurrentShape shape(const HeadGroup& group, const MixerContext& context) const override {
        const Mamba2Shape s = mamba2_shape(group, context, description().parameters);
        return {.states = s.heads, .readers = s.heads, .key_dim = s.state, .value_dim = s.width};
    }
};

}  // namespace

std::unique_ptr<MixerKind> make_mamba2_kind() {
    return std::make_unique<Mamba2Kind>(MixerDescription{
        .id = "mamba2",
        .letter = 'M',
        .title = "Mamba-2",
        .citation = "Dao and Gu, 2024",
        .equation = "S_t = exp(dt_t A_h) S_{t-1} + dt_t B_t x_t^T,  y_t = S_t^T C_t + D_h x_t",
        .help =
            "State-space layer whose step size dt, read from the token, sets both how much is written and "
            "how much is forgotten. The convolution of its reference implementation is off in the paper "
            "(B.4).",
        .softmax = false,
        .recurrent = true,
        .parameters = {{.key = "state",
                        .label = "State size",
                        .unit = "channels",
                        .help = "Rows N of the state of each head; the width of B and C.",
                        .default_value = std::int64_t{16},
                        .minimum = 1,
                        .maximum = 1024,
                        .short_key = "n"},
                       {.key = "ssm_heads",
                        .label = "Own heads",
                        .help = "Heads of the state-space layer. 0: as many as the layer's query heads.",
                        .default_value = std::int64_t{0},
                        .minimum = 0,
                        .maximum = 4096},
                       {.key = "ssm_groups",
                        .label = "Own groups",
                        .help = "Groups of heads that share B and C. 0: as many as the layer's kv heads.",
                        .default_value = std::int64_t{0},
                        .minimum = 0,
                        .maximum = 4096},
                       {.key = "ssm_head_dim",
                        .label = "Own head dimension",
                        .unit = "channels",
                        .help = "Width P of a head. 0: the model's head dimension.",
                        .default_value = std::int64_t{0},
                        .minimum = 0,
                        .maximum = 1024},
                       {.key = "conv",
                        .label = "Short convolution",
                        .help =
                            "Causal convolution over 4 tokens on each channel of x, B and C, then SiLU; off "
                            "in the paper.",
                        .default_value = false,
                        .words = {{"conv", true}, {"noconv", false}}},
                       {.key = "conv_bias",
                        .label = "Convolution bias",
                        .help = "A bias on each channel of the convolution.",
                        .default_value = false,
                        .only_if = "conv=true"}},
        // Table 6. The formula gives 528, 640 and 768 fewer; at S2 it agrees.
        .published = {{"S1", 1'576'098}, {"S3", 4'349'470}, {"S4", 6'253'092}}});
}

}  // namespace braid
