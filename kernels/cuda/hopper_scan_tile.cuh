// What the kernels of hopper_scan.h share: decays of a chunk, and the product that outputs and all gradients
// are made of.
#pragma once

#include "kernels/cuda/hopper_scan_rows.cuh"
#include "kernels/cuda/linear_scan.h"

namespace braid::kernels::cuda::hopper {

constexpr int scan_rows = 2 * block_rows;  // tokens of a chunk

// ---- decays --------------------------------------------------------------------------------------

// What decays of some tokens are made of, as it lies in memory; of one warp, `Each` tokens of a lane.
template <int Each>
struct RawDecay {
    float log_decay[32 * Each];
    float beta[32 * Each];
    int starts[32 * Each];
};
template <int Each>
__device__ __forceinline__ void copy_decay(RawDecay<Each>& to, const LinearScan& p, int batch, int state,
                                           int first) {
#pragma unroll
    for (int i = 0; i < Each; ++i) {
        const int j = Each * (static_cast<int>(threadIdx.x) % 32) + i;
        const bool there = first + j < p.tokens;
        const std::int64_t row = there ? static_cast<std::int64_t>(batch) * p.tokens + first + j : 0;
        if (!p.constant_decay) copy_async<4>(to.log_decay + j, p.log_decay + row * p.states + state, there);
        if (p.beta != nullptr) copy_async<4>(to.beta + j, p.beta + row * p.states + state, there);
        if (p.starts != nullptr) copy_async<4>(to.starts + j, p.starts + row, there);
    }
}

// By the warp that copied: logarithms to the base 2 of the decay from the first token on, inclusive.
template <int Each>
struct LaneDecay {
    float b[Each];
    float beta[Each];  // 0 behind the sequence
    int starts[Each];  // first of the tokens that each may read; negative: also what came before
    float whole;
    int last_start;  // of the last token

    __device__ __forceinline__ LaneDecay(const LinearScan& p, const RawDecay<Each>& raw, int state,
                                         int first) {
        const int lane = threadIdx.x % 32, rows = min(p.tokens - first, 32 * Each);
        float sum = 0;
#pragma unroll
        for (int i = 0; i < Each; ++i) {
            const int j = Each * lane + i;
            const bool there = j < rows;
            sum += !there ? 0.0F : log2_e * (p.constant_decay ? p.log_decay[state] : raw.log_decay[j]);
            b[i] = sum;
            beta[i] = !there ? 0.0F : p.beta == nullptr ? 1.0F : raw.beta[j];
            starts[i] = there && p.starts != nullptr ? raw.starts[j] - first : -1;
        }
        float before = sum;
#pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            const float left = __shfl_up_sync(~0U, before, offset);
            if (lane >= offset) before += left;
        }
        whole = __shfl_sync(~0U, before, 31);
        before -= sum;
        __syncwarp();  // what the last token's lane copied
        last_start = p.starts != nullptr ? raw.starts[rows - 1] - first : -1;
#pragma unroll
        for (int i = 0; i < Each; ++i) b[i] += before;
    }
};

struct alignas(16) ChunkDecay {
    float b[scan_rows];           // log2 of the decay from the chunk's first token on, inclusive
    float beta[scan_rows];        // 0 behind the sequence
    float before[scan_rows];      // what the state before the chunk is worth to each token
    float after[scan_rows];       // what each token is worth to the state after the chunk, without beta
    float after_beta[scan_rows];  // with it
    // Through the middle of the chunk: what each token of the first half is worth to its state there, and
    // that state to each token of the second half.
    float middle[scan_rows];
    float middle_beta[block_rows];  // of the first half, with beta
    int starts[scan_rows];
};
__device__ __forceinline__ void chunk_decay(ChunkDecay& d, const LinearScan& p, const RawDecay<4>& raw,
                                            int state, int first) {
    const int lane = threadIdx.x % 32;
    const LaneDecay<4> own(p, raw, state, first);
    const float middle = __shfl_sync(~0U, own.b[3], 15);
    const int second_start = __shfl_sync(~0U, own.starts[0], 16);
    float before[4], after[4], after_beta[4], through[4], through_beta[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int j = 4 * lane + i;
        before[i] = own.starts[i] < 0 ? power_of_2(own.b[i]) : 0.0F;
        after[i] = own.last_start <= j ? power_of_2(own.whole - own.b[i]) : 0.0F;
        const bool connected = lane < 16 ? second_start <= j : own.starts[i] < block_rows;
        through[i] = !connected ? 0.0F : power_of_2(lane < 16 ? middle - own.b[i] : own.b[i] - middle);
        after_beta[i] = after[i] * own.beta[i];
        through_beta[i] = through[i] * own.beta[i];
    }
    const auto store = [&](float* to, const float(&x)[4]) {
        *reinterpret_cast<float4*>(to + 4 * lane) = make_float4(x[0], x[1], x[2], x[3]);
    };
    store(d.b, own.b);
    store(d.beta, own.beta);
    store(d.before, before);
    store(d.after, after);
    store(d.after_beta, after_beta);
    store(d.middle, through);
    if (lane < 16) store(d.middle_beta, through_beta);
    *reinterpret_cast<int4*>(d.starts + 4 * lane) =
        make_int4(own.starts[0], own.starts[1], own.starts[2], own.starts[3]);
}

