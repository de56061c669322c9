// Mamba-2 (paper Eq. 4, B.4): in_proj gives z, x, B, C and dt; x, B and C may pass a short convolution and
// SiLU; B and C are keys and queries shared by the heads of a group, dt x is written; the output is
// rms(y silu(z)) over the inner width.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

#include "core/mixers/builtin.h"
#include "core/mixers/mamba2/mamba2_shape.h"
#include "core/mixers/torch/columns.h"
#include "core/mixers/torch/implied_rows.h"
#include "core/mixers/torch/make_mixer.h"
#include "core/mixers/torch/softplus_decay.h"

namespace braid {
namespace {

class Mamba2Mixer final : public Mixer {
public:
    explicit Mamba2Mixer(const Mamba2Shape& shape) : s_(shape) {}

    std::vector<ProjectionRequest> projections() const override {
        return {{"in_proj", s_.inner() + s_.convolved() + s_.heads}};
    }
    std::vector<VectorRequest> vectors() const override {
        std::vector<VectorRequest> all = {
            {.name = "A_log", .size = s_.heads, .init = Init::log_of_1_to_16},
            {.name = "dt_bias", .size = s_.heads, .init = Init::inverse_softplus_dt},
            {.name = "D", .size = s_.heads, .init = Init::ones},
            {.name = "norm.weight", .size = s_.inner(), .init = Init::ones}};
        if (s_.convolution)
            all.push_back({.name = "conv.weight",
                           .size = mamba2_convolution_kernel * s_.convolved(),
                           .init = Init::fan_in,
                           .cols = mamba2_convolution_kernel});
        if (s_.convolution_bias)
            all.push_back({.name = "conv.bias", .size = s_.convolved(), .init = Init::zeros});
        return all;
    }
    std::int64_t output_width() const override { return s_.inner(); }

    // States to start the backward pass from, y, dt, decays, convolved x, B and C.
    MixerMemory allocate(Ops& ops, std::int64_t batch, std::int64_t tokens) const override {
        const GateOutput gates = empty_gates(ops, batch, tokens, s_.heads, false);
        MixerMemory memory{
            {ops.linear_boundaries(linear_rule(), {s_.heads, s_.groups, s_.state, s_.width}, batch, tokens),
             empty_output(ops, batch, tokens), gates.dt_BTS, gates.log_decay_BTS}};
        if (s_.convolution)
            memory.tensors.push_back(
                at::empty({batch, tokens, s_.convolved()},
                          at::TensorOptions().dtype(ops.compute_type()).device(ops.device())));
        return memory;
    }

    void forward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                 const at::Tensor& out_BTC, MixerMemory& memory) const override {
        ops.recurrent_gates(gate_input(parameters, in_BTC), gates_in(memory));
        if (s_.convolution) convolve(ops, parameters, memory.documents, in_BTC, memory.tensors[4], {});
        ops.linear_attention(linear_rule(), input(parameters, in_BTC, memory), memory.tensors[1],
                             memory.tensors[0], {});
        finish(ops, parameters, in_BTC, memory.tensors[1], out_BTC);
    }

