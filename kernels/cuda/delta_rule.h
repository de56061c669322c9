// The gated delta rule on CUDA, in chunks of 64 tokens; what it computes:
// core/mixers/torch/linear_attention.h, how: core/mixers/torch/delta_attention.cpp. Here the triangular
// system is solved for the errors e, so that a write strength of 0 is as good as any. With b the cumulative
// log-decay of a chunk and S the state before it,
//
//   E = T (V - diag(exp b) K S) = E0 - W S,   U = diag(beta) E
//   T = (I + G diag(beta))^-1,   G_ij = exp(b_i - b_j) (k_i.k_j) below the diagonal
//   S' = exp(b_C) S + K'^T U = exp(b_C) S - M S + N
//   K'_j = exp(b_C - b_j) k_j,   M = K'^T diag(beta) W,   N = K'^T diag(beta) E0
//
// T, W, M and N of all chunks are made side by side; one product with M a chunk is all that must go in order,
// and backwards, for the gradient of the states, it is a product with M^T.
//
// Products are of bfloat16 with float32 sums. Tokens correct each other, so rounding adds up: what a chunk
// holds is kept as two bfloat16 (delta_split.cuh), only states, W, M and, backwards, T are rounded once.
// Decays, T and the states in between are float32. The order of all sums is fixed.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace braid::kernels::cuda {

// [batch, tokens, heads, dim]: strides in elements, even; the elements of a head lie together, at a multiple
// of 4 bytes.
template <class T>
struct DeltaHeads {
    T* data = nullptr;
    std::int64_t batch = 0, row = 0, head = 0;
};

struct DeltaShape {
    int batch = 0, tokens = 0;
    int states = 0;   // heads of k and v
    int readers = 0;  // query heads of each state
    int key_dim = 0, value_dim = 0;
};
// Even dimensions up to 64; from 50 on, blocks of the present device need 111 KiB of shared memory.
bool delta_rule_supports(const DeltaShape& shape);
// Elements that the forward pass leaves for the backward pass, and bytes that both may write over in between.
std::int64_t delta_rule_kept_elements(const DeltaShape& shape);
std::int64_t delta_rule_scratch_bytes(const DeltaShape& shape, bool backward);

struct DeltaRule {
    DeltaShape shape;
    bool silu = false;  // of q, k and v, as they are read
    bool unit = false;  // q and k by their length, after silu
    float scale = 1;    // of q
    DeltaHeads<const __nv_bfloat16> q, k, v;
    const float* log_decay = nullptr;  // [states] at each batch and row
    std::int64_t decay_batch = 0, decay_row = 0;
    const float* beta = nullptr;     // [batch, tokens, states]; null: 1
    const float* initial = nullptr;  // [batch, states, key_dim, value_dim]; null: 0
    // [batch, tokens]: where each token's document begins; null: one document.
    const std::int32_t* starts = nullptr;
    __nv_bfloat16* kept = nullptr;  // delta_rule_kept_elements(); scratch where no backward pass follows
    void* scratch = nullptr;        // delta_rule_scratch_bytes()
};

struct DeltaOutput {
    DeltaHeads<__nv_bfloat16> o;  // [batch, tokens, states * readers, value_dim]
    float* last = nullptr;        // [batch, states, key_dim, value_dim], or null; may be `initial`
};
cudaError_t delta_rule(const DeltaRule& p, const DeltaOutput& to, cudaStream_t stream);

// Overwritten.
struct DeltaGradient {
    DeltaHeads<const __nv_bfloat16> d_o;
    DeltaHeads<__nv_bfloat16> dq, dk, dv;
    float* dlog_decay = nullptr;  // [batch, tokens, states], or null
    float* dbeta = nullptr;       // likewise
};
cudaError_t delta_rule_backward(const DeltaRule& p, const DeltaGradient& to, cudaStream_t stream);

}  // namespace braid::kernels::cuda
