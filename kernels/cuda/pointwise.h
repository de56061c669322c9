// RoPE, SwiGLU and the sink of softmax attention on CUDA: memory-bound passes over bfloat16 activations.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace braid::kernels::cuda {

// In place on a column slice: head h of row (b, t) starts at x + b*batch_stride + t*row_stride + h*head_dim.
struct Rope {
    __nv_bfloat16* x = nullptr;
    const float* cos = nullptr;  // [tokens, head_dim / 2]
    const float* sin = nullptr;
    std::int64_t batch = 0, tokens = 0, heads = 0;
    std::int64_t batch_stride = 0, row_stride = 0, head_stride = 0;
    int head_dim = 0;  // even
    bool inverse = false;
};
cudaError_t rope(const Rope& p, cudaStream_t stream);

struct Swiglu {
    const __nv_bfloat16* gate_up = nullptr;  // [rows, 2 * width]: gate, up
    __nv_bfloat16* h = nullptr;              // [rows, width]
    std::int64_t rows = 0;
    int width = 0;  // a multiple of 8
};
cudaError_t swiglu(const Swiglu& p, cudaStream_t stream);

struct SwigluBackward {
    const __nv_bfloat16* gate_up = nullptr;
    const __nv_bfloat16* dh = nullptr;
    __nv_bfloat16* dgate_up = nullptr;
    __nv_bfloat16* h = nullptr;  // computed again, to the same bits; null: not wanted
    std::int64_t rows = 0;
    int width = 0;
};
cudaError_t swiglu_backward(const SwigluBackward& p, cudaStream_t stream);

// o = o0 exp(lse0 - lse) with lse = logaddexp(lse0, sink). Without a sink a copy. o0 is [B, T, H, K] by
// strides, o a column slice.
struct SinkForward {
    const __nv_bfloat16* o0 = nullptr;
    const float* lse0 = nullptr;          // [B, H, T]
    const __nv_bfloat16* sink = nullptr;  // [H] or null
    __nv_bfloat16* o = nullptr;
    float* lse = nullptr;  // [B, H, T]
    std::int64_t batch = 0, tokens = 0, heads = 0;
    std::int64_t o0_batch_stride = 0, o0_row_stride = 0, o0_head_stride = 0;
    std::int64_t o_batch_stride = 0, o_row_stride = 0, o_head_stride = 0;
    int head_dim = 0;  // a multiple of 8
};
cudaError_t sink_forward(const SinkForward& p, cudaStream_t stream);

// dsink_h -= sum over b, t of exp(sink - lse) (do . o).
struct SinkBackward {
    const __nv_bfloat16* o = nullptr;
    const __nv_bfloat16* d_o = nullptr;
    const float* lse = nullptr;
    const __nv_bfloat16* sink = nullptr;
    float* dsink = nullptr;    // [H], accumulates
    float* partial = nullptr;  // scratch of batch * heads * sink_blocks(tokens)
    std::int64_t batch = 0, tokens = 0, heads = 0;
    std::int64_t o_batch_stride = 0, o_row_stride = 0, o_head_stride = 0;
    std::int64_t do_batch_stride = 0, do_row_stride = 0, do_head_stride = 0;
    int head_dim = 0;
};
std::int64_t sink_blocks(std::int64_t tokens);
cudaError_t sink_backward(const SinkBackward& p, cudaStream_t stream);

}  // namespace braid::kernels::cuda
