// Prefill and decoding of softmax attention: keys and values in a cache that is a ring where a window is
// short.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <bit>

#include "core/mixers/softmax/softmax_mixer.h"
#include "core/mixers/softmax/torch/split.h"

namespace braid {
namespace {

// Tables are made for powers of two of tokens, so that texts of many lengths share a few.
RopeTable rope_from(Ops& ops, const RopeRule& rule, std::int64_t end, const MixerState& state) {
    const auto tokens = std::int64_t(std::bit_ceil(std::uint64_t(std::max<std::int64_t>(end, 1024))));
    return ops.rope_table(resolved(rule, state.capacity), tokens);
}

at::Tensor slots(std::int64_t begin, std::int64_t end, std::int64_t length, at::Device device) {
    return at::arange(begin, end, at::TensorOptions().dtype(at::kLong).device(device)).remainder_(length);
}

}  // namespace

MixerState SoftmaxMixer::make_state(Ops& ops, std::int64_t batch, std::int64_t capacity) const {
    const std::int64_t kept = shape_.window > 0 ? std::min(shape_.window, capacity) : capacity;
    const auto options = at::TensorOptions().dtype(ops.compute_type()).device(ops.device());
    const auto cache = [&] { return at::zeros({batch, shape_.kv_heads, kept, shape_.head_dim}, options); };
    return {.capacity = capacity, .cache = {cache(), cache()}, .recurrent = {}};
}

void SoftmaxMixer::extend(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                          const at::Tensor& out_BTC, MixerState& state, std::int64_t first) const {
    prepare(parameters, in_BTC, {});
    const Projected p = split(shape_, in_BTC);
    const std::int64_t batch = in_BTC.size(0), tokens = in_BTC.size(1);
    if (shape_.has_rope) {
        const RopeTable table = rope_from(ops, shape_.rope, first + tokens, state);
        rotate(ops, p.qk_BTRK,
               {table.cos_TK2.narrow(0, first, tokens), table.sin_TK2.narrow(0, first, tokens)});
    }
    scale_queries(p.q_BTHK, first);
    const at::Tensor o_BTHK = heads_of(out_BTC, 0, shape_.heads, shape_.head_dim);
    const at::Tensor new_k = p.k_BTGK.transpose(1, 2), new_v = p.v_BTGK.transpose(1, 2);
    const at::Tensor &k_BGSK = state.cache[0], &v_BGSK = state.cache[1];
    const std::int64_t length = k_BGSK.size(2);
    if (first == 0) {
        const at::Tensor lse =
            at::empty({batch, shape_.heads, tokens},
                      at::TensorOptions().dtype(ops.statistics_type()).device(ops.device()));
        ops.attention(rule(), p.q_BTHK, p.k_BTGK, p.v_BTGK, sink(parameters), o_BTHK, lse);
    } else {
        // Behind a window of keys, no more are of use.
        const std::int64_t old = shape_.window > 0 ? std::min(first, shape_.window - 1) : first;
        const at::Tensor places = slots(first - old, first, length, in_BTC.device());
        ops.attention_over(rule(), p.q_BTHK, at::cat({k_BGSK.index_select(2, places), new_k}, 2),
                           at::cat({v_BGSK.index_select(2, places), new_v}, 2), sink(parameters), first - old,
                           first, o_BTHK);
    }
    const std::int64_t written = std::min(tokens, length);
    const at::Tensor places = slots(first + tokens - written, first + tokens, length, in_BTC.device());
    k_BGSK.index_copy_(2, places, new_k.narrow(2, tokens - written, written));
    v_BGSK.index_copy_(2, places, new_v.narrow(2, tokens - written, written));
}

void SoftmaxMixer::step(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_B1C,
                        const at::Tensor& out_B1C, MixerState& state, const StepPlace& place) const {
    HeadRule heads = head_rule(parameters);
    if (shape_.has_rope) heads.rope = rope_from(ops, shape_.rope, place.longest, state);
    const Projected p = split(shape_, in_B1C);
    const at::Tensor q_BHK = p.q_BTHK.squeeze(1);
    ops.cache_token(heads, q_BHK, p.k_BTGK.squeeze(1), p.v_BTGK.squeeze(1), place.positions_B, state.cache[0],
                    state.cache[1]);
    // Of a cache that is not full, no more than has been written.
    const std::int64_t keys = std::min(place.longest, state.cache[0].size(2));
    ops.attention_step(rule().scale, q_BHK, state.cache[0].narrow(2, 0, keys),
                       state.cache[1].narrow(2, 0, keys), sink(parameters), place.positions_B,
                       heads_of(out_B1C, 0, shape_.heads, shape_.head_dim).squeeze(1));
}

}  // namespace braid
