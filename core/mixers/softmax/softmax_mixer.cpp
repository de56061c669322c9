// B sequences, T tokens, C columns, H query heads, G key/value heads, K head dimension.
#include "core/mixers/softmax/softmax_mixer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

#include <array>
#include <cmath>

#include "core/mixers/builtin.h"
#include "core/mixers/softmax/softmax_kind.h"
#include "core/mixers/softmax/torch/head_norm.h"
#include "core/mixers/softmax/torch/split.h"

namespace braid {

SoftmaxShape softmax_shape(const HeadGroup& group, const MixerContext& context, std::int64_t window) {
    const auto& described = builtin_mixers().find(group.mixer)->description().parameters;
    const auto has = [&](const char* key) { return group.parameters.flag(key, described); };
    const bool rope = group.parameters.text("position", described) == "rope";
    return {.heads = group.heads,
            .kv_heads = group.kv_heads,
            .head_dim = context.head_dim,
            .window = window,
            .has_rope = rope,
            .rope = rope ? rope_rule(group.parameters, described, context.head_dim) : RopeRule(),
            .log_n = rope ? 0 : group.parameters.integer("logn", described),
            .bias = has("bias"),
            .qk_norm = has("qk_norm"),
            .norm_eps = context.norm_eps,
            .sink = has("sink")};
}

AttentionRule SoftmaxMixer::rule(const Documents& documents) const {
    return {
        .window = shape_.window, .scale = 1.0 / std::sqrt(double(shape_.head_dim)), .documents = documents};
}

at::Tensor SoftmaxMixer::sink(const MixerParameters& parameters) const {
    return shape_.sink ? parameters.vectors[0].value : at::Tensor();
}

void SoftmaxMixer::scale_queries(const at::Tensor& q_BTHK, std::int64_t first,
                                 const Documents& documents) const {
    const std::int64_t end = first + q_BTHK.size(1);
    if (shape_.log_n == 0 || end <= shape_.log_n) return;
    const auto places = at::TensorOptions().dtype(at::kDouble).device(q_BTHK.device());
    at::Tensor visible = at::arange(first + 1, end + 1, places);
    if (documents.defined()) visible = visible - documents.starts_BT;
    const at::Tensor factor = visible.log_().div_(std::log(double(shape_.log_n))).clamp_min_(1);
    const at::ScalarType type = q_BTHK.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    q_BTHK.mul_(factor.to(type).unsqueeze(-1).unsqueeze(-1));
}

namespace {

// The vectors() behind the sinks.
struct Small {
    std::array<const MixerParameter*, 3> bias = {};  // of q, k, v
    std::array<const MixerParameter*, 2> norm = {};  // of q, k
};

Small small_of(const SoftmaxShape& shape, const MixerParameters& parameters) {
    Small small;
    std::size_t next = shape.sink ? 1 : 0;
    if (shape.bias)
        for (const MixerParameter*& each : small.bias) each = &parameters.vectors[next++];
    if (shape.qk_norm)
        for (const MixerParameter*& each : small.norm) each = &parameters.vectors[next++];
    return small;
}

}  // namespace

HeadRule SoftmaxMixer::head_rule(const MixerParameters& parameters) const {
    const Small small = small_of(shape_, parameters);
    HeadRule rule{.norm_eps = shape_.norm_eps, .log_n = shape_.log_n};
    for (std::size_t i = 0; shape_.bias && i < small.bias.size(); ++i) rule.bias[i] = small.bias[i]->value;
    for (std::size_t i = 0; shape_.qk_norm && i < small.norm.size(); ++i)
        rule.norm_K[i] = small.norm[i]->master;
    return rule;
}

void SoftmaxMixer::prepare(const MixerParameters& parameters, const at::Tensor& in_BTC,
                           const at::Tensor& raw_BTRK) const {
    const Small small = small_of(shape_, parameters);
    std::int64_t first = 0;
    if (shape_.bias)
        for (const MixerParameter* bias : small.bias) {
            in_BTC.narrow(2, first, bias->value.size(0)).add_(bias->value);
            first += bias->value.size(0);
        }
    if (!shape_.qk_norm) return;
    const Projected p = split(shape_, in_BTC);
    if (raw_BTRK.defined()) raw_BTRK.copy_(p.qk_BTRK);
    head_norm(p.q_BTHK, small.norm[0]->master, shape_.norm_eps);
    head_norm(p.k_BTGK, small.norm[1]->master, shape_.norm_eps);
}

void SoftmaxMixer::prepare_backward(const MixerParameters& parameters, const at::Tensor& raw_BTRK,
                                    const at::Tensor& din_BTC) const {
    const Small small = small_of(shape_, parameters);
    if (shape_.qk_norm) {
        const Projected d = split(shape_, din_BTC);
        head_norm_backward(raw_BTRK.narrow(2, 0, shape_.heads), small.norm[0]->master, shape_.norm_eps,
                           d.q_BTHK, small.norm[0]->gradient);
        head_norm_backward(raw_BTRK.narrow(2, shape_.heads, shape_.kv_heads), small.norm[1]->master,
                           shape_.norm_eps, d.k_BTGK, small.norm[1]->gradient);
    }
    std::int64_t first = 0;
    if (shape_.bias)
        for (const MixerParameter* bias : small.bias) {
            const std::int64_t size = bias->gradient.size(0);
            bias->gradient.add_(
                din_BTC.narrow(2, first, size).to(bias->gradient.scalar_type()).sum(0).sum(0));
            first += size;
        }
}

void SoftmaxMixer::rotate(Ops& ops, const at::Tensor& qk_BTRK, const RopeTable& table) const {
    ops.rope(qk_BTRK.narrow(3, 0, shape_.rope.rotary_dim), table, false);
}

std::vector<ProjectionRequest> SoftmaxMixer::projections() const {
    return {{"q_proj", shape_.heads * shape_.head_dim},
            {"k_proj", shape_.kv_heads * shape_.head_dim},
            {"v_proj", shape_.kv_heads * shape_.head_dim}};
}

std::vector<VectorRequest> SoftmaxMixer::vectors() const {
    std::vector<VectorRequest> all;
    if (shape_.sink) all.push_back({.name = "sinks", .size = shape_.heads, .init = Init::zeros});
    if (shape_.bias)
        for (const ProjectionRequest& each : projections())
            all.push_back({.name = each.name + ".bias", .size = each.rows, .init = Init::zeros});
    if (shape_.qk_norm)
        for (const char* name : {"q_norm.weight", "k_norm.weight"})
            all.push_back({.name = name, .size = shape_.head_dim, .init = Init::ones});
    return all;
}

std::int64_t SoftmaxMixer::output_width() const { return shape_.heads * shape_.head_dim; }

MixerMemory SoftmaxMixer::allocate(Ops& ops, std::int64_t batch, std::int64_t tokens) const {
    const auto device = at::TensorOptions().device(ops.device());
    MixerMemory memory{{at::empty({batch, shape_.heads, tokens}, device.dtype(ops.statistics_type()))}};
    if (shape_.qk_norm)
        memory.tensors.push_back(at::empty({batch, tokens, shape_.heads + shape_.kv_heads, shape_.head_dim},
                                           device.dtype(ops.compute_type())));
    return memory;
}

void SoftmaxMixer::forward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                           const at::Tensor& out_BTC, MixerMemory& memory) const {
    prepare(parameters, in_BTC, shape_.qk_norm ? memory.tensors[1] : at::Tensor());
    const Projected p = split(shape_, in_BTC);
    const std::int64_t tokens = in_BTC.size(1);
    if (shape_.has_rope) rotate(ops, p.qk_BTRK, ops.rope_table(resolved(shape_.rope, tokens), tokens));
    scale_queries(p.q_BTHK, 0, memory.documents);
    ops.attention(rule(memory.documents), p.q_BTHK, p.k_BTGK, p.v_BTGK, sink(parameters),
                  heads_of(out_BTC, 0, shape_.heads, shape_.head_dim), memory.tensors[0]);
}

void SoftmaxMixer::backward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                            const at::Tensor& out_BTC, const at::Tensor& dout_BTC, const at::Tensor& din_BTC,
                            MixerMemory& memory) const {
    const Projected p = split(shape_, in_BTC), d = split(shape_, din_BTC);
    AttentionRule rule = this->rule(memory.documents);
    const std::int64_t tokens = in_BTC.size(1);
    if (shape_.has_rope) rule.turned = ops.rope_table(resolved(shape_.rope, tokens), tokens);
    ops.attention_backward(rule, heads_of(dout_BTC, 0, shape_.heads, shape_.head_dim), p.q_BTHK, p.k_BTGK,
                           p.v_BTGK, sink(parameters), heads_of(out_BTC, 0, shape_.heads, shape_.head_dim),
                           memory.tensors[0], d.q_BTHK, d.k_BTGK, d.v_BTGK,
                           shape_.sink ? parameters.vectors[0].gradient : at::Tensor());
    // Of each token by one number: before or after the turn is the same.
    scale_queries(d.q_BTHK, 0, memory.documents);
    prepare_backward(parameters, shape_.qk_norm ? memory.tensors[1] : at::Tensor(), din_BTC);
}

}  // namespace braid
