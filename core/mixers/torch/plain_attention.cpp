// Shape letters: core/mixers/torch/ops.h; R = H/G query heads of a key/value head, n queries of a block, m
// keys that it may see.
#include "core/mixers/torch/plain_attention.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace braid {
namespace {

// Scores that exist at once, in elements.
constexpr std::int64_t block_scores = std::int64_t{1} << 26;

struct Block {
    std::int64_t query, queries;  // first, count
    std::int64_t key, keys;
};

class Blocks {
public:
    Blocks(const AttentionRule& rule, const at::Tensor& q_BTHK, const at::Tensor& k_BTGK, at::ScalarType type)
        : rule_(rule),
          type_(type),
          batch_(q_BTHK.size(0)),
          tokens_(q_BTHK.size(1)),
          heads_(q_BTHK.size(2)),
          kv_heads_(k_BTGK.size(2)),
          positions_T_(at::arange(tokens_, at::dtype(at::kLong).device(q_BTHK.device()))) {}

    template <class F>
    void for_each(F&& f) const {
        const std::int64_t rows = batch_ * heads_ * tokens_;
        const std::int64_t size = std::clamp<std::int64_t>(block_scores / rows, 1, tokens_);
        for (std::int64_t first = 0; first < tokens_; first += size) {
            const std::int64_t queries = std::min(size, tokens_ - first);
            const std::int64_t key =
                rule_.window > 0 ? std::max<std::int64_t>(0, first - rule_.window + 1) : 0;
            f(Block{.query = first, .queries = queries, .key = key, .keys = first + queries - key});
        }
    }

    // The queries of a block, [B, G, R*n, K], from [B, T, H, K].
    at::Tensor queries(const Block& b, const at::Tensor& x_BTHK) const {
        return x_BTHK.narrow(1, b.query, b.queries)
            .to(type_)
            .transpose(1, 2)
            .reshape({batch_, kv_heads_, heads_ / kv_heads_ * b.queries, x_BTHK.size(3)});
    }
    // The keys or values that it may see, [B, G, m, K].
    at::Tensor keys(const Block& b, const at::Tensor& x_BTGK) const {
        return x_BTGK.narrow(1, b.key, b.keys).to(type_).transpose(1, 2);
    }
    // [B, G, R*n, K] back to [B, n, H, K].
    at::Tensor by_token(const Block& b, const at::Tensor& x) const {
        return x.reshape({batch_, heads_, b.queries, x.size(3)}).transpose(1, 2);
    }
    // [B, G, R*n, 1] of [B, H, T].
    at::Tensor statistic(const Block& b, const at::Tensor& x_BHT) const {
        return x_BHT.narrow(2, b.query, b.queries)
            .to(type_)
            .reshape({batch_, kv_heads_, heads_ / kv_heads_ * b.queries, 1});
    }
    // scale q.k, minus infinity where the key is not visible: [B, G, R*n, m].
    at::Tensor scores(const Block& b, const at::Tensor& queries, const at::Tensor& keys) const {
        at::Tensor all = at::matmul(queries, keys.transpose(2, 3)).mul_(rule_.scale);
        all.view({batch_, heads_, b.queries, b.keys}).masked_fill_(hidden(b), -INFINITY);
        return all;
    }

private:
    at::Tensor hidden(const Block& b) const {  // [B or 1, 1, n, m]
        const at::Tensor query_n1 = positions_T_.narrow(0, b.query, b.queries).unsqueeze(1);
        const at::Tensor key_1m = positions_T_.narrow(0, b.key, b.keys).unsqueeze(0);
        at::Tensor hidden = key_1m.gt(query_n1);
        if (rule_.window > 0) hidden = at::logical_or(hidden, key_1m.le(query_n1.sub(rule_.window)));
        hidden = hidden.unsqueeze(0);
        if (rule_.documents.defined()) {
            const at::Tensor start_Bn1 = rule_.documents.starts_BT.narrow(1, b.query, b.queries).unsqueeze(2);
            hidden = at::logical_or(hidden, key_1m.unsqueeze(0).lt(start_Bn1));
        }
        return hidden.unsqueeze(1);
    }

