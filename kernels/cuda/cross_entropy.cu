#include "kernels/cuda/common.cuh"
#include "kernels/cuda/cross_entropy.h"

namespace braid::kernels::cuda {
namespace {

constexpr int threads = 512;

// One block a row. Rows start at any multiple of vocab elements, so packs are used only where vocab allows.
template <bool vectorised>
__global__ void cross_entropy_kernel(CrossEntropy p) {
    const std::int64_t row = blockIdx.x;
    bf16* logits = p.logits + row * p.vocab;
    const std::int64_t target = p.targets[row];
    constexpr int n = vectorised ? Pack<bf16>::size : 1;
    const std::int64_t packs = p.vocab / n;
    float high = -INFINITY;
    float sum = 0;
    std::int64_t top = 0;
    for (std::int64_t i = threadIdx.x; i < packs; i += threads) {
        bf16 v[n];
        if constexpr (vectorised)
            *reinterpret_cast<Pack<bf16>*>(v) = load_pack(logits + i * n);
        else
            v[0] = logits[i];
#pragma unroll
        for (int k = 0; k < n; ++k) {
            const float x = to_float(v[k]);
            if (x > high) {
                sum *= __expf(high - x);
                high = x;
                top = i * n + k;
            }
            sum += __expf(x - high);
        }
    }
    const float row_high = block_max(high);
    sum = block_sum(high == -INFINITY ? 0.0F : sum * __expf(high - row_high));
    const float lse = row_high + logf(sum);
    if (p.top != nullptr) {
        __shared__ long long best;
        if (threadIdx.x == 0) best = p.vocab;
        __syncthreads();
        if (high == row_high) atomicMin(&best, static_cast<long long>(top));
        __syncthreads();
        if (threadIdx.x == 0) p.top[row] = best;
    }
    if (threadIdx.x == 0) p.loss[row] = target < 0 ? 0.0F : lse - to_float(logits[target]);
    if (!p.gradient) return;
    __syncthreads();  // logits[target] is read before it is overwritten
    const float scale = target < 0 ? 0.0F : p.weights == nullptr ? p.scale : p.scale * p.weights[row];
    for (std::int64_t i = threadIdx.x; i < packs; i += threads) {
        bf16 v[n];
        if constexpr (vectorised)
            *reinterpret_cast<Pack<bf16>*>(v) = load_pack(logits + i * n);
        else
            v[0] = logits[i];
#pragma unroll
        for (int k = 0; k < n; ++k) {
            const float probability = __expf(to_float(v[k]) - lse);
            v[k] = from_float<bf16>(scale * (probability - (i * n + k == target ? 1.0F : 0.0F)));
        }
        if constexpr (vectorised)
            store_pack(logits + i * n, *reinterpret_cast<Pack<bf16>*>(v));
        else
            logits[i] = v[0];
    }
}

__global__ void add_sum_kernel(const float* values, std::int64_t n, float* out) {
    float sum = 0;
    for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += values[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) *out += sum;
}

}  // namespace

cudaError_t cross_entropy(const CrossEntropy& p, cudaStream_t stream) {
    if (p.rows == 0) return cudaSuccess;
    const auto grid = static_cast<unsigned>(p.rows);
    if (p.vocab % Pack<bf16>::size == 0)
        cross_entropy_kernel<true><<<grid, threads, 0, stream>>>(p);
    else
        cross_entropy_kernel<false><<<grid, threads, 0, stream>>>(p);
    return cudaGetLastError();
}

cudaError_t add_sum(const float* values, std::int64_t n, float* out, cudaStream_t stream) {
    add_sum_kernel<<<1, 1024, 0, stream>>>(values, n, out);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
