// Lightning attention (paper Eq. 3, B.2): linear attention whose heads forget at fixed rates.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/mixers/kind_makers.h"
#include "core/mixers/lightning/lightning_shape.h"
#include "core/mixers/recurrent/recurrent_kind.h"

namespace braid {

double lightning_log_decay(std::int64_t head, std::int64_t heads, const MixerContext& context) {
    // 2^(-8(h+1)/n) for n heads, a power of two; other counts take the next smaller power of two and fill up
    // with every second slope of the next larger one.
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
    const double slope =
        head < power
            ? std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(power))
            : std::exp2(-8.0 * static_cast<double>(2 * (head - power) + 1) / static_cast<double>(2 * power));
    const auto deepest = static_cast<double>(std::max<std::int64_t>(context.layers - 1, 1));
    return -slope * (1.0 - static_cast<double>(context.layer) / deepest + 1e-5);
}

namespace {

class LightningKind final : public RecurrentKind {
public:
    using RecurrentKind::RecurrentKind;

    Diagnostics validate(const HeadGroup&, const MixerContext& context, const std::string&) const override {
        if (context.ffn_width > lightning_narrowing) return {};
        return {{"ffn_width",
                 "must be more than " + std::to_string(lightning_narrowing) +
                     " where a layer has Lightning, which narrows it by as much",
                 std::to_string(context.ffn_width)}};
    }

    // Q and O of D x K*h, K and V of D x K*g, the gate's D x r and r x K*h.
    MixerCost cost(const HeadGroup& group, const MixerContext& context) const override {
        const std::int64_t inner = context.head_dim * group.heads;
        const std::int64_t rank = group.parameters.integer("gate_rank", description().parameters);
        const std::int64_t matrices = 2 * context.d_model * inner +
                                      2 * context.d_model * context.head_dim * group.kv_heads +
                                      rank * (context.d_model + inner);
        return {.matrix_parameters = matrices,
                .paper_parameters = matrices,
                .total_parameters = matrices,
                .state_bytes = state_bytes(shape(group, context))};
    }

    std::int64_t ffn_width(std::int64_t width) const override { return width - lightning_narrowing; }

protected:
    // A state of its own for each query head: heads of one kv group forget at different rates.
    RecurrentShape shape(const HeadGroup& group, const MixerContext& context) const override {
        return {.states = group.heads,
                .readers = group.heads,
                .key_dim = context.head_dim,
                .value_dim = context.head_dim};
    }
};

}  // namespace

std::unique_ptr<MixerKind> make_lightning_kind() {
    return std::make_unique<LightningKind>(MixerDescription{
        .id = "lightning",
        .letter = 'L',
        .title = "Lightning attention",
        .citation = "Qin et al., 2024",
        .equation = "S_t = g_h S_{t-1} + k_t v_t^T,  o_t = S_t^T q_t",
        .help = "Linear attention with one fixed decay a head, slow in deep layers. Its state is a matrix of "
                "constant size; what it holds fades with age.",
        .softmax = false,
        .recurrent = true,
        .parameters = {{.key = "gate_rank",
                        .label = "Gate rank",
                        .unit = "channels",
                        .help =
                            "Inner width of the low-rank output gate, whose 128 D parameters the FFN pays "
                            "for with 40 channels (paper B.2).",
                        .default_value = std::int64_t{64},
                        .minimum = 1,
                        .maximum = 4096,
                        .short_key = "rank"}}});
}

}  // namespace braid
