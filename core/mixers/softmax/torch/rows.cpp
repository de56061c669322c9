// Shares of softmax attention, a few rows at a time; letters as in softmax_mixer.cpp, r rows of S keys.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <limits>

#include "core/mixers/softmax/torch/split.h"

namespace braid {

AttentionRows SoftmaxMixer::attention_rows(const MixerPass& pass, std::int64_t head, std::int64_t first,
                                           std::int64_t count) const {
    const at::ScalarType type = pass.ops.statistics_type();
    const Projected p = split(shape_, pass.in_BTC);
    const AttentionRule rule = this->rule();
    const std::int64_t reader = head / (shape_.heads / shape_.kv_heads), end = first + count;
    const std::int64_t low = rule.window > 0 ? std::max<std::int64_t>(first - rule.window + 1, 0) : 0;
    const at::Tensor q_BrK = p.q_BTHK.select(2, head).narrow(1, first, count).to(type).mul(rule.scale);
    const at::Tensor k_BsK = p.k_BTGK.select(2, reader).narrow(1, low, end - low).to(type);
    at::Tensor shares = at::bmm(q_BrK, k_BsK.transpose(1, 2));
    const auto places = at::TensorOptions().dtype(at::kLong).device(shares.device());
    const at::Tensor age = at::arange(first, end, places).unsqueeze(1) - at::arange(low, end, places);
    at::Tensor hidden = age.lt(0);
    if (rule.window > 0) hidden.logical_or_(age.ge(rule.window));
    shares.masked_fill_(hidden, -std::numeric_limits<double>::infinity());
    AttentionRows rows;
    if (shape_.sink) {
        const at::Tensor sink = pass.parameters.vectors[0].value[head].to(type);
        shares = at::cat({shares, sink.expand({shares.size(0), count, 1})}, 2).softmax(-1);
        rows.sink_Br = shares.select(2, end - low);
        shares = shares.narrow(2, 0, end - low);
    } else {
        shares = shares.softmax(-1);
    }
    if (low > 0) shares = at::cat({at::zeros({shares.size(0), count, low}, shares.options()), shares}, 2);
    rows.weights_BrS = shares;
    rows.values_BSV = p.v_BTGK.select(2, reader).narrow(1, 0, end).to(type);
    rows.output_BrV = heads_of(pass.out_BTC, 0, shape_.heads, shape_.head_dim)
                          .select(2, head)
                          .narrow(1, first, count)
                          .to(type);
    return rows;
}

std::optional<AttentionFactors> SoftmaxMixer::attention_factors(const MixerPass& pass,
                                                                std::int64_t head) const {
    const at::ScalarType type = pass.ops.statistics_type();
    const Projected p = split(shape_, pass.in_BTC);
    AttentionFactors factors{
        .q_BTK = p.q_BTHK.select(2, head).to(type).mul(rule().scale),
        .k_BTK = p.k_BTGK.select(2, head / (shape_.heads / shape_.kv_heads)).to(type).contiguous(),
        .offset_BT = pass.memory.tensors[0].select(1, head).to(at::kDouble),
        .window = shape_.window};
    if (shape_.sink)
        factors.sink_BT =
            (pass.parameters.vectors[0].value[head].to(at::kDouble) - factors.offset_BT).exp().to(type);
    return factors;
}

}  // namespace braid
