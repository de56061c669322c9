#include "kernels/cuda/common.cuh"
#include "kernels/cuda/cross_entropy.h"

namespace braid::kernels::cuda {
namespace {

// Below every logit that counts, finite, and so when it is counted in base 2: the sum of a thread that has
// seen no number is 0 from it, that of one that has seen NaN is NaN, and so is the row's loss.
constexpr float lowest = -2.0e38F;

// Logits side by side that a thread takes at once; packed, so that many fit in registers.
constexpr int per_piece = 8;
struct alignas(16) Piece {
    unsigned bits[4];
    __device__ float operator[](int k) const {
        return __uint_as_float(k % 2 == 0 ? bits[k / 2] << 16 : bits[k / 2] & 0xFFFF0000U);
    }
};

__device__ __forceinline__ float largest(const Piece& x) {
    const auto pair = [&x](int k) { return reinterpret_cast<const __nv_bfloat162&>(x.bits[k]); };
    const __nv_bfloat162 most = __hmax2(__hmax2(pair(0), pair(1)), __hmax2(pair(2), pair(3)));
    return fmaxf(__low2float(most), __high2float(most));
}

__device__ __forceinline__ Piece rounded(const float (&y)[per_piece]) {
    Piece x;
#pragma unroll
    for (int k = 0; k < per_piece / 2; ++k) {
        const __nv_bfloat162 pair = __floats2bfloat162_rn(y[2 * k], y[2 * k + 1]);
        x.bits[k] = reinterpret_cast<const unsigned&>(pair);
    }
    return x;
}

// The last piece of a row reaches beyond it: minus infinity has no part in a sum.
__device__ __forceinline__ Piece within(Piece x, int left) {
    constexpr unsigned lowest_bits = 0xFF80U;
    if (left >= per_piece) return x;
#pragma unroll
    for (int k = 0; k < per_piece; ++k) {
        const unsigned shift = k % 2 * 16;
        if (k >= left) x.bits[k / 2] = (x.bits[k / 2] & ~(0xFFFFU << shift)) | lowest_bits << shift;
    }
    return x;
}

// sum += 2^(x log2 e - high), even and odd ones apart.
__device__ __forceinline__ void add_powers(const Piece& x, float high, float (&sum)[2]) {
#pragma unroll
    for (int k = 0; k < per_piece; ++k) sum[k % 2] += power_of_2(fmaf(x[k], log2_e, -high));
}

// scale * (softmax - onehot); lse is the base-2 logarithm, hit the target's place in the piece, if it is
// there.
__device__ __forceinline__ Piece gradient(const Piece& x, float lse, float scale, std::int64_t hit) {
    float y[per_piece];
#pragma unroll
    for (int k = 0; k < per_piece; ++k) y[k] = scale * power_of_2(fmaf(x[k], log2_e, -lse));
    if (hit >= 0 && hit < per_piece) {
#pragma unroll
        for (int k = 0; k < per_piece; ++k)
            if (k == hit) y[k] -= scale;
    }
    return rounded(y);
}

// Written past what others still want to find in the cache.
__device__ __forceinline__ void stream_out(Piece* to, const Piece& x) {
    __stcs(reinterpret_cast<uint4*>(to), *reinterpret_cast<const uint4*>(&x));
}

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
__device__ int place_of(const Piece& x, float value) {
    int place = per_piece;
#pragma unroll
    for (int k = per_piece - 1; k >= 0; --k)
        if (x[k] == value) place = k;
    return place;
}

// The row's loss; what its gradient is multiplied by.
__device__ __forceinline__ float finish_loss(const CrossEntropy& p, std::int64_t row, float lse) {
    const std::int64_t target = p.targets[row];
    if (threadIdx.x == 0)
        p.loss[row] = target < 0 ? 0.0F : lse / log2_e - to_float(p.logits[row * p.row_stride + target]);
    return target < 0 ? 0.0F : p.weights == nullptr ? p.scale : p.scale * p.weights[row];
}

// One block a row, which stays in registers from the sum to the gradient: the logits come from memory once.
constexpr int most_pieces = 9;  // of a thread
template <int threads>
__global__ void __launch_bounds__(threads, 1024 / threads) held_kernel(CrossEntropy p) {
    const std::int64_t row = blockIdx.x;
    const int vocab = static_cast<int>(p.vocab), first = static_cast<int>(threadIdx.x) * per_piece;
    auto* const pieces = reinterpret_cast<Piece*>(p.logits + row * p.row_stride) + threadIdx.x;
    const auto left = [&](int i) {
        return vocab - first - i * threads * per_piece;
    };  // logits from piece i on
    Piece x[most_pieces];
    float high = lowest;
#pragma unroll
    for (int i = 0; i < most_pieces; ++i)
        if (left(i) > 0) x[i] = pieces[i * threads];
#pragma unroll
    for (int i = 0; i < most_pieces; ++i)
        if (left(i) > 0) {
            x[i] = within(x[i], left(i));
            high = fmaxf(high, largest(x[i]));
        }
    float sum[2] = {};
#pragma unroll
    for (int i = 0; i < most_pieces; ++i)
        if (left(i) > 0) add_powers(x[i], high * log2_e, sum);
    const float row_high = block_max(high);
    const float lse = join(high, row_high, sum);
    if (p.top != nullptr)
        find_top(p, row, high == row_high, [&] {
            int top = vocab;
#pragma unroll
            for (int i = most_pieces - 1; i >= 0; --i)
                if (left(i) > 0)
                    if (const int place = place_of(x[i], row_high); place < per_piece)
                        top = vocab - left(i) + place;
            return top;
        });
    const float scale = finish_loss(p, row, lse);
    if (!p.gradient) return;
    __syncthreads();  // the target's logit is read before it is overwritten
    const std::int64_t target = p.targets[row];
#pragma unroll
    for (int i = 0; i < most_pieces; ++i)
        if (left(i) > 0)
            stream_out(pieces + i * threads, gradient(x[i], lse, scale, target - (vocab - left(i))));
}

// Rows too long for that come from memory for the sum, and for the gradient again, mostly from the cache.
constexpr int stream_threads = 768;
constexpr int loads = 4;  // of a thread on their way at once

// use(where the piece begins in the row, the piece)
template <class Use>
__device__ __forceinline__ void for_pieces(const bf16* row, std::int64_t vocab, const Use& use) {
    constexpr int step = stream_threads * per_piece;
    for (std::int64_t first = threadIdx.x * per_piece; first < vocab; first += step * loads) {
        Piece piece[loads];
#pragma unroll
        for (int i = 0; i < loads; ++i)
            if (first + i * step < vocab) piece[i] = reinterpret_cast<const Piece&>(row[first + i * step]);
#pragma unroll
        for (int i = 0; i < loads; ++i)
            if (const std::int64_t at = first + i * step; at < vocab)
                use(at, within(piece[i], static_cast<int>(min(vocab - at, std::int64_t{per_piece}))));
    }
}

__global__ void __launch_bounds__(stream_threads, 2) streamed_kernel(CrossEntropy p) {
    const std::int64_t row = blockIdx.x;
    bf16* const logits = p.logits + row * p.row_stride;
    float high = lowest;
    float sum[2] = {};
    std::int64_t high_piece = 0;  // where the first that holds it begins
    for_pieces(logits, p.vocab, [&](std::int64_t at, const Piece& piece) {
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
            return high_piece +
                   place_of(reinterpret_cast<const Piece&>(logits[high_piece]), high) % per_piece;
        });
    const float scale = finish_loss(p, row, lse);
    if (!p.gradient) return;
    __syncthreads();  // the target's logit is read before it is overwritten
    const std::int64_t target = p.targets[row];
    for_pieces(logits, p.vocab, [&](std::int64_t at, const Piece& piece) {
        stream_out(reinterpret_cast<Piece*>(logits + at), gradient(piece, lse, scale, target - at));
    });
}

template <int threads>
constexpr std::int64_t held_vocab = std::int64_t{threads} * most_pieces* per_piece;

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
    if (p.vocab <= held_vocab<256>)
        held_kernel<256><<<grid, 256, 0, stream>>>(p);
    else if (p.vocab <= held_vocab<512>)
        held_kernel<512><<<grid, 512, 0, stream>>>(p);
    else if (p.vocab <= held_vocab<1024>)
        held_kernel<1024><<<grid, 1024, 0, stream>>>(p);
    else
        streamed_kernel<<<grid, stream_threads, 0, stream>>>(p);
    return cudaGetLastError();
}

cudaError_t add_sum(const float* values, std::int64_t n, float* out, cudaStream_t stream) {
    add_sum_kernel<<<1, 1024, 0, stream>>>(values, n, out);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
