// Mamba-2 (paper Eq. 4, B.4): a state-space layer in its dual form, one data-dependent decay a head.
#include <array>

#include "core/mixers/kind_makers.h"
#include "core/mixers/recurrent/recurrent_kind.h"

namespace braid {
namespace {

class Mamba2Kind final : public RecurrentKind {
public:
    using RecurrentKind::RecurrentKind;

    // In: z and x of the inner width P*h, B and C of N*g, dt of h. Out: P*h x D. Then A_log, D and dt_bias of
    // each head and the norm of the inner width.
    MixerCost cost(const HeadGroup& group, const MixerContext& context) const override {
        const RecurrentShape s = shape(group, context);
        const std::int64_t inner = s.value_dim * group.heads;
        const std::int64_t matrices =
            context.d_model * (2 * inner + 2 * s.key_dim * group.kv_heads + group.heads) +
            inner * context.d_model;
        const std::int64_t parameters = matrices + 3 * group.heads + inner;
        return {.matrix_parameters = matrices,
                .paper_parameters = parameters,
                .total_parameters = parameters,
                .state_bytes = state_bytes(s)};
    }

protected:
    // B and C, the keys and queries, are shared by the heads of a kv group; decay and values are the head's
    // own.
    RecurrentShape shape(const HeadGroup& group, const MixerContext& context) const override {
        return {.states = group.heads,
                .readers = group.heads,
                .key_dim = group.parameters.integer("state", description().parameters),
                .value_dim = context.head_dim};
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
            "how much is forgotten. Without the convolution of its reference implementation (paper B.4).",
        .softmax = false,
        .recurrent = true,
        .parameters = {{.key = "state",
                        .label = "State size",
                        .unit = "channels",
                        .help = "Rows N of the state of each head; the width of B and C.",
                        .default_value = std::int64_t{16},
                        .minimum = 1,
                        .maximum = 1024,
                        .short_key = "n"}},
        // Table 6. The formula gives 528, 640 and 768 fewer; at S2 it agrees.
        .published = {{"S1", 1'576'098}, {"S3", 4'349'470}, {"S4", 6'253'092}}});
}

}  // namespace braid
