// Lightning attention (paper Eq. 3, B.2) with an output norm and a low-rank gate:
// o = rms(S^T q) * sigmoid(U D x), the norm without weights over all heads of the group.
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "core/mixers/builtin.h"
#include "core/mixers/lightning/lightning_shape.h"
#include "core/mixers/torch/columns.h"
#include "core/mixers/torch/implied_rows.h"
#include "core/mixers/torch/make_mixer.h"

namespace braid {
namespace {

constexpr LinearRule linear_rule{.silu = true};

class LightningMixer final : public Mixer {
public:
    LightningMixer(const HeadGroup& group, const MixerContext& context)
        : heads_(group.heads),
          kv_heads_(group.kv_heads),
          head_dim_(context.head_dim),
          norm_rule_{.eps = context.norm_eps, .silu = false} {
        rank_ = group.parameters.integer("gate_rank",
                                         builtin_mixers().find(group.mixer)->description().parameters);
        for (std::int64_t h = 0; h < heads_; ++h)
            log_decays_.push_back(lightning_log_decay(h, heads_, context));
    }

    std::vector<ProjectionRequest> projections() const override {
        return {{"q_proj", heads_ * head_dim_},
                {"k_proj", kv_heads_ * head_dim_},
                {"v_proj", kv_heads_ * head_dim_},
                {"gate_down_proj", rank_}};
    }
    std::vector<VectorRequest> vectors() const override { return {}; }
    std::vector<MatrixRequest> matrices() const override { return {{"gate_up_proj", output_width(), rank_}}; }
    std::int64_t output_width() const override { return heads_ * head_dim_; }

    // States to start the backward pass from, what the heads read, and the decays.
    MixerMemory allocate(Ops& ops, std::int64_t batch, std::int64_t tokens) const override {
        return {{ops.linear_boundaries(linear_rule, {heads_, heads_, head_dim_, head_dim_}, batch, tokens),
                 empty_output(ops, batch, tokens), log_decays(ops)}};
    }

    void forward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                 const at::Tensor& out_BTC, MixerMemory& memory) const override {
        const at::Tensor& read_BTHK = memory.tensors[1];
        ops.linear_attention(linear_rule, input(in_BTC, memory), read_BTHK, memory.tensors[0], {});
        finish(ops, parameters, in_BTC, read_BTHK, out_BTC);
    }

    void backward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC, const at::Tensor&,
                  const at::Tensor& dout_BTC, const at::Tensor& din_BTC, MixerMemory& memory) const override {
        const at::Tensor read = whole(memory.tensors[1]);
        const at::Tensor low_NR = low_of(in_BTC);
        const at::Tensor gate_NO = gate_of(ops, parameters, low_NR);
        const at::Tensor dgate_NO = at::empty_like(gate_NO), dread_BTHK = at::empty_like(memory.tensors[1]);
        ops.gated_norm_backward(norm_rule_, whole(dout_BTC), read, gate_NO.unsqueeze(1), {},
                                whole(dread_BTHK), dgate_NO.unsqueeze(1), {});
        ops.linear_backward_weight(dgate_NO, low_NR, parameters.matrices[0].gradient);
        const at::Tensor dlow_NR = at::empty_like(low_NR);
        ops.linear_backward_input(dgate_NO, parameters.matrices[0].value, dlow_NR);
        low_columns(din_BTC).copy_(dlow_NR.view(low_columns(din_BTC).sizes()));
        const LinearInput d = input(din_BTC, at::Tensor());
        ops.linear_attention_backward(linear_rule, input(in_BTC, memory), memory.tensors[0], dread_BTHK,
                                      {.dq_BTHK = d.q_BTHK, .dk_BTGK = d.k_BTGK, .dv_BTJV = d.v_BTJV});
    }

    MixerState make_state(Ops& ops, std::int64_t batch, std::int64_t) const override {
        return {
            .cache = {},
            .recurrent = {at::zeros({batch, heads_, head_dim_, head_dim_},
                                    at::TensorOptions().dtype(ops.statistics_type()).device(ops.device()))},
            .constant = {log_decays(ops)}};
    }

    void extend(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                const at::Tensor& out_BTC, MixerState& state, std::int64_t) const override {
        const at::Tensor read_BTHK = empty_output(ops, in_BTC.size(0), in_BTC.size(1));
        LinearInput from = input(in_BTC, state.constant[0]);
        from.initial_BSKV = state.recurrent[0];
        ops.linear_attention(linear_rule, from, read_BTHK, {}, state.recurrent[0]);
        finish(ops, parameters, in_BTC, read_BTHK, out_BTC);
    }

