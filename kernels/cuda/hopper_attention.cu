// A block computes three units of queries side by side: one warpgroup brings tiles of 128 keys and values,
// three multiply. Blocks stay and take tile after tile, so that the next queries come while the last output
// leaves.
#include <algorithm>

#include "kernels/cuda/hopper_attention_tile.cuh"

namespace braid::kernels::cuda {
namespace hopper {
namespace {

constexpr int units_each = 3;  // of a block
constexpr int keys_each = 128;
constexpr int kv_bytes = keys_each * row_bytes;
constexpr int kv_stages = 3;
constexpr int q_stages = 2;
// A row's largest score so far is replaced only by one larger by this factor, as a power of two: rows are
// rescaled seldom, and probabilities stay far below the largest bfloat16.
constexpr float growth = 8;

struct Parameters {
    CUtensorMap q, k, v, o;
    Units units;
    int units_across;  // of a block over heads, the others over tokens
    int head_tiles, token_tiles;
    float scale_log2;
    const bf16* sink;
    float* lse;
};

struct Shared {
    alignas(1024) unsigned char q[q_stages][units_each][unit_bytes];  // and then o
    alignas(1024) unsigned char k[kv_stages][kv_bytes];
    alignas(1024) unsigned char v[kv_stages][kv_bytes];
    std::uint64_t q_full[q_stages], q_empty[q_stages];
    std::uint64_t k_full[kv_stages], k_empty[kv_stages], v_full[kv_stages], v_empty[kv_stages];
};

struct Tile {
    int sequence, kv_head, first_token, first_head, first_block, last_block;
};

__device__ __forceinline__ Tile tile_of(const Parameters& p, int index) {
    const Units& u = p.units;
    const int chains = u.batch * u.kv_heads * p.head_tiles;
    const int chain = index % chains;
    const int place = p.token_tiles - 1 - index / chains;  // the longest first
    Tile tile;
    tile.kv_head = chain / p.head_tiles % u.kv_heads;
    tile.sequence = chain / p.head_tiles / u.kv_heads;
    tile.first_head = u.first_head(tile.kv_head, chain % p.head_tiles * p.units_across);
    const int span = (units_each / p.units_across) << u.token_shift;
    tile.first_token = place * span;
    tile.last_block = (min(tile.first_token + span, u.tokens) - 1) / keys_each;
    tile.first_block = u.lowest(tile.sequence, tile.first_token) / keys_each;
    return tile;
}
// Blocks take tiles there and back, so that every block has as much to do.
__device__ __forceinline__ int tile_index(int round) {
    return round * gridDim.x + (round % 2 == 0 ? blockIdx.x : gridDim.x - 1 - blockIdx.x);
}

__device__ __forceinline__ void bring(const Parameters& p, Shared& s, int tiles) {
    Ring<q_stages> q;
    Ring<kv_stages> kv;
    for (int round = 0; round * gridDim.x < tiles; ++round) {
        const int index = tile_index(round);
        if (index >= tiles) continue;
        const Tile tile = tile_of(p, index);
        barrier_wait(&s.q_empty[q.stage], q.parity ^ 1);
        barrier_expect(&s.q_full[q.stage], units_each * unit_bytes);
        for (int unit = 0; unit < units_each; ++unit)
            load_tile(p.q, &s.q_full[q.stage], s.q[q.stage][unit], 0,
                      tile.first_token + ((unit / p.units_across) << p.units.token_shift),
                      tile.first_head + unit % p.units_across * p.units.heads_each, tile.sequence);
        q.next();
        for (int n = tile.last_block; n >= tile.first_block; --n) {
            barrier_wait(&s.k_empty[kv.stage], kv.parity ^ 1);
            barrier_expect(&s.k_full[kv.stage], kv_bytes);
            load_tile(p.k, &s.k_full[kv.stage], s.k[kv.stage], 0, n * keys_each, tile.kv_head, tile.sequence);
            barrier_wait(&s.v_empty[kv.stage], kv.parity ^ 1);
            barrier_expect(&s.v_full[kv.stage], kv_bytes);
            load_tile(p.v, &s.v_full[kv.stage], s.v[kv.stage], 0, n * keys_each, tile.kv_head, tile.sequence);
            kv.next();
        }
    }
}

// The two rows of a thread: scores of 128 keys, their softmax so far, and o.
struct Rows {
    float scores[keys_each / 2];
    float o[head_dim / 2];
    std::uint32_t probabilities[keys_each / 4];
    float largest[2], sum[2], keep[2];
    bool rescale;

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (float& x : o) x = 0;
        largest[0] = largest[1] = -1e30F;
        sum[0] = sum[1] = 0;
        rescale = false;
    }
    __device__ __forceinline__ void issue_scores(const void* q, const void* k) {
        const std::uint64_t q_tile = tile_descriptor(q), k_tile = tile_descriptor(k);
#pragma unroll
        for (int i = 0; i < head_dim / 16; ++i)
            product<0, 0>(scores, q_tile + i * step_along, k_tile + i * step_along, i == 0);
        products_commit();
    }
    __device__ __forceinline__ void issue_values(const void* v) {
        const std::uint64_t v_tile = tile_descriptor(v);
#pragma unroll
        for (int i = 0; i < keys_each / 16; ++i)
            product<1>(o, &probabilities[4 * i], v_tile + i * step_down, false);
        products_commit();
    }
    // Hides keys outside [lowest, highest] of either row.
    __device__ __forceinline__ void hide(int first_key, const int (&lowest)[2], const int (&highest)[2]) {
#pragma unroll
        for (int i = 0; i < keys_each / 2; ++i) {
            const int key = first_key + i / 4 * 8 + i % 2, row = i % 4 / 2;
            if (key < lowest[row] || key > highest[row]) scores[i] = -CUDART_INF_F;
        }
    }
    __device__ __forceinline__ void softmax(float scale_log2) {
        float top[2] = {scores[0], scores[2]};
#pragma unroll
        for (int i = 0; i < keys_each / 2; ++i) top[i % 4 / 2] = fmaxf(top[i % 4 / 2], scores[i]);
        bool grew = false;
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            top[row] = fmaxf(top[row], __shfl_xor_sync(~0U, top[row], 1));
            top[row] = scale_log2 * fmaxf(top[row], __shfl_xor_sync(~0U, top[row], 2));
            grew = grew || top[row] > largest[row] + growth;
        }
        rescale = __any_sync(~0U, grew);
        if (rescale) {
#pragma unroll
            for (int row = 0; row < 2; ++row) {
                const float now = fmaxf(largest[row], top[row]);
                keep[row] = power_of_2(largest[row] - now);
                largest[row] = now;
                sum[row] *= keep[row];
            }
        }
#pragma unroll
        for (int i = 0; i < keys_each / 2; ++i)
            scores[i] = power_of_2(fmaf(scores[i], scale_log2, -largest[i % 4 / 2]));
        float parts[4] = {0, 0, 0, 0};
#pragma unroll
        for (int i = 0; i < keys_each / 2; ++i) parts[i % 4] += scores[i];
        sum[0] += parts[0] + parts[1];
        sum[1] += parts[2] + parts[3];
    }
    __device__ __forceinline__ void rescale_o() {
        if (!rescale) return;
#pragma unroll
        for (int i = 0; i < head_dim / 2; ++i) o[i] *= keep[i % 4 / 2];
    }
    __device__ __forceinline__ void round_probabilities() {
#pragma unroll
        for (int i = 0; i < keys_each / 4; ++i)
            probabilities[i] = pack_pair(scores[2 * i], scores[2 * i + 1]);
    }
};

// Warpgroups start their products in turn: while one takes exponentials the others multiply.
__device__ __forceinline__ void wait_turn(int unit) { named_sync(1 + unit, 2 * warpgroup); }
__device__ __forceinline__ void pass_turn(int unit) {
    named_arrive(1 + (unit + 1) % units_each, 2 * warpgroup);
}

__device__ __forceinline__ void multiply(const Parameters& p, Shared& s, int tiles, int unit) {
    const Units& u = p.units;
    const int thread = threadIdx.x % warpgroup, lane = thread % 32;
    const int row = thread / 32 * 16 + lane / 4;  // and eight below
    const bool elected = thread == 0;
    Ring<q_stages> q;
    Ring<kv_stages> ks, vs;
    Rows r;
    if (unit == units_each - 1) pass_turn(unit);
    for (int round = 0; round * gridDim.x < tiles; ++round) {
        const int index = tile_index(round);
        if (index >= tiles) continue;
        const Tile tile = tile_of(p, index);
        const int token0 = tile.first_token + ((unit / p.units_across) << u.token_shift);
        const int head0 = tile.first_head + unit % p.units_across * u.heads_each;
        const int token[2] = {token0 + (row & u.token_mask()), token0 + ((row + 8) & u.token_mask())};
        const int lowest[2] = {u.lowest(tile.sequence, token[0]), u.lowest(tile.sequence, token[1])};
        const int hidden_below = u.lowest(tile.sequence, token0 + u.token_mask());  // from some row
        const auto softmax = [&](int n) {
            const int key = n * keys_each;
            if (key + keys_each - 1 > token0 || key < hidden_below) r.hide(key + lane % 4 * 2, lowest, token);
            r.softmax(p.scale_log2);
        };
        r.clear();
        barrier_wait(&s.q_full[q.stage], q.parity);
        barrier_wait(&s.k_full[ks.stage], ks.parity);
        wait_turn(unit);
        products_begin();
        r.issue_scores(s.q[q.stage][unit], s.k[ks.stage]);
        pass_turn(unit);
        products_wait<0>();
        pin(r.scores);
        if (elected) barrier_arrive(&s.k_empty[ks.stage]);
        ks.next();
        softmax(tile.last_block);
        r.round_probabilities();
        for (int n = tile.last_block - 1; n >= tile.first_block; --n) {
            barrier_wait(&s.k_full[ks.stage], ks.parity);
            wait_turn(unit);
            pin(r.scores);
            pin(r.probabilities);
            pin(r.o);
            products_begin();
            r.issue_scores(s.q[q.stage][unit], s.k[ks.stage]);
            barrier_wait(&s.v_full[vs.stage], vs.parity);
            r.issue_values(s.v[vs.stage]);
            pass_turn(unit);
            products_wait<1>();
            pin(r.scores);
            if (elected) barrier_arrive(&s.k_empty[ks.stage]);
            ks.next();
            softmax(n);  // while the values are multiplied
            products_wait<0>();
            pin(r.o);
            pin(r.probabilities);
            if (elected) barrier_arrive(&s.v_empty[vs.stage]);
            vs.next();
            r.rescale_o();
            r.round_probabilities();
        }
        barrier_wait(&s.v_full[vs.stage], vs.parity);
        pin(r.probabilities);
        pin(r.o);
        products_begin();
        r.issue_values(s.v[vs.stage]);
        float inverse[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            float sum = r.sum[i];
            sum += __shfl_xor_sync(~0U, sum, 1);
            sum += __shfl_xor_sync(~0U, sum, 2);
            const int head = head0 + ((row + 8 * i) >> u.token_shift);
            if (p.sink != nullptr) sum += power_of_2(to_float(p.sink[head]) * log2_e - r.largest[i]);
            inverse[i] = 1 / sum;
            if (lane % 4 == 0 && token[i] < u.tokens)
                p.lse[(static_cast<std::int64_t>(tile.sequence) * u.heads + head) * u.tokens + token[i]] =
                    r.largest[i] * ln2 + __logf(sum);
        }
        products_wait<0>();
        pin(r.o);
        if (elected) barrier_arrive(&s.v_empty[vs.stage]);
        vs.next();
        // o goes where this unit's q was, and from there to memory.
        std::uint32_t rounded[16];
#pragma unroll
        for (int i = 0; i < 16; ++i)
            rounded[i] = pack_pair(r.o[2 * i] * inverse[i % 2], r.o[2 * i + 1] * inverse[i % 2]);
        unsigned char* const out = s.q[q.stage][unit];
        store_rows(out, thread, rounded);
        fence_shared();
        named_sync(1 + units_each + unit, warpgroup);
        if (elected) {
            store_tile(p.o, out, 0, token0, head0, tile.sequence);
            stores_commit();
            stores_have_read();
            barrier_arrive(&s.q_empty[q.stage]);
        }
        q.next();
    }
    if (elected) stores_wait();
}

__global__ void __launch_bounds__((units_each + 1) * warpgroup, 1)
    forward_kernel(const __grid_constant__ Parameters p) {
    extern __shared__ unsigned char memory[];
    Shared& s = *reinterpret_cast<Shared*>(aligned_shared(memory));
    if (threadIdx.x == 0) {
        for (int i = 0; i < q_stages; ++i) {
            barrier_init(&s.q_full[i], 1);
            barrier_init(&s.q_empty[i], units_each);
        }
        for (int i = 0; i < kv_stages; ++i) {
            barrier_init(&s.k_full[i], 1);
            barrier_init(&s.k_empty[i], units_each);
            barrier_init(&s.v_full[i], 1);
            barrier_init(&s.v_empty[i], units_each);
        }
        barrier_init_done();
    }
    __syncthreads();
    const int tiles = p.units.batch * p.units.kv_heads * p.head_tiles * p.token_tiles;
    const int unit = threadIdx.x / warpgroup;
    if (unit == units_each) {
        registers_down<32>();
        if (threadIdx.x == units_each * warpgroup) bring(p, s, tiles);
    } else {
        registers_up<160>();
        multiply(p, s, tiles, unit);
    }
}

}  // namespace
}  // namespace hopper

