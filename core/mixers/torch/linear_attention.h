// Attention through a matrix-valued state: one operation for every mixer whose state decays by a scalar
// (core/mixers: "lightning", "mamba2", "gdn"; the paper's Eq. 3 to 5).
//
//   S <- g_t S                                  g_t = exp(log_decay_t), one a state
//   S <- S + beta_t k_t v_t^T                   or, as the delta rule, S + k_t (beta_t (v_t - S^T k_t))^T
//   o_t = scale S^T q_t + skip v_t
//
// Shape letters: B sequences, T tokens, S states, H query heads, G key heads, J value heads, R = max(S, H)
// output heads, K key and V value dimension, C columns. G and J divide S; H divides S or is a multiple of it.
// State s reads key head s / (S/G); where there are more queries than states, query h reads state h / (H/S).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace braid {

struct LinearRule {
    bool silu = false;     // of q, k and v, as they are read
    bool unit_qk = false;  // q and k divided by their length, after silu
    bool delta = false;
    double scale = 1;
};

// q, k, v may have any batch, row and head stride and any floating type. The rest is contiguous, of
// statistics_type().
struct LinearInput {
    at::Tensor q_BTHK, k_BTGK, v_BTJV;
    at::Tensor log_decay_BTS;      // <= 0; or [S]: constant
    at::Tensor beta_BTS = {};      // undefined: 1
    at::Tensor skip_S = {};        // undefined: 0
    at::Tensor initial_BSKV = {};  // the state before the first token; undefined: 0
    // int32: where each token's document begins; the state starts anew there. Undefined: one document.
    at::Tensor starts_BT = {};
};

// Overwritten, as strided and of any type; dskip accumulates. Undefined where the input has none.
struct LinearGradient {
    at::Tensor dq_BTHK, dk_BTGK, dv_BTJV;
    at::Tensor dlog_decay_BTS = {};  // undefined where the decay is constant
    at::Tensor dbeta_BTS = {};
    at::Tensor dskip_S = {};  // master_type()
};

struct LinearShape {
    std::int64_t states = 0;
    std::int64_t readers = 0;  // query heads
    std::int64_t key_dim = 0;
    std::int64_t value_dim = 0;
};

}  // namespace braid
