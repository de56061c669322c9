// Attention through a matrix-valued state that decays by a scalar (core/mixers "lightning", "mamba2", "gdn";
// the paper's Eq. 3 to 5), token by token:
//
//   S <- exp(log_decay_t) S
//   S <- S + beta_t k_t v_t^T             or, delta, S <- S + k_t (beta_t (v_t - S^T k_t))^T
//   o_t = scale S^T q_t + skip v_t
//
// The reference alone: training runs the chunked form (core/mixers/torch/linear_attention.h).
#pragma once

#include <cstdint>

namespace braid::kernels {

struct LinearAttentionShape {
    std::int64_t batch = 0;
    std::int64_t tokens = 0;
    std::int64_t states = 0;
    std::int64_t q_heads = 0;  // divides states, or a multiple of them
    std::int64_t k_heads = 0;  // divides states; state s reads head s / (states / k_heads)
    std::int64_t v_heads = 0;  // likewise
    std::int64_t key_dim = 0;
    std::int64_t value_dim = 0;
    bool silu = false;     // of q, k and v as they are read
    bool unit_qk = false;  // q and k by their length, (|x|^2 + 1e-6)^1/2, after silu
    bool delta = false;
    double scale = 1;

    std::int64_t outputs() const { return q_heads > states ? q_heads : states; }
};

// Everything contiguous.
struct LinearAttentionArgs {
    LinearAttentionShape shape;
    const double* q = nullptr;          // [batch, tokens, q_heads, key_dim]
    const double* k = nullptr;          // [batch, tokens, k_heads, key_dim]
    const double* v = nullptr;          // [batch, tokens, v_heads, value_dim]
    const double* log_decay = nullptr;  // [batch, tokens, states]
    const double* beta = nullptr;       // [batch, tokens, states]; null: 1
    const double* skip = nullptr;       // [states]; null: 0
    double* o = nullptr;                // [batch, tokens, outputs, value_dim]
    double* last = nullptr;             // [batch, states, key_dim, value_dim], or null
};

struct LinearAttentionBackwardArgs {
    LinearAttentionArgs forward;  // o and last unused
    const double* d_o = nullptr;
    // All accumulate; those of inputs that are null are null.
    double* dq = nullptr;
    double* dk = nullptr;
    double* dv = nullptr;
    double* dlog_decay = nullptr;
    double* dbeta = nullptr;
    double* dskip = nullptr;
};

namespace ref {
void linear_attention(const LinearAttentionArgs& args);
void linear_attention_backward(const LinearAttentionBackwardArgs& args);
}  // namespace ref

}  // namespace braid::kernels