cudaError_t hopper_attention(const HopperAttentionForward& f, cudaStream_t stream) {
    using namespace hopper;
    const HopperAttention& a = f.call;
    Parameters p{};
    p.units = units_of(a);
    p.units_across = p.units.head_units % units_each == 0 ? units_each : 1;
    p.head_tiles = p.units.head_units / p.units_across;
    p.token_tiles = ceil_div(a.tokens, (units_each / p.units_across) << p.units.token_shift);
    p.scale_log2 = a.scale * log2_e;
    p.sink = a.sink;
    p.lse = f.lse;
    const int unit_tokens = 1 << p.units.token_shift;
    const auto map = [&](const HeadVectors& x, int tokens, int heads, CUtensorMap* to) {
        return tensor_map(x, a.batch, a.tokens, tokens, heads, to);
    };
    cudaError_t error = map(a.q, unit_tokens, p.units.heads_each, &p.q);
    if (error == cudaSuccess) error = map(a.k, keys_each, 1, &p.k);
    if (error == cudaSuccess) error = map(a.v, keys_each, 1, &p.v);
    if (error == cudaSuccess) error = map(f.o, unit_tokens, p.units.heads_each, &p.o);
    if (error == cudaSuccess) error = allow_shared(forward_kernel, sizeof(Shared) + 1024);
    int device = 0, multiprocessors = 0;
    if (error == cudaSuccess) error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess) return error;
    const int tiles = a.batch * a.kv_heads * p.head_tiles * p.token_tiles;
    const int blocks = std::min(tiles, multiprocessors);
    forward_kernel<<<blocks, (units_each + 1) * warpgroup, sizeof(Shared) + 1024, stream>>>(p);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
