// B sequences, T tokens, C columns, H query heads, G key/value heads, K head dimension.
#include "core/mixers/softmax/softmax_mixer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

#include <cmath>

#include "core/mixers/builtin.h"
#include "core/mixers/softmax/torch/split.h"

namespace braid {

SoftmaxShape softmax_shape(const HeadGroup& group, const MixerContext& context, std::int64_t window) {
    const auto& described = builtin_mixers().find(group.mixer)->description().parameters;
    const bool rope = group.parameters.text("position", described) == "rope";
    // NTK: the slowest frequency is stretched by the factor, the fastest not at all.
    const auto width = double(context.head_dim);
    const double ntk =
        context.head_dim > 2 ? std::pow(group.parameters.real("ntk", described), width / (width - 2)) : 1;
    return {.heads = group.heads,
            .kv_heads = group.kv_heads,
            .head_dim = context.head_dim,
            .window = window,
            .rope = rope,
            .rope_base = group.parameters.real("rope_base", described) * ntk,
            .log_n = rope ? 0 : group.parameters.integer("logn", described),
            .sink = group.parameters.flag("sink", described)};
}

AttentionRule SoftmaxMixer::rule() const {
    return {.window = shape_.window, .scale = 1.0 / std::sqrt(double(shape_.head_dim))};
}

at::Tensor SoftmaxMixer::sink(const MixerParameters& parameters) const {
    return shape_.sink ? parameters.vectors[0].value : at::Tensor();
}

void SoftmaxMixer::scale_queries(const at::Tensor& q_BTHK, std::int64_t first) const {
    const std::int64_t end = first + q_BTHK.size(1);
    if (shape_.log_n == 0 || end <= shape_.log_n) return;
    const auto places = at::TensorOptions().dtype(at::kDouble).device(q_BTHK.device());
    const at::Tensor factor =
        at::arange(first + 1, end + 1, places).log_().div_(std::log(double(shape_.log_n))).clamp_min_(1);
    const at::ScalarType type = q_BTHK.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    q_BTHK.mul_(factor.to(type).view({-1, 1, 1}));
}

std::vector<ProjectionRequest> SoftmaxMixer::projections() const {
    return {{"q_proj", shape_.heads * shape_.head_dim},
            {"k_proj", shape_.kv_heads * shape_.head_dim},
            {"v_proj", shape_.kv_heads * shape_.head_dim}};
}

std::vector<VectorRequest> SoftmaxMixer::vectors() const {
    if (!shape_.sink) return {};
    return {{.name = "sinks", .size = shape_.heads, .init = Init::zeros}};
}

std::int64_t SoftmaxMixer::output_width() const { return shape_.heads * shape_.head_dim; }

MixerMemory SoftmaxMixer::allocate(Ops& ops, std::int64_t batch, std::int64_t tokens) const {
    return {{at::empty({batch, shape_.heads, tokens},
                       at::TensorOptions().dtype(ops.statistics_type()).device(ops.device()))}};
}

void SoftmaxMixer::forward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                           const at::Tensor& out_BTC, MixerMemory& memory) const {
    const Projected p = split(shape_, in_BTC);
    if (shape_.rope)
        ops.rope(p.qk_BTRK, ops.rope_table(shape_.rope_base, in_BTC.size(1), shape_.head_dim), false);
    scale_queries(p.q_BTHK, 0);
    ops.attention(rule(), p.q_BTHK, p.k_BTGK, p.v_BTGK, sink(parameters),
                  heads_of(out_BTC, 0, shape_.heads, shape_.head_dim), memory.tensors[0]);
}

void SoftmaxMixer::backward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                            const at::Tensor& out_BTC, const at::Tensor& dout_BTC, const at::Tensor& din_BTC,
                            MixerMemory& memory) const {
    const Projected p = split(shape_, in_BTC), d = split(shape_, din_BTC);
    ops.attention_backward(rule(), heads_of(dout_BTC, 0, shape_.heads, shape_.head_dim), p.q_BTHK, p.k_BTGK,
                           p.v_BTGK, sink(parameters), heads_of(out_BTC, 0, shape_.heads, shape_.head_dim),
                           memory.tensors[0], d.q_BTHK, d.k_BTGK, d.v_BTGK,
                           shape_.sink ? parameters.vectors[0].gradient : at::Tensor());
    scale_queries(d.q_BTHK, 0);
    if (shape_.rope)
        ops.rope(d.qk_BTRK, ops.rope_table(shape_.rope_base, in_BTC.size(1), shape_.head_dim), true);
}

}  // namespace braid
