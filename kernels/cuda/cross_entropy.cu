#include "kernels/cuda/common.cuh"
#include "kernels/cuda/cross_entropy.h"

namespace braid::kernels::cuda {
namespace {

constexpr int threads = 512;
constexpr int loads = 4;  // of a thread on their way at once

// Below every logit that counts, and finite: the sum of a thread that has seen no number is 0 from it, that
// of one that has seen NaN is NaN, and so is the row's loss.
constexpr float lowest = -3.0e38F;

template <int n>
struct alignas(n * sizeof(bf16)) Piece {
    bf16 v[n];
};

// All pieces of a row, a thread's one after the other, `loads` of them read before the first is used.
template <int n, class Use>
__device__ __forceinline__ void for_pieces(const bf16* row, std::int64_t pieces, const Use& use) {
    const auto* const from = reinterpret_cast<const Piece<n>*>(row);
    for (std::int64_t first = threadIdx.x; first < pieces; first += threads * loads) {
        Piece<n> piece[loads];
#pragma unroll
        for (int i = 0; i < loads; ++i)
            if (first + i * threads < pieces) piece[i] = from[first + i * threads];
#pragma unroll
        for (int i = 0; i < loads; ++i)
            if (first + i * threads < pieces) use(first + i * threads, piece[i]);
    }
}

// One block a row. Rows start at any multiple of vocab elements, so pieces of eight are used only where vocab
// allows.
template <int n>
__global__ void __launch_bounds__(threads) cross_entropy_kernel(CrossEntropy p) {
    const std::int64_t row = blockIdx.x;
    bf16* const logits = p.logits + row * p.vocab;
    const std::int64_t target = p.targets[row];
    const std::int64_t pieces = p.vocab / n;
    float high = lowest;
    float sum = 0;
    std::int64_t high_piece = 0;  // the first that holds it
    for_pieces<n>(logits, pieces, [&](std::int64_t at, const Piece<n>& piece) {
        float largest = to_float(piece.v[0]);
#pragma unroll
        for (int k = 1; k < n; ++k) largest = fmaxf(largest, to_float(piece.v[k]));
        if (largest > high) {
            sum *= __expf(high - largest);
            high = largest;
            high_piece = at;
        }
#pragma unroll
        for (int k = 0; k < n; ++k) sum += __expf(to_float(piece.v[k]) - high);
    });
    const float row_high = block_max(high);
    sum = block_sum(sum * __expf(high - row_high));
    const float lse = row_high + logf(sum);
    if (p.top != nullptr) {
        __shared__ long long best;
        if (threadIdx.x == 0) best = p.vocab;
        __syncthreads();
        if (high == row_high) {
            std::int64_t top = high_piece * n;
            for (int k = n - 1; k >= 0; --k)
                if (to_float(logits[high_piece * n + k]) == high) top = high_piece * n + k;
            atomicMin(&best, static_cast<long long>(top));
        }
        __syncthreads();
        if (threadIdx.x == 0) p.top[row] = best;
    }
    if (threadIdx.x == 0) p.loss[row] = target < 0 ? 0.0F : lse - to_float(logits[target]);
    if (!p.gradient) return;
    __syncthreads();  // logits[target] is read before it is overwritten
    const float scale = target < 0 ? 0.0F : p.weights == nullptr ? p.scale : p.scale * p.weights[row];
    for_pieces<n>(logits, pieces, [&](std::int64_t at, const Piece<n>& piece) {
        Piece<n> gradient;
#pragma unroll
        for (int k = 0; k < n; ++k) {
            const float probability = __expf(to_float(piece.v[k]) - lse);
            gradient.v[k] = from_float<bf16>(scale * (probability - (at * n + k == target ? 1.0F : 0.0F)));
        }
        reinterpret_cast<Piece<n>*>(logits)[at] = gradient;
    });
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
        cross_entropy_kernel<Pack<bf16>::size><<<grid, threads, 0, stream>>>(p);
    else
        cross_entropy_kernel<1><<<grid, threads, 0, stream>>>(p);
    return cudaGetLastError();
}

cudaError_t add_sum(const float* values, std::int64_t n, float* out, cudaStream_t stream) {
    add_sum_kernel<<<1, 1024, 0, stream>>>(values, n, out);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