    void step(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_B1C,
              const at::Tensor& out_B1C, MixerState& state, const StepPlace&) const override {
        const at::Tensor read_B1HK = empty_output(ops, in_B1C.size(0), 1);
        ops.linear_attention_step(linear_rule, input(in_B1C, state.constant[0]), state.recurrent[0],
                                  read_B1HK);
        finish(ops, parameters, in_B1C, read_B1HK, out_B1C);
    }

    std::int64_t attention_heads() const override { return heads_; }
    AttentionRows attention_rows(const MixerPass& pass, std::int64_t head, std::int64_t first,
                                 std::int64_t count) const override {
        const at::ScalarType type = pass.ops.statistics_type();
        AttentionRows rows =
            implied_rows(linear_rule, input(pass.in_BTC, pass.memory), head, first, count, type);
        rows.output_BrV = pass.memory.tensors[1].select(2, head).narrow(1, first, count).to(type);
        return rows;
    }
    std::optional<AttentionFactors> attention_factors(const MixerPass& pass,
                                                      std::int64_t head) const override {
        return implied_factors(linear_rule, input(pass.in_BTC, pass.memory), head,
                               pass.ops.statistics_type());
    }
    RecurrentGates gates(const MixerPass& pass) const override {
        return {.log_decay_BTS = pass.memory.tensors[2]};
    }

private:
    LinearInput input(const at::Tensor& in_BTC, const MixerMemory& memory) const {
        LinearInput all = input(in_BTC, memory.tensors[2]);
        all.starts_BT = memory.documents.starts_BT;
        return all;
    }
    LinearInput input(const at::Tensor& in_BTC, const at::Tensor& log_decay_S) const {
        const std::int64_t q = heads_ * head_dim_, k = kv_heads_ * head_dim_;
        return {.q_BTHK = heads_of(in_BTC, 0, heads_, head_dim_),
                .k_BTGK = heads_of(in_BTC, q, kv_heads_, head_dim_),
                .v_BTJV = heads_of(in_BTC, q + k, kv_heads_, head_dim_),
                .log_decay_BTS = log_decay_S};
    }
    at::Tensor low_columns(const at::Tensor& in_BTC) const {
        return in_BTC.narrow(2, (heads_ + 2 * kv_heads_) * head_dim_, rank_);
    }
    at::Tensor low_of(const at::Tensor& in_BTC) const {
        return low_columns(in_BTC).flatten(0, 1).contiguous();
    }
    at::Tensor gate_of(Ops& ops, const MixerParameters& parameters, const at::Tensor& low_NR) const {
        at::Tensor gate_NO = at::empty({low_NR.size(0), output_width()}, low_NR.options());
        ops.linear(low_NR, parameters.matrices[0].value, gate_NO);
        return gate_NO;
    }
    void finish(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                const at::Tensor& read_BTHK, const at::Tensor& out_BTC) const {
        const at::Tensor gate_NO = gate_of(ops, parameters, low_of(in_BTC));
        ops.gated_norm(norm_rule_, whole(read_BTHK), gate_NO.unsqueeze(1), {}, whole(out_BTC));
    }
    at::Tensor whole(const at::Tensor& x) const {  // [N, 1, O]: the norm spans the heads
        return (x.dim() == 4 ? x.flatten(2) : x).flatten(0, 1).unsqueeze(1);
    }
    at::Tensor empty_output(Ops& ops, std::int64_t batch, std::int64_t tokens) const {
        return at::empty({batch, tokens, heads_, head_dim_},
                         at::TensorOptions().dtype(ops.compute_type()).device(ops.device()));
    }
    at::Tensor log_decays(Ops& ops) const {
        return at::tensor(log_decays_, at::kDouble)
            .to(at::TensorOptions().dtype(ops.statistics_type()).device(ops.device()));
    }

    std::int64_t heads_, kv_heads_, head_dim_, rank_ = 0;
    GatedNormRule norm_rule_;
    std::vector<double> log_decays_;
};

}  // namespace

std::unique_ptr<Mixer> make_lightning_mixer(const HeadGroup& group, const MixerContext& context) {
    return std::make_unique<LightningMixer>(group, context);
}

}  // namespace braid
