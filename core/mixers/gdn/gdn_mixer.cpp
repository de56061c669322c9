// Gated DeltaNet (paper Eq. 5, B.3): q and the output gate have query heads; k, v, decay and write strength
// exist once a kv group. The output is rms(o) silu(gate), each head on its own.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/sigmoid_backward.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "core/mixers/builtin.h"
#include "core/mixers/gdn/gdn_shape.h"
#include "core/mixers/torch/columns.h"
#include "core/mixers/torch/implied_rows.h"
#include "core/mixers/torch/make_mixer.h"
#include "core/mixers/torch/softplus_decay.h"

namespace braid {
namespace {

class GdnMixer final : public Mixer {
public:
    GdnMixer(const GdnShape& shape, double norm_eps) : s_(shape), norm_eps_(norm_eps) {}

    std::vector<ProjectionRequest> projections() const override {
        return {{"q_proj", s_.heads * s_.key_dim},
                {"k_proj", s_.kv_heads * s_.key_dim},
                {"v_proj", s_.kv_heads * s_.value_dim},
                {"a_proj", s_.kv_heads},
                {"b_proj", s_.kv_heads},
                {"g_proj", s_.heads * s_.value_dim}};
    }
    std::vector<VectorRequest> vectors() const override {
        std::vector<VectorRequest> all = {
            {.name = "A_log", .size = s_.kv_heads, .init = Init::log_of_0_to_16},
            {.name = "dt_bias", .size = s_.kv_heads, .init = Init::inverse_softplus_dt},
            {.name = "o_norm.weight", .size = s_.value_dim, .init = Init::ones}};
        if (s_.convolution)
            all.push_back({.name = "qkv_conv.weight",
                           .size = gdn_convolution_kernel * s_.convolved(),
                           .init = Init::fan_in,
                           .cols = gdn_convolution_kernel});
        return all;
    }
    std::int64_t output_width() const override { return s_.heads * s_.value_dim; }

    // States to start the backward pass from, o, dt, decays, write strengths, convolved q, k and v.
    MixerMemory allocate(Ops& ops, std::int64_t batch, std::int64_t tokens) const override {
        const auto device = at::TensorOptions().device(ops.device());
        const GateOutput gates = empty_gates(ops, batch, tokens, s_.kv_heads, true);
        MixerMemory memory{{ops.linear_boundaries(linear_rule(), linear_shape(), batch, tokens),
                            empty_output(ops, batch, tokens), gates.dt_BTS, gates.log_decay_BTS,
                            gates.strength_BTS}};
        if (s_.convolution)
            memory.tensors.push_back(
                at::empty({batch, tokens, s_.convolved()}, device.dtype(ops.compute_type())));
        return memory;
    }

    void forward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                 const at::Tensor& out_BTC, MixerMemory& memory) const override {
        ops.recurrent_gates(gate_input(parameters, in_BTC), gates_in(memory));
        if (s_.convolution)
            ops.short_convolution(memory.documents, qkv_of(in_BTC), parameters.vectors[3].value,
                                  memory.tensors[5], {});
        ops.linear_attention(linear_rule(), input(in_BTC, memory), memory.tensors[1], memory.tensors[0], {});
        finish(ops, parameters, in_BTC, memory.tensors[1], out_BTC);
    }