// Whether decays follow from the place of a token alone: then each thread computes its own.
__device__ __forceinline__ bool plain_decay(const LinearScan& p) {
    return p.constant_decay && p.beta == nullptr && p.starts == nullptr;
}
__device__ __forceinline__ void plain_chunk_decay(ChunkDecay& d, const LinearScan& p, int state, int first,
                                                  int j) {
    if (j < 0 || j >= scan_rows) return;
    const float g = log2_e * p.log_decay[state];
    const int rows = min(p.tokens - first, scan_rows);
    const float b = g * static_cast<float>(min(j + 1, rows)),
                middle = g * static_cast<float>(min(block_rows, rows));
    const float beta = j < rows ? 1.0F : 0.0F, after = power_of_2(g * static_cast<float>(rows) - b);
    const float through = power_of_2(j < block_rows ? middle - b : b - middle);
    d.b[j] = b;
    d.beta[j] = beta;
    d.before[j] = power_of_2(b);
    d.after[j] = after;
    d.after_beta[j] = after * beta;
    d.middle[j] = through;
    if (j < block_rows) d.middle_beta[j] = through * beta;
}

// ---- products ------------------------------------------------------------------------------------

// d += A B of 64 x 64 tiles, A along its rows; Down: the summed dimension runs down the rows of B.
template <int Down>
__device__ __forceinline__ void multiply_tiles(float (&d)[32], const bf16* a, const bf16* b, bool fresh) {
    const std::uint64_t left = tile_descriptor(a), right = tile_descriptor(b);
#pragma unroll
    for (int k = 0; k < 4; ++k)
        product<0, Down>(d, left + k * step_along, right + k * (Down ? step_down : step_along),
                         fresh && k == 0);
}
// d += A B with A an accumulator that was rounded.
__device__ __forceinline__ void multiply_rounded(float (&d)[32], const unsigned (&a)[16], const bf16* b) {
    const std::uint64_t right = tile_descriptor(b);
#pragma unroll
    for (int k = 0; k < 4; ++k) product<1>(d, a + 4 * k, right + k * step_down, false);
}
__device__ __forceinline__ void round_pairs(const float (&d)[32], unsigned (&a)[16]) {
#pragma unroll
    for (int i = 0; i < 16; ++i) a[i] = pack_pair(d[2 * i], d[2 * i + 1]);
}

// What outputs and gradients of a half of the chunk are made of, the same instructions for all of them:
//
//   d = before (X state) + (X Z^T with decays) Y
//
// Decays are those of the later token of each pair on the earlier one.
struct Operands {
    const bf16 *x, *z, *y;  // tiles of the chunk: two of 64 rows
    const bf16* state;
    bool down;             // the state's rows are summed, not its columns
    bool later;            // X are the later tokens of each pair, else the earlier ones
    const float* before;   // factors of X's tokens
    bool beta;             // the earlier token of a pair counts beta times
    const float* rows;     // between the halves: factors of the 64 tokens of X
    const float* columns;  // and of the 64 of Z and Y
};