    const AttentionRule& rule_;
    at::ScalarType type_;
    std::int64_t batch_, tokens_, heads_, kv_heads_;
    at::Tensor positions_T_;
};

}  // namespace

void plain_attention(const AttentionRule& rule, const at::Tensor& q_BTHK, const at::Tensor& k_BTGK,
                     const at::Tensor& v_BTGK, const at::Tensor& sink_H, const at::Tensor& o_BTHK,
                     const at::Tensor& lse_BHT) {
    const at::ScalarType type = lse_BHT.scalar_type();
    const Blocks blocks(rule, q_BTHK, k_BTGK, type);
    blocks.for_each([&](const Block& b) {
        const at::Tensor scores = blocks.scores(b, blocks.queries(b, q_BTHK), blocks.keys(b, k_BTGK));
        at::Tensor lse_BHn = at::logsumexp(scores, 3).view({q_BTHK.size(0), q_BTHK.size(2), b.queries});
        if (sink_H.defined()) lse_BHn = at::logaddexp(lse_BHn, sink_H.to(type).view({1, -1, 1}));
        lse_BHT.narrow(2, b.query, b.queries).copy_(lse_BHn);
        const at::Tensor p = scores.sub(blocks.statistic(b, lse_BHT)).exp_();
        o_BTHK.narrow(1, b.query, b.queries).copy_(blocks.by_token(b, at::matmul(p, blocks.keys(b, v_BTGK))));
    });
}

void plain_attention_backward(const AttentionRule& rule, const at::Tensor& do_BTHK, const at::Tensor& q_BTHK,
                              const at::Tensor& k_BTGK, const at::Tensor& v_BTGK, const at::Tensor& sink_H,
                              const at::Tensor& o_BTHK, const at::Tensor& lse_BHT, const at::Tensor& dq_BTHK,
                              const at::Tensor& dk_BTGK, const at::Tensor& dv_BTGK,
                              const at::Tensor& dsink_H) {
    const at::ScalarType type = lse_BHT.scalar_type();
    const Blocks blocks(rule, q_BTHK, k_BTGK, type);
    const at::Tensor dk = at::zeros({k_BTGK.size(0), k_BTGK.size(2), k_BTGK.size(1), k_BTGK.size(3)},
                                    lse_BHT.options());  // [B, G, T, K]
    const at::Tensor dv = at::zeros(dk.sizes(), dk.options());
    const at::Tensor delta_BHT = do_BTHK.to(type).mul(o_BTHK.to(type)).sum(3).transpose(1, 2).contiguous();
    blocks.for_each([&](const Block& b) {
        const at::Tensor q = blocks.queries(b, q_BTHK), d_o = blocks.queries(b, do_BTHK);
        const at::Tensor k = blocks.keys(b, k_BTGK);
        const at::Tensor p = blocks.scores(b, q, k).sub_(blocks.statistic(b, lse_BHT)).exp_();
        dv.narrow(2, b.key, b.keys).add_(at::matmul(p.transpose(2, 3), d_o));
        const at::Tensor ds = at::matmul(d_o, blocks.keys(b, v_BTGK).transpose(2, 3))
                                  .sub_(blocks.statistic(b, delta_BHT))
                                  .mul_(p)
                                  .mul_(rule.scale);
        dk.narrow(2, b.key, b.keys).add_(at::matmul(ds.transpose(2, 3), q));
        dq_BTHK.narrow(1, b.query, b.queries).copy_(blocks.by_token(b, at::matmul(ds, k)));
    });
    dk_BTGK.copy_(dk.transpose(1, 2));
    dv_BTGK.copy_(dv.transpose(1, 2));
    if (!sink_H.defined()) return;
    const at::Tensor share_BHT = sink_H.to(type).view({1, -1, 1}).sub(lse_BHT).exp_();
    dsink_H.sub_(share_BHT.mul_(delta_BHT).sum(at::IntArrayRef({0, 2})));
}

}  // namespace braid