    void backward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC, const at::Tensor&,
                  const at::Tensor& dout_BTC, const at::Tensor& din_BTC, MixerMemory& memory) const override {
        const at::Tensor do_BTHV = at::empty_like(memory.tensors[1]);
        const MixerParameter& norm = parameters.vectors[2];
        ops.gated_norm_backward(norm_rule(), rows_of(heads_of(dout_BTC, 0, s_.heads, s_.value_dim)),
                                rows_of(memory.tensors[1]), rows_of(gate_of(in_BTC)), norm.master,
                                rows_of(do_BTHV), rows_of(gate_of(din_BTC)), norm.gradient);
        const GateOutput gates = gates_in(memory);
        const at::Tensor dlog_decay = at::empty_like(gates.dt_BTS), dbeta = at::empty_like(gates.dt_BTS);
        const at::Tensor dqkv = s_.convolution ? at::empty_like(memory.tensors[5]) : din_BTC;
        ops.linear_attention_backward(linear_rule(), input(in_BTC, memory), memory.tensors[0], do_BTHV,
                                      {.dq_BTHK = q_of(dqkv),
                                       .dk_BTGK = k_of(dqkv),
                                       .dv_BTJV = v_of(dqkv),
                                       .dlog_decay_BTS = dlog_decay,
                                       .dbeta_BTS = dbeta});
        if (s_.convolution)
            ops.short_convolution_backward(memory.documents, dqkv, qkv_of(in_BTC),
                                           parameters.vectors[3].value, qkv_of(din_BTC),
                                           parameters.vectors[3].gradient);
        softplus_decay_backward(a_of(in_BTC), parameters.vectors[0], parameters.vectors[1], gates, dlog_decay,
                                {}, a_of(din_BTC));
        b_of(din_BTC).copy_(at::sigmoid_backward(dbeta, gates.strength_BTS));
    }

    MixerState make_state(Ops& ops, std::int64_t batch, std::int64_t) const override {
        const auto options = at::TensorOptions().dtype(ops.statistics_type()).device(ops.device());
        MixerState state{.cache = {},
                         .recurrent = {at::zeros({batch, s_.kv_heads, s_.key_dim, s_.value_dim}, options)}};
        if (s_.convolution)
            state.recurrent.push_back(
                at::zeros({batch, gdn_convolution_kernel - 1, s_.convolved()}, options));
        return state;
    }

    void extend(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                const at::Tensor& out_BTC, MixerState& state, std::int64_t) const override {
        const at::Tensor o_BTHV = empty_output(ops, in_BTC.size(0), in_BTC.size(1));
        LinearInput from = continued(ops, parameters, in_BTC, state);
        from.initial_BSKV = state.recurrent[0];
        ops.linear_attention(linear_rule(), from, o_BTHV, {}, state.recurrent[0]);
        finish(ops, parameters, in_BTC, o_BTHV, out_BTC);
    }

    void step(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_B1C,
              const at::Tensor& out_B1C, MixerState& state, const StepPlace&) const override {
        const at::Tensor o_B1HV = empty_output(ops, in_B1C.size(0), 1);
        ops.linear_attention_step(linear_rule(), continued(ops, parameters, in_B1C, state),
                                  state.recurrent[0], o_B1HV);
        finish(ops, parameters, in_B1C, o_B1HV, out_B1C);
    }

    std::int64_t attention_heads() const override { return s_.heads; }
    AttentionRows attention_rows(const MixerPass& pass, std::int64_t head, std::int64_t first,
                                 std::int64_t count) const override {
        const at::ScalarType type = pass.ops.statistics_type();
        AttentionRows rows =
            implied_rows(linear_rule(), input(pass.in_BTC, pass.memory), head, first, count, type);
        rows.output_BrV = pass.memory.tensors[1].select(2, head).narrow(1, first, count).to(type);
        return rows;
    }
    RecurrentGates gates(const MixerPass& pass) const override {
        return {.log_decay_BTS = pass.memory.tensors[3], .write_BTS = pass.memory.tensors[4]};
    }

private:
    LinearRule linear_rule() const {
        return {.silu = true, .unit_qk = true, .delta = true, .scale = 1 / std::sqrt(double(s_.key_dim))};
    }
    GatedNormRule norm_rule() const { return {.eps = norm_eps_}; }
    LinearShape linear_shape() const {
        return {.states = s_.kv_heads, .readers = s_.heads, .key_dim = s_.key_dim, .value_dim = s_.value_dim};
    }
    // Columns: q, k, v (side by side, for the convolution), a, b, gate.
    at::Tensor qkv_of(const at::Tensor& in_BTC) const { return in_BTC.narrow(2, 0, s_.convolved()); }
    at::Tensor q_of(const at::Tensor& in_BTC) const { return heads_of(in_BTC, 0, s_.heads, s_.key_dim); }
    at::Tensor k_of(const at::Tensor& in_BTC) const {
        return heads_of(in_BTC, s_.heads * s_.key_dim, s_.kv_heads, s_.key_dim);
    }
    at::Tensor v_of(const at::Tensor& in_BTC) const {
        return heads_of(in_BTC, (s_.heads + s_.kv_heads) * s_.key_dim, s_.kv_heads, s_.value_dim);
    }
    at::Tensor a_of(const at::Tensor& in_BTC) const { return in_BTC.narrow(2, s_.convolved(), s_.kv_heads); }
    at::Tensor b_of(const at::Tensor& in_BTC) const {
        return in_BTC.narrow(2, s_.convolved() + s_.kv_heads, s_.kv_heads);
    }
    at::Tensor gate_of(const at::Tensor& in_BTC) const {
        return heads_of(in_BTC, s_.convolved() + 2 * s_.kv_heads, s_.heads, s_.value_dim);
    }

