// The attention of linear_scan.h on Hopper (compute capability 9.0): products of warpgroups (wgmma) on tiles
// of 64 x 64, whatever the dimensions, and one block for all states that share heads, which adds up their
// gradients in registers.
//
// Chunks of 128 tokens are independent of each other once the states before them are known, and for
// gradients those behind them; these come from shares of longer parts.
#pragma once

#include "kernels/cuda/linear_scan.h"

namespace braid::kernels::cuda {

// boundaries and totals of LinearScan are not used.
struct HopperScanForward {
    LinearScanForward call;
    // [chunks, batch, states, key_dim, columns] of hopper_scan_kept() elements: the state before each chunk.
    // Written by the forward pass, read by the backward pass.
    __nv_bfloat16* kept = nullptr;
    float* scratch = nullptr;  // [hopper_scan_scratch(call, false)]
};
struct HopperScanBackward {
    LinearScanBackward call;  // without dboundaries, skip_partial and partial
    const __nv_bfloat16* kept = nullptr;
    float* scratch = nullptr;  // [hopper_scan_scratch(call, true)]
};
std::int64_t hopper_scan_kept(const LinearScan&);
std::int64_t hopper_scan_scratch(const LinearScan&, bool backward);

cudaError_t hopper_scan(const HopperScanForward&, cudaStream_t);
cudaError_t hopper_scan_backward(const HopperScanBackward&, cudaStream_t);

}  // namespace braid::kernels::cuda