    void backward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC, const at::Tensor&,
                  const at::Tensor& dout_BTC, const at::Tensor& din_BTC, MixerMemory& memory) const override {
        const at::Tensor dy_BTHP = at::empty_like(memory.tensors[1]);
        const MixerParameter& norm = parameters.vectors[3];
        ops.gated_norm_backward(norm_rule(), whole(dout_BTC), whole(memory.tensors[1]), whole(z_of(in_BTC)),
                                norm.master, whole(dy_BTHP), whole(z_of(din_BTC)), norm.gradient);
        const GateOutput gates = gates_in(memory);
        const at::Tensor ddt = at::empty_like(gates.dt_BTS), dlog_decay = at::empty_like(gates.dt_BTS);
        const at::Tensor dxbc = s_.convolution ? at::empty_like(memory.tensors[4]) : xbc_of(din_BTC);
        const LinearInput d = input(parameters, dxbc, GateOutput());
        ops.linear_attention_backward(linear_rule(), input(parameters, in_BTC, memory), memory.tensors[0],
                                      dy_BTHP,
                                      {.dq_BTHK = d.q_BTHK,
                                       .dk_BTGK = d.k_BTGK,
                                       .dv_BTJV = d.v_BTJV,
                                       .dlog_decay_BTS = dlog_decay,
                                       .dbeta_BTS = ddt,
                                       .dskip_S = parameters.vectors[2].gradient});
        if (s_.convolution)
            ops.short_convolution_backward(memory.documents, dxbc, xbc_of(in_BTC),
                                           parameters.vectors[4].value, xbc_of(din_BTC),
                                           parameters.vectors[4].gradient);
        if (s_.convolution_bias)
            parameters.vectors[5].gradient.add_(dxbc.to(ops.master_type()).sum(0).sum(0));
        softplus_decay_backward(dt_of(in_BTC), parameters.vectors[0], parameters.vectors[1], gates,
                                dlog_decay, ddt, dt_of(din_BTC));
    }

    MixerState make_state(Ops& ops, std::int64_t batch, std::int64_t) const override {
        const auto options = at::TensorOptions().dtype(ops.statistics_type()).device(ops.device());
        MixerState state{.cache = {},
                         .recurrent = {at::zeros({batch, s_.heads, s_.state, s_.width}, options)}};
        if (s_.convolution)
            state.recurrent.push_back(
                at::zeros({batch, mamba2_convolution_kernel - 1, s_.convolved()}, options));
        return state;
    }

    void extend(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                const at::Tensor& out_BTC, MixerState& state, std::int64_t) const override {
        const at::Tensor y_BTHP = empty_output(ops, in_BTC.size(0), in_BTC.size(1));
        LinearInput from = continued(ops, parameters, in_BTC, state);
        from.initial_BSKV = state.recurrent[0];
        ops.linear_attention(linear_rule(), from, y_BTHP, {}, state.recurrent[0]);
        finish(ops, parameters, in_BTC, y_BTHP, out_BTC);
    }

    void step(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_B1C,
              const at::Tensor& out_B1C, MixerState& state, const StepPlace&) const override {
        const at::Tensor y_B1HP = empty_output(ops, in_B1C.size(0), 1);
        ops.linear_attention_step(linear_rule(), continued(ops, parameters, in_B1C, state),
                                  state.recurrent[0], y_B1HP);
        finish(ops, parameters, in_B1C, y_B1HP, out_B1C);
    }

    std::int64_t attention_heads() const override { return s_.heads; }
    AttentionRows attention_rows(const MixerPass& pass, std::int64_t head, std::int64_t first,
                                 std::int64_t count) const override {
        const at::ScalarType type = pass.ops.statistics_type();
        AttentionRows rows = implied_rows(linear_rule(), input(pass.parameters, pass.in_BTC, pass.memory),
                                          head, first, count, type);
        rows.output_BrV = pass.memory.tensors[1].select(2, head).narrow(1, first, count).to(type);
        return rows;
    }
    std::optional<AttentionFactors> attention_factors(const MixerPass& pass,
                                                      std::int64_t head) const override {
        return implied_factors(linear_rule(), input(pass.parameters, pass.in_BTC, pass.memory), head,
                               pass.ops.statistics_type());
    }
    RecurrentGates gates(const MixerPass& pass) const override {
        return {.log_decay_BTS = pass.memory.tensors[3], .write_BTS = pass.memory.tensors[2]};
    }

private:
    LinearRule linear_rule() const { return {.silu = s_.convolution}; }
    GatedNormRule norm_rule() const { return {.eps = s_.norm_eps, .gate_first = true}; }

