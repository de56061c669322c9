// States between parts and chunks of the sequence, for the kernels of hopper_scan.h.
#pragma once

#include <numeric>

#include "kernels/cuda/hopper_scan_tile.cuh"

namespace braid::kernels::cuda::hopper {

constexpr int part_rows = 4 * scan_rows;  // tokens of a part

// States that share the heads of both x and y are advanced by one block, part by part:
//
//   S <- decay S + sum over tokens of factor x y^T
//
// forward with x, y = k, v, backward with q, d_o and without the scale.
struct StatesCall {
    LinearScan scan;
    Heads x, y;
    bool x_silu = false, y_silu = false;
    bool backward = false;
    const float* begin = nullptr;  // [parts, batch, states, key_dim, columns]: before each part; null: 0
    // [chunks, batch, states, key_dim, columns]: before each chunk (backward: behind it), as far as its part
    // is seen
    bf16* chunks = nullptr;
    float* worth = nullptr;   // [chunks, batch, states]: what there is left of `begin`
    float* shares = nullptr;  // as begin: behind each part
    float* totals = nullptr;  // [parts, batch, states]
};
cudaError_t scan_states(const StatesCall&, cudaStream_t);

// From what each part adds to the state before (backward: behind) each part.
struct PartChain {
    float* states = nullptr;  // [parts, count, key_dim, columns]
    bf16* rounded = nullptr;  // gets the result, else states
    const float* totals = nullptr;
    const float* initial = nullptr;  // [count, key_dim, value_dim]
    float* last = nullptr;
    int parts = 0;
    int count = 0;
    int key_dim = 0;
    int value_dim = 0;
    bool backward = false;
};
cudaError_t chain_parts(const PartChain&, cudaStream_t);

inline int scan_chunks(const LinearScan& p) { return ceil_div(p.tokens, scan_rows); }
inline int scan_parts(const LinearScan& p) { return ceil_div(p.tokens, part_rows); }
inline std::int64_t state_elements(const LinearScan& p) {
    return std::int64_t{p.key_dim} * state_columns(p.value_dim);
}
// States one after the other, from a multiple of the result on, that no head of q, k or v outside shares.
inline int states_together(const LinearScan& p) {
    int states = 1;
    for (const HeadVectors* x : {&p.q, &p.k, &p.v}) states = std::lcm(states, p.states / x->heads);
    return states;
}

}  // namespace braid::kernels::cuda::hopper
