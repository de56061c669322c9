// Causal convolution of each channel over a few tokens on CUDA: y_t = sum_i taps[:, i] x_{t - I + 1 + i},
// from zeros before the first token; no tap reaches a token of another document.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace braid::kernels::cuda {

constexpr int convolution_taps = 4;

// Token t of sequence b begins at data[b batch + t row]; channels side by side.
struct ChannelRows {
    __nv_bfloat16* data = nullptr;
    std::int64_t batch = 0;
    std::int64_t row = 0;
};

struct ShortConvolution {
    ChannelRows x;
    const __nv_bfloat16* taps = nullptr;  // [channels, 4]
    const std::int32_t* starts =
        nullptr;  // [batch, tokens], where each token's document begins; null: one document
    int batch = 0;
    int tokens = 0;
    int channels = 0;
};
cudaError_t short_convolution(const ShortConvolution& p, const ChannelRows& y, cudaStream_t stream);

// One token of every sequence behind others. history: the three tokens before it, then the last three.
struct ConvolutionStep {
    const __nv_bfloat16* x = nullptr;  // channels of sequence b at x[b x_batch]
    __nv_bfloat16* y = nullptr;
    std::int64_t x_batch = 0, y_batch = 0;
    const __nv_bfloat16* taps = nullptr;  // [channels, 4]
    float* history = nullptr;             // [batch, 3, channels]
    int batch = 0;
    int channels = 0;
};
cudaError_t short_convolution_step(const ConvolutionStep& p, cudaStream_t stream);

struct ShortConvolutionBackward {
    ShortConvolution forward;
    ChannelRows dy;
    ChannelRows dx;            // overwritten
    float* dtaps = nullptr;    // [channels, 4], accumulates
    float* partial = nullptr;  // scratch of convolution_partial_rows(batch, tokens) x channels x 4
};
int convolution_partial_rows(int batch, int tokens);
cudaError_t short_convolution_backward(const ShortConvolutionBackward& p, cudaStream_t stream);

}  // namespace braid::kernels::cuda
