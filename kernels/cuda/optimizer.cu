#include "kernels/cuda/common.cuh"
#include "kernels/cuda/optimizer.h"

namespace braid::kernels::cuda {
namespace {

constexpr int threads = 256;
constexpr int norm_grid = 1024;

__global__ void square_sum_kernel(NormAndClip p) {
    float sum = 0;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < p.n;
         i += std::int64_t{gridDim.x} * blockDim.x)
        sum += p.x[i] * p.x[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) p.partial[blockIdx.x] = sum;
}

__global__ void clip_kernel(NormAndClip p) {
    float sum = 0;
    for (int i = threadIdx.x; i < norm_grid; i += blockDim.x) sum += p.partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        const float norm = sqrtf(sum);
        *p.norm = norm;
        *p.clip = p.max_norm > 0 && norm > p.max_norm ? p.max_norm / norm : 1.0F;
    }
}

__global__ void begin_update_kernel(BeginUpdate p) {
    const bool good = isfinite(*p.norm) && (p.loss == nullptr || isfinite(*p.loss));
    *p.applied = good ? 1.0F : 0.0F;
    if (!good) return;
    const auto updates = static_cast<double>(++*p.updates);
    *p.bias_correction1 = static_cast<float>(1 - pow(p.beta1, updates));
    *p.bias_correction2 = static_cast<float>(1 - pow(p.beta2, updates));
}

// m = mu m + (1 - mu) g; u = mu m + (1 - mu) g.
__global__ void momentum_kernel(MuonPrepare p) {
    if (*p.applied == 0.0F) return;
    const std::int64_t matrix = blockIdx.y;
    const std::int64_t offset = p.offsets[matrix];
    const float clip = *p.clip;
    float sum = 0;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < p.size;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        const float g = (1.0F - p.mu) * clip * p.gradients[offset + i];
        const float m = p.mu * p.momentum[offset + i] + g;
        p.momentum[offset + i] = m;
        const float u = p.mu * m + g;
        // Gradients are often far below bf16's smallest normal number once squared; their direction is what
        // counts, and bf16 has float's exponent range.
        p.update[matrix * p.size + i] = from_float<bf16>(u);
        sum += u * u;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) p.square_sums[matrix * gridDim.x + blockIdx.x] = sum;
}

__global__ void square_sums_kernel(Normalise p) {
    const std::int64_t matrix = blockIdx.y;
    float sum = 0;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < p.size;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        const float x = to_float(p.x[matrix * p.size + i]);
        sum += x * x;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) p.square_sums[matrix * gridDim.x + blockIdx.x] = sum;
}

__global__ void divide_kernel(bf16* x, const float* square_sums, std::int64_t size) {
    const std::int64_t matrix = blockIdx.y;
    float sum = 0;
    for (int i = threadIdx.x; i < static_cast<int>(gridDim.x); i += blockDim.x)
        sum += square_sums[matrix * gridDim.x + i];
    const float inverse = 1.0F / (sqrtf(block_sum(sum)) + 1e-7F);
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size;
         i += std::int64_t{gridDim.x} * blockDim.x)
        x[matrix * size + i] = from_float<bf16>(to_float(x[matrix * size + i]) * inverse);
}

__global__ void muon_apply_kernel(MuonApply p) {
    if (*p.applied == 0.0F) return;
    const std::int64_t matrix = blockIdx.y;
    const std::int64_t offset = p.offsets[matrix];
    const float lr = *p.learning_rate;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < p.size;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        const float v = p.values[offset + i] * (1.0F - lr * p.weight_decay) -
                        lr * p.update_scale * to_float(p.update[matrix * p.size + i]);
        p.values[offset + i] = v;
        p.compute[offset + i] = from_float<bf16>(v);
    }
}

__global__ void adamw_kernel(AdamW p) {
    if (*p.applied == 0.0F) return;
    const float lr = *p.learning_rate;
    const float correction1 = *p.bias_correction1;
    const float correction2 = *p.bias_correction2;
    const float clip = *p.clip;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < p.n;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        const float g = clip * p.gradients[i];
        const float m = p.beta1 * p.exp_avg[i] + (1.0F - p.beta1) * g;
        const float v = p.beta2 * p.exp_avg_sq[i] + (1.0F - p.beta2) * g * g;
        p.exp_avg[i] = m;
        p.exp_avg_sq[i] = v;
        const float value = p.values[i] * (1.0F - lr * p.weight_decay) -
                            lr * (m / correction1) / (sqrtf(v / correction2) + p.eps);
        p.values[i] = value;
        p.compute[i] = from_float<bf16>(value);
    }
}

dim3 matrix_grid(std::int64_t matrices, std::int64_t size) {
    return {static_cast<unsigned>(muon_blocks(size)), static_cast<unsigned>(matrices)};
}

}  // namespace

int norm_blocks() { return norm_grid; }

cudaError_t norm_and_clip(const NormAndClip& p, cudaStream_t stream) {
    square_sum_kernel<<<norm_grid, threads, 0, stream>>>(p);
    clip_kernel<<<1, threads, 0, stream>>>(p);
    return cudaGetLastError();
}

cudaError_t begin_update(const BeginUpdate& p, cudaStream_t stream) {
    begin_update_kernel<<<1, 1, 0, stream>>>(p);
    return cudaGetLastError();
}

int muon_blocks(std::int64_t size) {
    const int blocks = ceil_div(size, std::int64_t{threads} * 8);
    return blocks < 64 ? blocks : 64;
}

cudaError_t muon_prepare(const MuonPrepare& p, cudaStream_t stream) {
    const dim3 grid = matrix_grid(p.matrices, p.size);
    momentum_kernel<<<grid, threads, 0, stream>>>(p);
    divide_kernel<<<grid, threads, 0, stream>>>(p.update, p.square_sums, p.size);
    return cudaGetLastError();
}

cudaError_t normalise(const Normalise& p, cudaStream_t stream) {
    const dim3 grid = matrix_grid(p.matrices, p.size);
    square_sums_kernel<<<grid, threads, 0, stream>>>(p);
    divide_kernel<<<grid, threads, 0, stream>>>(p.x, p.square_sums, p.size);
    return cudaGetLastError();
}

cudaError_t muon_apply(const MuonApply& p, cudaStream_t stream) {
    muon_apply_kernel<<<matrix_grid(p.matrices, p.size), threads, 0, stream>>>(p);
    return cudaGetLastError();
}

cudaError_t adamw(const AdamW& p, cudaStream_t stream) {
    if (p.n == 0) return cudaSuccess;
    const std::int64_t blocks = (p.n + threads - 1) / threads;
    adamw_kernel<<<static_cast<unsigned>(blocks < 8192 ? blocks : 8192), threads, 0, stream>>>(p);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