    GateInput gate_input(const MixerParameters& parameters, const at::Tensor& in_BTC) const {
        return {.raw_BTS = a_of(in_BTC),
                .a_log_S = parameters.vectors[0].master,
                .bias_S = parameters.vectors[1].master,
                .write_BTS = b_of(in_BTC)};
    }
    static GateOutput gates_in(const MixerMemory& memory) {
        return {memory.tensors[2], memory.tensors[3], memory.tensors[4]};
    }
    LinearInput input(const at::Tensor& in_BTC, const MixerMemory& memory) const {
        const at::Tensor& qkv = s_.convolution ? memory.tensors[5] : in_BTC;
        return {.q_BTHK = q_of(qkv),
                .k_BTGK = k_of(qkv),
                .v_BTJV = v_of(qkv),
                .log_decay_BTS = memory.tensors[3],
                .beta_BTS = memory.tensors[4],
                .starts_BT = memory.documents.starts_BT};
    }
    LinearInput continued(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                          MixerState& state) const {
        at::Tensor qkv = in_BTC;
        if (s_.convolution) {
            qkv = at::empty({in_BTC.size(0), in_BTC.size(1), s_.convolved()}, in_BTC.options());
            ops.short_convolution({}, qkv_of(in_BTC), parameters.vectors[3].value, qkv, state.recurrent[1]);
        }
        const GateOutput gates = empty_gates(ops, in_BTC.size(0), in_BTC.size(1), s_.kv_heads, true);
        ops.recurrent_gates(gate_input(parameters, in_BTC), gates);
        return {.q_BTHK = q_of(qkv),
                .k_BTGK = k_of(qkv),
                .v_BTJV = v_of(qkv),
                .log_decay_BTS = gates.log_decay_BTS,
                .beta_BTS = gates.strength_BTS};
    }
    void finish(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                const at::Tensor& o_BTHV, const at::Tensor& out_BTC) const {
        ops.gated_norm(norm_rule(), rows_of(o_BTHV), rows_of(gate_of(in_BTC)), parameters.vectors[2].master,
                       rows_of(heads_of(out_BTC, 0, s_.heads, s_.value_dim)));
    }
    at::Tensor empty_output(Ops& ops, std::int64_t batch, std::int64_t tokens) const {
        return at::empty({batch, tokens, s_.heads, s_.value_dim},
                         at::TensorOptions().dtype(ops.compute_type()).device(ops.device()));
    }

    GdnShape s_;
    double norm_eps_;
};

}  // namespace

std::unique_ptr<Mixer> make_gdn_mixer(const HeadGroup& group, const MixerContext& context) {
    return std::make_unique<GdnMixer>(
        gdn_shape(group, builtin_mixers().find(group.mixer)->description().parameters), context.norm_eps);
}

}  // namespace braid