// Products of tokens of one half of the chunk, times what the earlier one is worth to the later one, in the
// rows of one warp: straight code for each of the four.
template <bool Later, bool Beta, int Warp>
__device__ __forceinline__ void decay_rows(float (&scores)[32], const float* b, const float* beta) {
    const int row = lane_row(), column = lane_column(), ahead = row - column;
    const float b_row[2] = {b[row], b[row + 8]};
    float beta_row[2] = {1, 1};
    if (Beta && !Later) {
        beta_row[0] = beta[row];
        beta_row[1] = beta[row + 8];
    }
#pragma unroll
    for (int n = 0; n < 8; ++n) {
        if (Later ? n / 2 > Warp : n / 2 < Warp) {
#pragma unroll
            for (int i = 0; i < 4; ++i) scores[4 * n + i] = 0.0F;
            continue;
        }
        const float2 b_pair = *reinterpret_cast<const float2*>(b + 8 * n + column);
        float2 beta_pair = {1, 1};
        if (Beta && Later) beta_pair = *reinterpret_cast<const float2*>(beta + 8 * n + column);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float b_column = i % 2 == 0 ? b_pair.x : b_pair.y;
            float x =
                scores[4 * n + i] * power_of_2(Later ? b_row[i / 2] - b_column : b_column - b_row[i / 2]);
            if (Beta) x *= !Later ? beta_row[i / 2] : i % 2 == 0 ? beta_pair.x : beta_pair.y;
            const int beyond = 8 * n + i % 2 - i / 2 * 8;  // row - column where the two are one token
            if (n / 2 == Warp && (Later ? ahead < beyond : ahead > beyond)) x = 0.0F;
            scores[4 * n + i] = x;
        }
    }
}
template <bool Later, bool Beta>
__device__ __forceinline__ void decay_within(float (&scores)[32], const float* b, const float* beta) {
    switch (__shfl_sync(~0U, threadIdx.x % warpgroup / 32, 0)) {
        case 0:
            return decay_rows<Later, Beta, 0>(scores, b, beta);
        case 1:
            return decay_rows<Later, Beta, 1>(scores, b, beta);
        case 2:
            return decay_rows<Later, Beta, 2>(scores, b, beta);
        default:
            return decay_rows<Later, Beta, 3>(scores, b, beta);
    }
}
// Nothing reaches across the beginning of a document.
__device__ __forceinline__ void hide_documents(float (&scores)[32], const Operands& o, const ChunkDecay& d,
                                               int half) {
    const int first = half * block_rows, row = lane_row();
    const int* const starts = d.starts + first;
    const int from_row[2] = {starts[row] - first, starts[row + 8] - first};
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        const int r = row + i % 4 / 2 * 8, c = 8 * (i / 4) + lane_column() + i % 2;
        if (o.later ? from_row[i % 4 / 2] > c : starts[c] - first > r) scores[i] = 0.0F;
    }
}
// The same between the halves.
__device__ __forceinline__ void decay_between(float (&scores)[32], const float* rows, const float* columns) {
    const float low = rows[lane_row()], high = rows[lane_row() + 8];
#pragma unroll
    for (int n = 0; n < 8; ++n) {
        const float2 f = *reinterpret_cast<const float2*>(columns + lane_column() + 8 * n);
        scores[4 * n] *= low * f.x;
        scores[4 * n + 1] *= low * f.y;
        scores[4 * n + 2] *= high * f.x;
        scores[4 * n + 3] *= high * f.y;
    }
}

__device__ __forceinline__ void collect(float (&d)[32], const Operands& o, const ChunkDecay& decay,
                                        bool documents, int half) {
    const int here = half * tile_elements, other = tile_elements - here;
    float scores[32];
    unsigned rounded[16];
    pin(d);
    pin(scores);
    // Each branch has its own beginning: the compiler serializes products that begin outside of it.
    if (o.down) {
        products_begin();
        multiply_tiles<1>(d, o.x + here, o.state, true);
        multiply_tiles<0>(scores, o.x + here, o.z + here, true);
        products_commit();
    } else {
        products_begin();
        multiply_tiles<0>(d, o.x + here, o.state, true);
        multiply_tiles<0>(scores, o.x + here, o.z + here, true);
        products_commit();
    }
    products_wait<0>();
    pin(d);
    pin(scores);
    scale_rows(d, o.before + half * block_rows);
    const float *const b = decay.b + half * block_rows, *const beta = decay.beta + half * block_rows;
    if (o.later && o.beta)
        decay_within<true, true>(scores, b, beta);
    else if (o.later)
        decay_within<true, false>(scores, b, beta);
    else if (o.beta)
        decay_within<false, true>(scores, b, beta);
    else
        decay_within<false, false>(scores, b, beta);
    if (documents) hide_documents(scores, o, decay, half);
    round_pairs(scores, rounded);
    pin(d);
    pin(rounded);
    if (o.later == (half == 1)) {  // tokens of the other half count
        pin(scores);
        products_begin();
        multiply_rounded(d, rounded, o.y + here);
        multiply_tiles<0>(scores, o.x + here, o.z + other, true);
        products_commit();
        products_wait<0>();
        pin(d);
        pin(rounded);
        pin(scores);
        decay_between(scores, o.rows, o.columns);
        round_pairs(scores, rounded);
        pin(d);
        pin(rounded);
        products_begin();
        multiply_rounded(d, rounded, o.y + other);
        products_commit();
    } else {
        products_begin();
        multiply_rounded(d, rounded, o.y + here);
        products_commit();
    }
    products_wait<0>();
    pin(d);
    pin(rounded);
}

}  // namespace braid::kernels::cuda::hopper
