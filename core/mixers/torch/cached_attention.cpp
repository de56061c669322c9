// Softmax attention to keys and values that a cache holds: prefill behind a prefix, and decoding. No
// gradient.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/logsumexp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mixers/softmax/torch/head_norm.h"
#include "core/mixers/torch/ops.h"

namespace braid {
namespace {

constexpr std::int64_t query_block = 128;

// Scores to shares of attention, in place; a sink takes its part of each row. scores [B, G, r, Q, T].
void shares(at::Tensor& scores, const at::Tensor& sink_H) {
    at::Tensor lse = at::logsumexp(scores, {-1}, true);
    if (sink_H.defined())
        lse =
            at::logaddexp(lse, sink_H.to(lse.scalar_type()).view({1, scores.size(1), scores.size(2), 1, 1}));
    scores.sub_(lse).exp_();
}

}  // namespace

void Ops::attention_over(const AttentionRule& rule, const at::Tensor& q_BQHK, const at::Tensor& k_BGTK,
                         const at::Tensor& v_BGTK, const at::Tensor& sink_H, std::int64_t first_key,
                         std::int64_t first_query, const at::Tensor& o_BQHK) {
    const at::ScalarType type = statistics_type();
    const std::int64_t batch = q_BQHK.size(0), queries = q_BQHK.size(1), heads = q_BQHK.size(2);
    const std::int64_t width = q_BQHK.size(3), groups = k_BGTK.size(1), readers = heads / groups;
    for (std::int64_t begin = 0; begin < queries; begin += query_block) {
        const std::int64_t count = std::min(query_block, queries - begin);
        const std::int64_t first = first_query + begin;  // place of the block's first query
        const std::int64_t low = rule.window > 0 ? std::max(first - rule.window + 1, first_key) : first_key;
        const std::int64_t keys = first + count - low;
        const auto part = [&](const at::Tensor& x_BGTK) {
            return x_BGTK.narrow(2, low - first_key, keys).to(type).reshape({batch * groups, keys, width});
        };
        const at::Tensor q = q_BQHK.narrow(1, begin, count)
                                 .transpose(1, 2)
                                 .to(type)
                                 .mul(rule.scale)
                                 .reshape({batch * groups, readers * count, width});
        at::Tensor scores =
            at::bmm(q, part(k_BGTK).transpose(1, 2)).view({batch, groups, readers, count, keys});
        const auto places = at::TensorOptions().dtype(at::kLong).device(q.device());
        const at::Tensor age =
            at::arange(first, first + count, places).unsqueeze(1) - at::arange(low, low + keys, places);
        at::Tensor hidden = age.lt(0);
        if (rule.window > 0) hidden.logical_or_(age.ge(rule.window));
        scores.masked_fill_(hidden, -std::numeric_limits<double>::infinity());
        shares(scores, sink_H);
        const at::Tensor o = at::bmm(scores.view({batch * groups, readers * count, keys}), part(v_BGTK));
        o_BQHK.narrow(1, begin, count).copy_(o.view({batch, heads, count, width}).transpose(1, 2));
    }
}

void Ops::cache_token(const HeadRule& rule, const at::Tensor& q_BHK, const at::Tensor& k_BGK,
                      const at::Tensor& v_BGK, const at::Tensor& positions_B, const at::Tensor& k_BGSK,
                      const at::Tensor& v_BGSK) {
    const std::array<const at::Tensor*, 3> heads = {&q_BHK, &k_BGK, &v_BGK};
    for (std::size_t i = 0; i < heads.size(); ++i)
        if (rule.bias[i].defined()) heads[i]->add_(rule.bias[i].view({heads[i]->size(1), heads[i]->size(2)}));
    for (std::size_t i = 0; i < rule.norm_K.size(); ++i)
        if (rule.norm_K[i].defined()) head_norm(*heads[i], rule.norm_K[i], rule.norm_eps);
    if (rule.rope.cos_TK2.defined()) {
        // Sequences take the place of tokens: each has its own row of the table.
        const RopeTable rows = {rule.rope.cos_TK2.index_select(0, positions_B),
                                rule.rope.sin_TK2.index_select(0, positions_B)};
        for (const at::Tensor* x_BHK : {&q_BHK, &k_BGK})
            rope(x_BHK->narrow(2, 0, 2 * rows.cos_TK2.size(1)).unsqueeze(0), rows, false);
    }
    if (rule.log_n > 0) {
        const at::Tensor factor =
            positions_B.to(at::kDouble).add_(1).log_().div_(std::log(double(rule.log_n)));
        q_BHK.mul_(factor.clamp_min_(1).to(statistics_type()).view({-1, 1, 1}));
    }
    const at::Tensor index =
        positions_B.remainder(k_BGSK.size(2)).view({-1, 1, 1, 1}).expand_as(k_BGK.unsqueeze(2));
    k_BGSK.scatter_(2, index, k_BGK.unsqueeze(2));
    v_BGSK.scatter_(2, index, v_BGK.unsqueeze(2));
}

void Ops::attention_step(double scale, const at::Tensor& q_BHK, const at::Tensor& k_BGSK,
                         const at::Tensor& v_BGSK, const at::Tensor& sink_H, const at::Tensor& positions_B,
                         const at::Tensor& o_BHK) {
    const at::ScalarType type = statistics_type();
    const std::int64_t batch = q_BHK.size(0), heads = q_BHK.size(1), width = q_BHK.size(2);
    const std::int64_t groups = k_BGSK.size(1), keys = k_BGSK.size(2), readers = heads / groups;
    const at::Tensor q = q_BHK.to(type).mul(scale).reshape({batch * groups, readers, width});
    const auto part = [&](const at::Tensor& x_BGSK) {
        return x_BGSK.to(type).reshape({batch * groups, keys, width});
    };
    at::Tensor scores = at::bmm(q, part(k_BGSK).transpose(1, 2)).view({batch, groups, readers, 1, keys});
    const at::Tensor hidden = at::arange(keys, positions_B.options())
                                  .unsqueeze(0)
                                  .gt(positions_B.unsqueeze(1))
                                  .view({batch, 1, 1, 1, keys});
    scores.masked_fill_(hidden, -std::numeric_limits<double>::infinity());
    shares(scores, sink_H);
    o_BHK.copy_(
        at::bmm(scores.view({batch * groups, readers, keys}), part(v_BGSK)).view({batch, heads, width}));
}

}  // namespace braid
