#include <cuda_fp16.h>

#include <algorithm>

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/cross_entropy.h"
#include "kernels/cuda/hopper.cuh"

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

// x becomes 2^(x log2 e - high + headroom), at most 2^headroom, which is also added to sum, even and odd ones
// apart. Half precision rounds an eighth of what bfloat16 does, and with the headroom all from 2^-29 of the
// largest on are normal numbers.
constexpr float headroom = 15;
__device__ __forceinline__ void to_powers(Piece& x, float high, float (&sum)[2]) {
#pragma unroll
    for (int k = 0; k < per_piece / 2; ++k) {
        const float even = power_of_2(fmaf(x[2 * k], log2_e, headroom - high));
        const float odd = power_of_2(fmaf(x[2 * k + 1], log2_e, headroom - high));
        sum[0] += even;
        sum[1] += odd;
        const __half2 pair = __floats2half2_rn(even, odd);
        x.bits[k] = reinterpret_cast<const unsigned&>(pair);
    }
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

// What a row's loss and gradient need of its target; asked for early, as it takes two loads one after the
// other.
struct Target {
    std::int64_t place;
    float logit, scale;  // scale: what the gradient is multiplied by

    __device__ __forceinline__ Target(const CrossEntropy& p, std::int64_t row) : place(p.targets[row]) {
        const bool counts = place >= 0;
        logit = counts ? to_float(p.logits[row * p.row_stride + place]) : 0.0F;
        scale = !counts ? 0.0F : p.weights == nullptr ? p.scale : p.scale * p.weights[row];
    }
    __device__ __forceinline__ void write_loss(const CrossEntropy& p, std::int64_t row, float lse) const {
        if (threadIdx.x == 0) p.loss[row] = place < 0 ? 0.0F : lse / log2_e - logit;
    }
    __device__ __forceinline__ float gradient(float lse) const {
        return scale * (power_of_2(fmaf(logit, log2_e, -lse)) - 1);
    }
};

// A row stays in the registers of a block from the sum to the gradient: the logits come from memory once.
// Ahead: a block takes row after row, and while it works on one the next comes to shared memory.
constexpr int most_pieces = 9;  // of a thread
template <int threads>
constexpr std::int64_t held_vocab = std::int64_t{threads} * most_pieces* per_piece;

// The row that a block works on next; compute capability 9.0 or more. By one thread, but for get().
class NextRow {
public:
    __device__ __forceinline__ NextRow(Piece* row, std::uint64_t* arrived) : row_(row), arrived_(arrived) {}

    __device__ __forceinline__ void begin() const {
#if __CUDA_ARCH__ >= 900
        hopper::barrier_init(arrived_, 1);
        hopper::barrier_init_done();
#endif
    }
    // Not before all threads have got the row before.
    __device__ __forceinline__ void bring(const CrossEntropy& p, std::int64_t row) const {
#if __CUDA_ARCH__ >= 900
        constexpr int most = 1 << 14;  // bytes of a copy
        const int pieces = (static_cast<int>(p.vocab) + per_piece - 1) / per_piece;
        const int bytes = pieces * static_cast<int>(sizeof(Piece));
        hopper::barrier_expect(arrived_, bytes);
        for (int at = 0; at < bytes; at += most)
            hopper::copy_bulk(reinterpret_cast<char*>(row_) + at, arrived_,
                              reinterpret_cast<const char*>(p.logits + row * p.row_stride) + at,
                              min(bytes - at, most));
#endif
    }
    __device__ __forceinline__ const Piece* get() {
#if __CUDA_ARCH__ >= 900
        hopper::barrier_wait(arrived_, parity_);
        parity_ ^= 1;
#endif
        return row_;
    }

private:
    Piece* row_;
    std::uint64_t* arrived_;
    int parity_ = 0;
};

template <int threads, bool Ahead>
__global__ void __launch_bounds__(threads, 1024 / threads) held_kernel(CrossEntropy p) {
    extern __shared__ Piece shared_row[];
    __shared__ std::uint64_t arrived;
    const int vocab = static_cast<int>(p.vocab), first = static_cast<int>(threadIdx.x) * per_piece;
    const auto left = [&](int i) {
        return vocab - first - i * threads * per_piece;
    };  // logits from piece i on
    NextRow next(shared_row, &arrived);
    if (Ahead) {
        if (threadIdx.x == 0) {
            next.begin();
            next.bring(p, blockIdx.x);
        }
        __syncthreads();
    }
    for (std::int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        bf16* const logits = p.logits + row * p.row_stride;
        Piece* const pieces = reinterpret_cast<Piece*>(logits) + threadIdx.x;
        const Target target(p, row);
        const Piece* const from = Ahead ? next.get() + threadIdx.x : pieces;
        Piece x[most_pieces];
        float high = lowest;
#pragma unroll
        for (int i = 0; i < most_pieces; ++i)
            if (left(i) > 0) x[i] = from[i * threads];
#pragma unroll
        for (int i = 0; i < most_pieces; ++i)
            if (left(i) > 0) {
                x[i] = within(x[i], left(i));
                high = fmaxf(high, largest(x[i]));
            }
        const float row_high = block_max(high);
        if (Ahead && threadIdx.x == 0 && row + gridDim.x < p.rows) next.bring(p, row + gridDim.x);
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
        float sum[2] = {};
#pragma unroll
        for (int i = 0; i < most_pieces; ++i)
            if (left(i) > 0) to_powers(x[i], high * log2_e, sum);
        const float lse = join(high, row_high, sum) - headroom;
        target.write_loss(p, row, lse);
        if (!p.gradient) continue;
        const float factor = target.scale * power_of_2(high * log2_e - headroom - lse);
#pragma unroll
        for (int i = 0; i < most_pieces; ++i) {
            if (left(i) <= 0) continue;
            float y[per_piece];
#pragma unroll
            for (int k = 0; k < per_piece / 2; ++k) {
                const float2 pair = __half22float2(reinterpret_cast<const __half2&>(x[i].bits[k]));
                y[2 * k] = factor * pair.x;
                y[2 * k + 1] = factor * pair.y;
            }
            stream_out(pieces + i * threads, rounded(y));
        }
        // By the thread that has written it already.
        if (target.place >= 0 && target.place / per_piece % threads == threadIdx.x)
            logits[target.place] = from_float<bf16>(target.gradient(lse));
    }
}

template <int threads>
cudaError_t launch_held(const CrossEntropy& p, cudaStream_t stream) {
    held_kernel<threads, false><<<static_cast<unsigned>(p.rows), threads, 0, stream>>>(p);
    return cudaGetLastError();
}
// One block fills a multiprocessor: no other loads while it computes.
cudaError_t launch_held_ahead(const CrossEntropy& p, cudaStream_t stream) {
    constexpr int threads = 1024;
    constexpr std::size_t bytes = sizeof(Piece) * threads * most_pieces;
    int device = 0, multiprocessors = 0, capability = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess && capability < 9) return launch_held<threads>(p, stream);
    if (error == cudaSuccess) error = allow_shared(held_kernel<threads, true>, bytes);
    if (error != cudaSuccess) return error;
    const auto blocks = static_cast<unsigned>(std::min(p.rows, std::int64_t{multiprocessors}));
    held_kernel<threads, true><<<blocks, threads, bytes, stream>>>(p);
    return cudaGetLastError();
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
    const Target target(p, row);
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
    target.write_loss(p, row, lse);
    if (!p.gradient) return;
    for_pieces(logits, p.vocab, [&](std::int64_t at, const Piece& piece) {
        stream_out(reinterpret_cast<Piece*>(logits + at),
                   gradient(piece, lse, target.scale, target.place - at));
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
    if (p.vocab <= held_vocab<256>) return launch_held<256>(p, stream);
    if (p.vocab <= held_vocab<512>) return launch_held<512>(p, stream);
    if (p.vocab <= held_vocab<1024>) return launch_held_ahead(p, stream);
    streamed_kernel<<<static_cast<unsigned>(p.rows), stream_threads, 0, stream>>>(p);
    return cudaGetLastError();
}

cudaError_t add_sum(const float* values, std::int64_t n, float* out, cudaStream_t stream) {
    add_sum_kernel<<<1, 1024, 0, stream>>>(values, n, out);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
