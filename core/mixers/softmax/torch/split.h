// The columns of softmax attention's input projection: q, k, v.
#pragma once

#include "core/mixers/softmax/softmax_mixer.h"
#include "core/mixers/torch/columns.h"

namespace braid {

struct Projected {
    at::Tensor q_BTHK, k_BTGK, v_BTGK;
    at::Tensor qk_BTRK;  // queries and keys together: RoPE turns both
};

inline Projected split(const SoftmaxShape& s, const at::Tensor& in_BTC) {
    const std::int64_t q = s.heads * s.head_dim, k = s.kv_heads * s.head_dim;
    return {.q_BTHK = heads_of(in_BTC, 0, s.heads, s.head_dim),
            .k_BTGK = heads_of(in_BTC, q, s.kv_heads, s.head_dim),
            .v_BTGK = heads_of(in_BTC, q + k, s.kv_heads, s.head_dim),
            .qk_BTRK = heads_of(in_BTC, 0, s.heads + s.kv_heads, s.head_dim)};
}

}  // namespace braid
