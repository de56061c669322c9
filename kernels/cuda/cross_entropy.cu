#include "kernels/cuda/common.cuh"
#include "kernels/cuda/cross_entropy.h"

namespace braid::kernels::cuda {
namespace {

// Below every logit that counts, finite, and so when it is counted in base 2: the sum of a thread that has
// seen no number is 0 from it, that of one that has seen NaN is NaN, and so is the row's loss.
constexpr float lowest = -2.0e38F;

// Logits side by side that a thread takes at once; packed, so that many fit in registers.
template <int n>
struct Piece;
template <>
struct alignas(16) Piece<8> {
    unsigned bits[4];
    __device__ float operator[](int k) const {
        return __uint_as_float(k % 2 == 0 ? bits[k / 2] << 16 : bits[k / 2] & 0xFFFF0000U);
    }
};
template <>
struct Piece<1> {
    bf16 v;
    __device__ float operator[](int) const { return to_float(v); }
};

__device__ __forceinline__ float largest(const Piece<8>& x) {
    const auto pair = [&x](int k) { return reinterpret_cast<const __nv_bfloat162&>(x.bits[k]); };
    const __nv_bfloat162 most = __hmax2(__hmax2(pair(0), pair(1)), __hmax2(pair(2), pair(3)));
    return fmaxf(__low2float(most), __high2float(most));
}
__device__ __forceinline__ float largest(const Piece<1>& x) { return x[0]; }

__device__ __forceinline__ Piece<8> rounded(const float (&y)[8]) {
    Piece<8> x;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const __nv_bfloat162 pair = __floats2bfloat162_rn(y[2 * k], y[2 * k + 1]);
        x.bits[k] = reinterpret_cast<const unsigned&>(pair);
    }
    return x;
}
__device__ __forceinline__ Piece<1> rounded(const float (&y)[1]) { return {from_float<bf16>(y[0])}; }

// sum += 2^(x log2 e - high), even and odd ones apart.
template <int n>
__device__ __forceinline__ void add_powers(const Piece<n>& x, float high, float (&sum)[2]) {
#pragma unroll
    for (int k = 0; k < n; ++k) sum[k % 2] += power_of_2(fmaf(x[k], log2_e, -high));
}

// scale * (softmax - onehot); lse is the base-2 logarithm, hit the target's place in the piece, if it is
// there.
template <int n>
__device__ __forceinline__ Piece<n> gradient(const Piece<n>& x, float lse, float scale, std::int64_t hit) {
    float y[n];
#pragma unroll
    for (int k = 0; k < n; ++k) y[k] = scale * power_of_2(fmaf(x[k], log2_e, -lse));
    if (hit >= 0 && hit < n) {
#pragma unroll
        for (int k = 0; k < n; ++k)
            if (k == hit) y[k] -= scale;
    }
    return rounded(y);
}

// Written past what others still want to find in the cache.
__device__ __forceinline__ void stream_out(Piece<8>* to, const Piece<8>& x) {
    __stcs(reinterpret_cast<uint4*>(to), *reinterpret_cast<const uint4*>(&x));
}
__device__ __forceinline__ void stream_out(Piece<1>* to, const Piece<1>& x) { *to = x; }

// The base-2 logarithm of the row's sum from those of its threads, which are relative to their own largest.
__device__ __forceinline__ float join(float high, float row_high, const float (&sum)[2]) {
    return row_high * log2_e + log2f(block_sum((sum[0] + sum[1]) * power_of_2((high - row_high) * log2_e)));
}

// The first place of the largest logit, by threads that say which of theirs is the first of them.
template <class FirstOfMine>
__device__ void find_top(const CrossEntropy& p, std::int64_t row, bool mine,
                         const FirstOfMine& first_of_mine) {
    __shared__ long long best;
    if (threadIdx.x == 0) best = p.vocab;
    __syncthreads();
    if (mine) atomicMin(&best, static_cast<long long>(first_of_mine()));
    __syncthreads();
    if (threadIdx.x == 0) p.top[row] = best;
}
template <int n>
__device__ int place_of(const Piece<n>& x, float value) {
    int place = n;
#pragma unroll
    for (int k = n - 1; k >= 0; --k)
        if (x[k] == value) place = k;
    return place;
}

// The row's loss; what its gradient is multiplied by.
__device__ __forceinline__ float finish_loss(const CrossEntropy& p, std::int64_t row, float lse) {
    const std::int64_t target = p.targets[row];
    if (threadIdx.x == 0)
        p.loss[row] = target < 0 ? 0.0F : lse / log2_e - to_float(p.logits[row * p.vocab + target]);
    return target < 0 ? 0.0F : p.weights == nullptr ? p.scale : p.scale * p.weights[row];
}

// One block a row, which stays in registers from the sum to the gradient: the logits come from memory once.
constexpr int most_pieces = 9;  // of a thread
template <int threads>
__global__ void __launch_bounds__(threads, 1024 / threads) held_kernel(CrossEntropy p) {
    constexpr int n = 8;
    const std::int64_t row = blockIdx.x;
    auto* const pieces = reinterpret_cast<Piece<n>*>(p.logits + row * p.vocab) + threadIdx.x;
    const int mine = static_cast<int>(p.vocab / n) - static_cast<int>(threadIdx.x);  // those from pieces on
    Piece<n> x[most_pieces];
    float high = lowest;
#pragma unroll
    for (int i = 0; i < most_pieces; ++i)
        if (i * threads < mine) x[i] = pieces[i * threads];
#pragma unroll
    for (int i = 0; i < most_pieces; ++i)
        if (i * threads < mine) high = fmaxf(high, largest(x[i]));
    float sum[2] = {};
#pragma unroll
    for (int i = 0; i < most_pieces; ++i)
        if (i * threads < mine) add_powers(x[i], high * log2_e, sum);
    const float row_high = block_max(high);
    const float lse = join(high, row_high, sum);
    if (p.top != nullptr)
        find_top(p, row, high == row_high, [&] {
            std::int64_t top = p.vocab;
#pragma unroll
            for (int i = most_pieces - 1; i >= 0; --i)
                if (i * threads < mine)
                    if (const int place = place_of(x[i], row_high); place < n)
                        top = (std::int64_t{threadIdx.x} + i * threads) * n + place;
            return top;
        });
    const float scale = finish_loss(p, row, lse);
    if (!p.gradient) return;
    __syncthreads();  // the target's logit is read before it is overwritten
    const std::int64_t target = p.targets[row];
#pragma unroll
    for (int i = 0; i < most_pieces; ++i)
        if (i * threads < mine)
            stream_out(pieces + i * threads,
                       gradient(x[i], lse, scale, target - (std::int64_t{threadIdx.x} + i * threads) * n));
}

// Rows too long for that, and those that do not begin at multiples of 16 bytes: they come from memory for the
// sum, and for the gradient again, mostly from the cache.
constexpr int stream_threads = 768;
constexpr int loads = 4;  // of a thread on their way at once

template <int n, class Use>
__device__ __forceinline__ void for_pieces(const bf16* row, std::int64_t pieces, const Use& use) {
    const auto* const from = reinterpret_cast<const Piece<n>*>(row);
    for (std::int64_t first = threadIdx.x; first < pieces; first += stream_threads * loads) {
        Piece<n> piece[loads];
#pragma unroll
        for (int i = 0; i < loads; ++i)
            if (first + i * stream_threads < pieces) piece[i] = from[first + i * stream_threads];
#pragma unroll
        for (int i = 0; i < loads; ++i)
            if (first + i * stream_threads < pieces) use(first + i * stream_threads, piece[i]);
    }
}

template <int n>
__global__ void __launch_bounds__(stream_threads, 2) streamed_kernel(CrossEntropy p) {
    const std::int64_t row = blockIdx.x;
    bf16* const logits = p.logits + row * p.vocab;
    const std::int64_t pieces = p.vocab / n;
    float high = lowest;
    float sum[2] = {};
    std::int64_t high_piece = 0;  // the first that holds it
    for_pieces<n>(logits, pieces, [&](std::int64_t at, const Piece<n>& piece) {
        if (const float most = largest(piece); most > high) {
            const float less = power_of_2((high - most) * log2_e);
            sum[0] *= less;
            sum[1] *= less;
            high = most;
            high_piece = at;
        }
        add_powers(piece, high * log2_e, sum);
    });
    const float row_high = block_max(high);
    const float lse = join(high, row_high, sum);
    if (p.top != nullptr)
        find_top(p, row, high == row_high, [&] {
            const Piece<n> piece = reinterpret_cast<const Piece<n>*>(logits)[high_piece];
            return high_piece * n + place_of(piece, high) % n;
        });
    const float scale = finish_loss(p, row, lse);
    if (!p.gradient) return;
    __syncthreads();  // the target's logit is read before it is overwritten
    const std::int64_t target = p.targets[row];
    for_pieces<n>(logits, pieces, [&](std::int64_t at, const Piece<n>& piece) {
        stream_out(reinterpret_cast<Piece<n>*>(logits) + at, gradient(piece, lse, scale, target - at * n));
    });
}

template <int threads>
constexpr std::int64_t held_vocab = std::int64_t{threads} * most_pieces * 8;

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
    if (p.vocab % 8 != 0)
        streamed_kernel<1><<<grid, stream_threads, 0, stream>>>(p);
    else if (p.vocab <= held_vocab<256>)
        held_kernel<256><<<grid, 256, 0, stream>>>(p);
    else if (p.vocab <= held_vocab<512>)
        held_kernel<512><<<grid, 512, 0, stream>>>(p);
    else if (p.vocab <= held_vocab<1024>)
        held_kernel<1024><<<grid, 1024, 0, stream>>>(p);
    else
        streamed_kernel<8><<<grid, stream_threads, 0, stream>>>(p);
    return cudaGetLastError();
}

cudaError_t add_sum(const float* values, std::int64_t n, float* out, cudaStream_t stream) {
    add_sum_kernel<<<1, 1024, 0, stream>>>(values, n, out);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
