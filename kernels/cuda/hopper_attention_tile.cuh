// What the forward and the backward kernel of hopper_attention.h share.
#pragma once

#include <math_constants.h>

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/hopper.cuh"
#include "kernels/cuda/hopper_attention.h"

namespace braid::kernels::cuda::hopper {

constexpr int head_dim = 64;
constexpr int row_bytes = head_dim * 2;
constexpr int unit_rows = 64;
constexpr int unit_bytes = unit_rows * row_bytes;
constexpr float ln2 = 0.6931471805599453F;

// How queries are cut into units: head by head of the unit, then token by token.
struct Units {
    int batch, tokens, heads, kv_heads, window;
    int heads_each;               // query heads of a unit: a power of two that divides those of a key head
    int token_shift;              // tokens of a unit: 1 << token_shift = 64 / heads_each
    int head_units, token_units;  // of one sequence and key head
    const std::int32_t *starts, *bounds;
    int documents;

    __device__ __forceinline__ int token_mask() const { return (1 << token_shift) - 1; }
    __device__ __forceinline__ int first_head(int kv_head, int head_unit) const {
        return kv_head * (heads / kv_heads) + head_unit * heads_each;
    }
    // The first key that a token sees.
    __device__ __forceinline__ int lowest(int sequence, int token) const {
        token = min(token, tokens - 1);
        const int low = window > 0 ? max(0, token - window + 1) : 0;
        return starts == nullptr
                   ? low
                   : max(low, __ldg(starts + static_cast<std::int64_t>(sequence) * tokens + token));
    }
    // The last token that sees a key.
    __device__ __forceinline__ int highest(int sequence, int key) const {
        key = min(key, tokens - 1);
        int high = tokens - 1;
        if (window > 0) high = min(high, key + window - 1);
        if (bounds == nullptr) return high;
        const std::int64_t first_row = static_cast<std::int64_t>(sequence) * tokens;
        int before = 0, after = documents;  // bounds[before] <= the key's row < bounds[after]
        while (after - before > 1) {
            const int middle = (before + after) / 2;
            (__ldg(bounds + middle) <= first_row + key ? before : after) = middle;
        }
        return min(high, static_cast<int>(__ldg(bounds + after) - first_row) - 1);
    }
};

inline Units units_of(const HopperAttention& a) {
    Units u{};
    u.batch = a.batch;
    u.tokens = a.tokens;
    u.heads = a.heads;
    u.kv_heads = a.kv_heads;
    u.window = a.window;
    const int group = a.heads / a.kv_heads;
    u.heads_each = 1;
    u.token_shift = 6;
    while (u.heads_each < 8 && group % (2 * u.heads_each) == 0) {
        u.heads_each *= 2;
        u.token_shift -= 1;
    }
    u.head_units = group / u.heads_each;
    u.token_units = ceil_div(a.tokens, 1 << u.token_shift);
    u.starts = a.starts;
    u.bounds = a.bounds;
    u.documents = a.documents;
    return u;
}

// Tiles of `tokens` tokens of `heads` heads of x. Fails where the copy engine cannot address x.
cudaError_t tensor_map(const HeadVectors& x, int batch, int tokens, int box_tokens, int box_heads,
                       CUtensorMap* map);

// ---- backward --------------------------------------------------------------------------------------

constexpr int unit_values = unit_rows * head_dim;
constexpr int statistics = 2 * unit_rows;  // of a unit, floats

// Of the kernel between: ds and all that follows from it.
struct GradientParameters {
    CUtensorMap q, k, v, d_o, dk, dv;
    Units units;
    float scale, scale_log2;
    // [units, 32, 4]: log-sum-exp as a power of two of rows 2 i and 2 i + 1, and o.do of both.
    const float* statistics;
    float* dq;               // [units, 8, 128, 4]: transposed, as the registers of a product hold it
    const float *cos, *sin;  // [tokens, 32] that k was turned by, or null
};

cudaError_t attention_gradient(const GradientParameters&, cudaStream_t);

// ---- in kernels ------------------------------------------------------------------------------------

__device__ __forceinline__ std::uint32_t pack_pair(float first, float second) {
    std::uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}

// The inverse of RoPE's turn of a channel and that of the other half.
__device__ __forceinline__ void turn_pair_back(float& low, float& high, float cos, float sin) {
    const float a = low;
    low = a * cos + high * sin;
    high = high * cos - a * sin;
}

// Address of 16-byte piece c of row r of a swizzled tile.
__device__ __forceinline__ std::uint32_t piece_address(const void* tile, int r, int c) {
    return shared_address(tile) + r * row_bytes + ((c ^ (r % 8)) * 16);
}
// 64 x 64 values between a tile and a warpgroup's registers: w[2 j] and w[2 j + 1] hold what a product leaves
// in d[4 j .. 4 j + 3], as pairs.
__device__ __forceinline__ void store_rows(const void* tile, int thread, const std::uint32_t (&w)[16]) {
    const int lane = thread % 32, r = thread / 32 * 16 + lane % 16;
#pragma unroll
    for (int j = 0; j < 8; j += 2)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         piece_address(tile, r, j + lane / 16)),
                     "r"(w[2 * j]), "r"(w[2 * j + 1]), "r"(w[2 * j + 2]), "r"(w[2 * j + 3])
                     : "memory");
}
__device__ __forceinline__ void load_rows(const void* tile, int thread, std::uint32_t (&w)[16]) {
    const int lane = thread % 32, r = thread / 32 * 16 + lane % 16;
#pragma unroll
    for (int j = 0; j < 8; j += 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(w[2 * j]), "=r"(w[2 * j + 1]), "=r"(w[2 * j + 2]), "=r"(w[2 * j + 3])
                     : "r"(piece_address(tile, r, j + lane / 16))
                     : "memory");
}
// The same where the registers hold the transposed of the tile.
__device__ __forceinline__ void store_columns(const void* tile, int thread, const std::uint32_t (&w)[16]) {
    const int lane = thread % 32, c = thread / 32 * 2 + lane / 8 % 2;
#pragma unroll
    for (int j = 0; j < 8; j += 2)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         piece_address(tile, 8 * (j + lane / 16) + lane % 8, c)),
                     "r"(w[2 * j]), "r"(w[2 * j + 1]), "r"(w[2 * j + 2]), "r"(w[2 * j + 3])
                     : "memory");
}

}  // namespace braid::kernels::cuda::hopper
