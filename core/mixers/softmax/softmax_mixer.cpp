// B sequences, T tokens, C columns, H query heads, G key/value heads, K head dimension.
#include "core/mixers/softmax/softmax_mixer.h"

#include <ATen/ops/empty.h>

#include <cmath>

#include "core/mixers/builtin.h"

namespace braid {
namespace {

// Columns [first head, ...) of a projection as heads, without a copy.
at::Tensor heads_of(const at::Tensor& in_BTC, std::int64_t first_column, std::int64_t heads,
                    std::int64_t head_dim) {
    return in_BTC.narrow(2, first_column, heads * head_dim).unflatten(2, {heads, head_dim});
}

struct Projected {
    at::Tensor q_BTHK, k_BTGK, v_BTGK;
    at::Tensor qk_BTRK;  // queries and keys together: RoPE turns both
};
Projected split(const SoftmaxShape& s, const at::Tensor& in_BTC) {
    const std::int64_t q = s.heads * s.head_dim, k = s.kv_heads * s.head_dim;
    return {.q_BTHK = heads_of(in_BTC, 0, s.heads, s.head_dim),
            .k_BTGK = heads_of(in_BTC, q, s.kv_heads, s.head_dim),
            .v_BTGK = heads_of(in_BTC, q + k, s.kv_heads, s.head_dim),
            .qk_BTRK = heads_of(in_BTC, 0, s.heads + s.kv_heads, s.head_dim)};
}

}  // namespace

SoftmaxShape softmax_shape(const HeadGroup& group, const MixerContext& context, std::int64_t window) {
    const auto& described = builtin_mixers().find(group.mixer)->description().parameters;
    return {.heads = group.heads,
            .kv_heads = group.kv_heads,
            .head_dim = context.head_dim,
            .window = window,
            .rope = std::get<std::string>(group.parameters.get("position", described)) == "rope",
            .rope_base = std::get<double>(group.parameters.get("rope_base", described)),
            .sink = std::get<bool>(group.parameters.get("sink", described))};
}

AttentionRule SoftmaxMixer::rule() const {
    return {.window = shape_.window, .scale = 1.0 / std::sqrt(double(shape_.head_dim))};
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

void SoftmaxMixer::forward(Ops& ops, const std::vector<VectorParameter>& vectors, const at::Tensor& in_BTC,
                           const at::Tensor& out_BTC, MixerMemory& memory) const {
    const Projected p = split(shape_, in_BTC);
    if (shape_.rope)
        ops.rope(p.qk_BTRK, ops.rope_table(shape_.rope_base, in_BTC.size(1), shape_.head_dim), false);
    ops.attention(rule(), p.q_BTHK, p.k_BTGK, p.v_BTGK, shape_.sink ? vectors[0].value : at::Tensor(),
                  heads_of(out_BTC, 0, shape_.heads, shape_.head_dim), memory.tensors[0]);
}

void SoftmaxMixer::backward(Ops& ops, const std::vector<VectorParameter>& vectors, const at::Tensor& in_BTC,
                            const at::Tensor& out_BTC, const at::Tensor& dout_BTC, const at::Tensor& din_BTC,
                            MixerMemory& memory) const {
    const Projected p = split(shape_, in_BTC), d = split(shape_, din_BTC);
    ops.attention_backward(rule(), heads_of(dout_BTC, 0, shape_.heads, shape_.head_dim), p.q_BTHK, p.k_BTGK,
                           p.v_BTGK, shape_.sink ? vectors[0].value : at::Tensor(),
                           heads_of(out_BTC, 0, shape_.heads, shape_.head_dim), memory.tensors[0], d.q_BTHK,
                           d.k_BTGK, d.v_BTGK, shape_.sink ? vectors[0].gradient : at::Tensor());
    if (shape_.rope)
        ops.rope(d.qk_BTRK, ops.rope_table(shape_.rope_base, in_BTC.size(1), shape_.head_dim), true);
}

}  // namespace braid