    // Columns: z, x, B, C (side by side, for the convolution), dt.
    at::Tensor z_of(const at::Tensor& in_BTC) const { return in_BTC.narrow(2, 0, s_.inner()); }
    at::Tensor xbc_of(const at::Tensor& in_BTC) const { return in_BTC.narrow(2, s_.inner(), s_.convolved()); }
    at::Tensor xbc_of(const at::Tensor& in_BTC, const MixerMemory& memory) const {
        return s_.convolution ? memory.tensors[4] : xbc_of(in_BTC);
    }
    at::Tensor dt_of(const at::Tensor& in_BTC) const {
        return in_BTC.narrow(2, s_.inner() + s_.convolved(), s_.heads);
    }
    GateInput gate_input(const MixerParameters& parameters, const at::Tensor& in_BTC) const {
        return {.raw_BTS = dt_of(in_BTC),
                .a_log_S = parameters.vectors[0].master,
                .bias_S = parameters.vectors[1].master};
    }
    static GateOutput gates_in(const MixerMemory& memory) { return {memory.tensors[2], memory.tensors[3]}; }
    void convolve(Ops& ops, const MixerParameters& parameters, const Documents& documents,
                  const at::Tensor& in_BTC, const at::Tensor& xbc_BTC, const at::Tensor& history) const {
        ops.short_convolution(documents, xbc_of(in_BTC), parameters.vectors[4].value, xbc_BTC, history);
        if (s_.convolution_bias) xbc_BTC.add_(parameters.vectors[5].value);
    }
    // q is C, k is B, v is x.
    LinearInput input(const MixerParameters& parameters, const at::Tensor& xbc_BTC,
                      const GateOutput& gates) const {
        const std::int64_t b = s_.inner(), c = b + s_.groups * s_.state;
        return {.q_BTHK = heads_of(xbc_BTC, c, s_.groups, s_.state),
                .k_BTGK = heads_of(xbc_BTC, b, s_.groups, s_.state),
                .v_BTJV = heads_of(xbc_BTC, 0, s_.heads, s_.width),
                .log_decay_BTS = gates.log_decay_BTS,
                .beta_BTS = gates.dt_BTS,
                .skip_S = parameters.vectors[2].master};
    }
    LinearInput input(const MixerParameters& parameters, const at::Tensor& in_BTC,
                      const MixerMemory& memory) const {
        LinearInput all = input(parameters, xbc_of(in_BTC, memory), gates_in(memory));
        all.starts_BT = memory.documents.starts_BT;
        return all;
    }
    LinearInput continued(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                          MixerState& state) const {
        at::Tensor xbc = xbc_of(in_BTC);
        if (s_.convolution) {
            xbc = at::empty({in_BTC.size(0), in_BTC.size(1), s_.convolved()}, in_BTC.options());
            convolve(ops, parameters, {}, in_BTC, xbc, state.recurrent[1]);
        }
        const GateOutput gates = empty_gates(ops, in_BTC.size(0), in_BTC.size(1), s_.heads, false);
        ops.recurrent_gates(gate_input(parameters, in_BTC), gates);
        return input(parameters, xbc, gates);
    }
    void finish(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                const at::Tensor& y_BTHP, const at::Tensor& out_BTC) const {
        ops.gated_norm(norm_rule(), whole(y_BTHP), whole(z_of(in_BTC)), parameters.vectors[3].master,
                       whole(out_BTC));
    }
    static at::Tensor whole(const at::Tensor& x) {  // [N, 1, inner]: the norm spans the heads
        return (x.dim() == 4 ? x.flatten(2) : x).flatten(0, 1).unsqueeze(1);
    }
    at::Tensor empty_output(Ops& ops, std::int64_t batch, std::int64_t tokens) const {
        return at::empty({batch, tokens, s_.heads, s_.width},
                         at::TensorOptions().dtype(ops.compute_type()).device(ops.device()));
    }

    Mamba2Shape s_;
};

}  // namespace

std::unique_ptr<Mixer> make_mamba2_mixer(const HeadGroup& group, const MixerContext& context) {
    return std::make_unique<Mamba2Mixer>(
        mamba2_shape(group, context, builtin_mixers().find(group.mixer)->description().parameters));
}

}  // namespace braid
