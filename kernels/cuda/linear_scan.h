// Attention through a state that decays by a scalar (core/mixers "lightning", "mamba2"; the paper's Eq. 3 and
// 4), in chunks on tensor cores, bfloat16 products with float32 sums and states:
//
//   S <- exp(log_decay_t) S + beta_t k_t v_t^T,   o_t = scale S^T q_t + skip v_t
//
// The sequence is cut into parts that run side by side: first what each part adds to the state, then the
// states before the parts, one after the other, then the outputs. States s reads query head s / (states /
// q_heads), and so on. Shape letters: core/mixers/torch/linear_attention.h.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/head_vectors.h"

namespace braid::kernels::cuda {

struct LinearScan {
    int batch = 0;
    int tokens = 0;
    int states = 0;
    int key_dim = 0;    // up to 64
    int value_dim = 0;  // up to 64
    bool silu = false;  // of q, k and v as they are read
    float scale = 1;
    HeadVectors q, k, v;               // heads divide states
    const float* log_decay = nullptr;  // [batch, tokens, states], or [states]
    bool constant_decay = false;
    const float* beta = nullptr;  // [batch, tokens, states]; null: 1
    const float* skip = nullptr;  // [states]; null: 0
    const std::int32_t* starts =
        nullptr;  // [batch, tokens], where each token's document begins; null: one document
    // The state before each part, [linear_parts(tokens), batch, states, key_dim, value_dim]: written by the
    // forward pass, read by the backward pass.
    float* boundaries = nullptr;
    float* totals =
        nullptr;  // [linear_parts(tokens), batch, states]: what remains of the state behind each part
};

bool linear_scan_supports(int key_dim, int value_dim);
int linear_parts(std::int64_t tokens);

struct LinearScanForward {
    LinearScan scan;
    const float* initial = nullptr;  // [batch, states, key_dim, value_dim]; null: 0
    float* last = nullptr;           // the same, or null; may be initial
    HeadVectors o;                   // a head for each state
};
cudaError_t linear_scan(const LinearScanForward& p, cudaStream_t stream);

struct LinearScanBackward {
    LinearScan scan;  // boundaries and totals as the forward pass left them
    HeadVectors d_o;
    HeadVectors dq, dk, dv;            // overwritten
    float* dlog_decay = nullptr;       // [batch, tokens, states], or null where the decay is constant
    float* dbeta = nullptr;            // [batch, tokens, states], or null
    float* dskip = nullptr;            // [states], accumulates, or null
    float* dboundaries = nullptr;      // scratch, as long as boundaries
    float* skip_partial = nullptr;     // scratch, as long as totals; with dskip
    __nv_bfloat16* partial = nullptr;  // scratch of batch x tokens x states x (2 key_dim + value_dim)
};
cudaError_t linear_scan_backward(const LinearScanBackward& p, cudaStream_t stream);

}  // namespace braid::kernels::cuda
