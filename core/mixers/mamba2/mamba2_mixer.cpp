// Mamba-2 (paper Eq. 4, B.4): in_proj gives z, x, B, C and dt; B and C are keys and queries shared by the
// heads of a kv group, dt x is written; the output is rms(y silu(z)) over the inner width.
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

#include "core/mixers/builtin.h"
#include "core/mixers/torch/columns.h"
#include "core/mixers/torch/make_mixer.h"
#include "core/mixers/torch/softplus_decay.h"

namespace braid {
namespace {

constexpr LinearRule linear_rule{};
constexpr GatedNormRule norm_rule{.eps = 1e-6, .gate_first = true};

class Mamba2Mixer final : public Mixer {
public:
    Mamba2Mixer(const HeadGroup& group, const MixerContext& context)
        : heads_(group.heads), groups_(group.kv_heads), width_(context.head_dim) {
        state_ =
            group.parameters.integer("state", builtin_mixers().find(group.mixer)->description().parameters);
    }

    std::vector<ProjectionRequest> projections() const override {
        return {{"in_proj", 2 * output_width() + 2 * groups_ * state_ + heads_}};
    }
    std::vector<VectorRequest> vectors() const override {
        return {{.name = "A_log", .size = heads_, .init = Init::log_of_1_to_16},
                {.name = "dt_bias", .size = heads_, .init = Init::inverse_softplus_dt},
                {.name = "D", .size = heads_, .init = Init::ones},
                {.name = "norm.weight", .size = output_width(), .init = Init::ones}};
    }
    std::int64_t output_width() const override { return heads_ * width_; }

    // States to start the backward pass from, y, dt and the decays.
    MixerMemory allocate(Ops& ops, std::int64_t batch, std::int64_t tokens) const override {
        const auto statistics = at::TensorOptions().dtype(ops.statistics_type()).device(ops.device());
        return {{ops.linear_boundaries({heads_, groups_, state_, width_}, batch, tokens),
                 empty_output(ops, batch, tokens), at::empty({batch, tokens, heads_}, statistics),
                 at::empty({batch, tokens, heads_}, statistics)}};
    }

    void forward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                 const at::Tensor& out_BTC, MixerMemory& memory) const override {
        const SoftplusDecay decay = decay_of(parameters, in_BTC);
        memory.tensors[2].copy_(decay.dt_BTS);
        memory.tensors[3].copy_(decay.log_decay_BTS);
        ops.linear_attention(linear_rule, input(parameters, in_BTC, decay), memory.tensors[1],
                             memory.tensors[0], {});
        finish(ops, parameters, in_BTC, memory.tensors[1], out_BTC);
    }

    void backward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC, const at::Tensor&,
                  const at::Tensor& dout_BTC, const at::Tensor& din_BTC, MixerMemory& memory) const override {
        const at::Tensor dy_BTHP = at::empty_like(memory.tensors[1]);
        const MixerParameter& norm = parameters.vectors[3];
        ops.gated_norm_backward(norm_rule, whole(dout_BTC), whole(memory.tensors[1]), whole(z_of(in_BTC)),
                                norm.value, whole(dy_BTHP), whole(z_of(din_BTC)), norm.gradient);
        const SoftplusDecay decay{memory.tensors[2], memory.tensors[3]};
        const at::Tensor ddt = at::empty_like(decay.dt_BTS), dlog_decay = at::empty_like(decay.dt_BTS);
        const LinearInput d = input(parameters, din_BTC, {});
        ops.linear_attention_backward(linear_rule, input(parameters, in_BTC, decay), memory.tensors[0],
                                      dy_BTHP,
                                      {.dq_BTHK = d.q_BTHK,
                                       .dk_BTGK = d.k_BTGK,
                                       .dv_BTJV = d.v_BTJV,
                                       .dlog_decay_BTS = dlog_decay,
                                       .dbeta_BTS = ddt,
                                       .dskip_S = parameters.vectors[2].gradient});
        softplus_decay_backward(dt_of(in_BTC), parameters.vectors[0], parameters.vectors[1], decay,
                                dlog_decay, ddt, dt_of(din_BTC));
    }

    MixerState make_state(Ops& ops, std::int64_t batch, std::int64_t) const override {
        return {
            .cache = {},
            .recurrent = {at::zeros({batch, heads_, state_, width_},
                                    at::TensorOptions().dtype(ops.statistics_type()).device(ops.device()))}};
    }

    void extend(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                const at::Tensor& out_BTC, MixerState& state, std::int64_t) const override {
        const at::Tensor y_BTHP = empty_output(ops, in_BTC.size(0), in_BTC.size(1));
        LinearInput from = input(parameters, in_BTC, decay_of(parameters, in_BTC));
        from.initial_BSKV = state.recurrent[0];
        ops.linear_attention(linear_rule, from, y_BTHP, {}, state.recurrent[0]);
        finish(ops, parameters, in_BTC, y_BTHP, out_BTC);
    }

    void step(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_B1C,
              const at::Tensor& out_B1C, MixerState& state, const StepPlace&) const override {
        const at::Tensor y_B1HP = empty_output(ops, in_B1C.size(0), 1);
        ops.linear_attention_step(linear_rule, input(parameters, in_B1C, decay_of(parameters, in_B1C)),
                                  state.recurrent[0], y_B1HP);
        finish(ops, parameters, in_B1C, y_B1HP, out_B1C);
    }

private:
    at::Tensor z_of(const at::Tensor& in_BTC) const { return in_BTC.narrow(2, 0, output_width()); }
    at::Tensor dt_of(const at::Tensor& in_BTC) const {
        return in_BTC.narrow(2, 2 * output_width() + 2 * groups_ * state_, heads_);
    }
    SoftplusDecay decay_of(const MixerParameters& parameters, const at::Tensor& in_BTC) const {
        return softplus_decay(dt_of(in_BTC), parameters.vectors[0], parameters.vectors[1]);
    }
    // q is C, k is B, v is x.
    LinearInput input(const MixerParameters& parameters, const at::Tensor& in_BTC,
                      const SoftplusDecay& decay) const {
        const std::int64_t x = output_width(), b = 2 * x, c = b + groups_ * state_;
        return {.q_BTHK = heads_of(in_BTC, c, groups_, state_),
                .k_BTGK = heads_of(in_BTC, b, groups_, state_),
                .v_BTJV = heads_of(in_BTC, x, heads_, width_),
                .log_decay_BTS = decay.log_decay_BTS,
                .beta_BTS = decay.dt_BTS,
                .skip_S = parameters.vectors[2].master};
    }
    void finish(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                const at::Tensor& y_BTHP, const at::Tensor& out_BTC) const {
        ops.gated_norm(norm_rule, whole(y_BTHP), whole(z_of(in_BTC)), parameters.vectors[3].value,
                       whole(out_BTC));
    }
    static at::Tensor whole(const at::Tensor& x) {  // [N, 1, inner]: the norm spans the heads
        return (x.dim() == 4 ? x.flatten(2) : x).flatten(0, 1).unsqueeze(1);
    }
    at::Tensor empty_output(Ops& ops, std::int64_t batch, std::int64_t tokens) const {
        return at::empty({batch, tokens, heads_, width_},
                         at::TensorOptions().dtype(ops.compute_type()).device(ops.device()));
    }

    std::int64_t heads_, groups_, width_, state_ = 0;
};

}  // namespace

std::unique_ptr<Mixer> make_mamba2_mixer(const HeadGroup& group, const MixerContext& context) {
    return std::make_unique<Mamba2Mixer>(group, context);
}

}  // namespace braid
