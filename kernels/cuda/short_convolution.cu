#include "kernels/cuda/short_convolution.h"

#include "kernels/cuda/columns.h"
#include "kernels/cuda/common.cuh"

namespace braid::kernels::cuda {
namespace {

constexpr int taps = convolution_taps;
constexpr int span = 64;  // tokens that a thread goes through, of one channel
constexpr int threads = 128;

__device__ __forceinline__ float value(const ChannelRows& x, int batch, int t, int channel) {
    return to_float(x.data[batch * x.batch + t * x.row + channel]);
}
__device__ __forceinline__ int start(const ShortConvolution& p, int batch, int t) {
    return p.starts == nullptr ? 0 : p.starts[static_cast<std::int64_t>(batch) * p.tokens + t];
}

__global__ void __launch_bounds__(threads) convolution_kernel(ShortConvolution p, ChannelRows y) {
    const int channel = blockIdx.x * threads + threadIdx.x, batch = blockIdx.z;
    if (channel >= p.channels) return;
    const int begin = blockIdx.y * span, end = min(begin + span, p.tokens);
    float tap[taps], x[taps];
#pragma unroll
    for (int i = 0; i < taps; ++i) tap[i] = to_float(p.taps[channel * taps + i]);
#pragma unroll
    for (int i = 1; i < taps; ++i)
        x[i] = begin - taps + i >= 0 ? value(p.x, batch, begin - taps + i, channel) : 0.0F;
#pragma unroll 8
    for (int t = begin; t < end; ++t) {
#pragma unroll
        for (int i = 1; i < taps; ++i) x[i - 1] = x[i];
        x[taps - 1] = value(p.x, batch, t, channel);
        const int age = t - start(p, batch, t);
        float sum = 0;
#pragma unroll
        for (int i = 0; i < taps; ++i) sum += taps - 1 - i <= age ? tap[i] * x[i] : 0.0F;
        y.data[batch * y.batch + t * y.row + channel] = from_float<bf16>(sum);
    }
}

__global__ void __launch_bounds__(threads) convolution_backward_kernel(ShortConvolutionBackward b) {
    const ShortConvolution& p = b.forward;
    const int channel = blockIdx.x * threads + threadIdx.x, batch = blockIdx.z;
    if (channel >= p.channels) return;
    const int begin = blockIdx.y * span, end = min(begin + span, p.tokens);
    float tap[taps], dtap[taps] = {}, dy[taps];
    int age[taps];  // dy[k] and age[k]: of token t + k
#pragma unroll
    for (int i = 0; i < taps; ++i) tap[i] = to_float(p.taps[channel * taps + i]);
    const auto read = [&](int t, float& d, int& a) {
        d = t < p.tokens ? value(b.dy, batch, t, channel) : 0.0F;
        a = t < p.tokens ? t - start(p, batch, t) : 0;
    };
#pragma unroll
    for (int k = 1; k < taps; ++k) read(begin + k - 1, dy[k], age[k]);
#pragma unroll 8
    for (int t = begin; t < end; ++t) {
#pragma unroll
        for (int k = 1; k < taps; ++k) {
            dy[k - 1] = dy[k];
            age[k - 1] = age[k];
        }
        read(t + taps - 1, dy[taps - 1], age[taps - 1]);
        const float x = value(p.x, batch, t, channel);
        float dx = 0;
#pragma unroll
        for (int k = 0; k < taps; ++k) {  // token t + k reads token t by tap 3 - k
            const float d = k <= age[k] ? dy[k] : 0.0F;
            dx += tap[taps - 1 - k] * d;
            dtap[taps - 1 - k] += d * x;
        }
        b.dx.data[batch * b.dx.batch + t * b.dx.row + channel] = from_float<bf16>(dx);
    }
    const std::int64_t row = static_cast<std::int64_t>(batch) * gridDim.y + blockIdx.y;
#pragma unroll
    for (int i = 0; i < taps; ++i) b.partial[(row * p.channels + channel) * taps + i] = dtap[i];
}

__global__ void __launch_bounds__(threads) convolution_step_kernel(ConvolutionStep p) {
    const int channel = blockIdx.x * threads + threadIdx.x, batch = blockIdx.y;
    if (channel >= p.channels) return;
    float* history = p.history + static_cast<std::int64_t>(batch) * (taps - 1) * p.channels + channel;
    float x[taps];
#pragma unroll
    for (int i = 0; i < taps - 1; ++i) x[i] = history[i * p.channels];
    x[taps - 1] = to_float(p.x[batch * p.x_batch + channel]);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < taps; ++i) sum += to_float(p.taps[channel * taps + i]) * x[i];
    p.y[batch * p.y_batch + channel] = from_float<bf16>(sum);
#pragma unroll
    for (int i = 0; i < taps - 1; ++i) history[i * p.channels] = x[i + 1];
}

dim3 grid_of(const ShortConvolution& p) {
    return dim3(ceil_div(p.channels, threads), ceil_div(p.tokens, span), p.batch);
}

}  // namespace

int convolution_partial_rows(int batch, int tokens) { return batch * ceil_div(tokens, span); }

cudaError_t short_convolution(const ShortConvolution& p, const ChannelRows& y, cudaStream_t stream) {
    convolution_kernel<<<grid_of(p), threads, 0, stream>>>(p, y);
    return cudaGetLastError();
}

cudaError_t short_convolution_step(const ConvolutionStep& p, cudaStream_t stream) {
    convolution_step_kernel<<<dim3(ceil_div(p.channels, threads), p.batch), threads, 0, stream>>>(p);
    return cudaGetLastError();
}

cudaError_t short_convolution_backward(const ShortConvolutionBackward& b, cudaStream_t stream) {
    const ShortConvolution& p = b.forward;
    convolution_backward_kernel<<<grid_of(p), threads, 0, stream>>>(b);
    if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) return status;
    return add_columns(b.partial, b.dtaps, convolution_partial_rows(p.batch, p.tokens), p.channels * taps,
                       stream);
}

}  // namespace braid::kernels::cuda
