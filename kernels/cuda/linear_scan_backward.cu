// The backward pass of linear_scan.h. With dS the gradient of the state after a chunk and w = beta v:
//
//   dq_i = scale (before_i S do_i + sum_{j <= i} within_ij (do_i.w_j) k_j)
//   dk_j = after_j dS w_j + sum_{i >= j} within_ij (do_i.w_j) q_i
//   dw_j = after_j dS^T k_j + sum_{i >= j} within_ij (q_i.k_j) do_i
//   dS before the chunk = total dS + sum_i before_i q_i do_i^T
//   dlog_decay_t = sum over the tokens i >= t of the chunk of (q_i.dq_i - k_i.dk_i), plus <S, dS> behind the
//   chunk.
//
// Gradients of each state go to scratch; a last kernel adds up those that share a head and goes back through
// silu.
#include <algorithm>

#include "kernels/cuda/columns.h"
#include "kernels/cuda/linear_scan.h"
#include "kernels/cuda/linear_tile.cuh"

namespace braid::kernels::cuda {
namespace {

template <int K, int V>
struct AskedTiles {
    bf16 q[scan_chunk * tile_stride(K)];
    bf16 d_o[scan_chunk * tile_stride(V)];
    ChunkDecay decay;
};

// What the outputs of each part ask of the state before it.
template <int K, int V>
__global__ void __launch_bounds__(scan_threads) asked_kernel(LinearScanBackward g) {
    extern __shared__ __align__(16) char memory[];
    auto& tiles = *reinterpret_cast<AskedTiles<K, V>*>(memory);
    const LinearScan& p = g.scan;
    const int part = blockIdx.x, state = blockIdx.y, batch = blockIdx.z;
    typename StateShare<K, V>::Sums sums;
    clear(sums);
    for (int c = scan_part_chunks; c-- > 0;) {
        const int first = part * scan_part + c * scan_chunk;
        if (first >= p.tokens) continue;
        TileRows<K> q;
        TileRows<V> d_o;
        q.read(p.q, p.key_dim, batch, state / (p.states / p.q.heads), first, p.tokens);
        d_o.read(g.d_o, p.value_dim, batch, state, first, p.tokens);
        __syncthreads();
        load_decay(p, tiles.decay, batch, state, first);
        q.store(tiles.q, {p.silu, p.scale});
        d_o.store(tiles.d_o, {});
        __syncthreads();
        advance_state<K, V>(sums, tiles.q, tiles.d_o, tiles.decay.before, tiles.decay.total);
    }
    const std::int64_t index = (static_cast<std::int64_t>(part) * p.batch + batch) * p.states + state;
    write_state<K, V>(sums, g.dboundaries + index * p.key_dim * p.value_dim, p.key_dim, p.value_dim);
}

template <int K, int V, bool Gated>
struct Tiles {
    bf16 q[scan_chunk * tile_stride(K)];
    bf16 k[scan_chunk * tile_stride(K)];
    bf16 v[scan_chunk * tile_stride(V)];
    bf16 d_o[scan_chunk * tile_stride(V)];
    // The state before each chunk, where the gradient of decays asks for it behind the chunk, else one at a
    // time; on the way back the gradient of the state after a chunk takes the place of that state.
    bf16 state[(Gated ? scan_part_chunks + 1 : 1) * K * tile_stride(V)];
    float along[Gated ? scan_part : 1];  // q_i.dq_i, then less k_i.dk_i
    float behind[4];                     // a sum of each warp
    ChunkDecay decay;
};

// sum_j acc_ij tile_ij for the 16 rows of this warp.
template <int N8>
__device__ __forceinline__ float2 row_sums(const float (&acc)[N8][4], const bf16* tile, int stride,
                                           int row0) {
    const int lane = threadIdx.x % 32;
    float2 sum = {0, 0};
#pragma unroll
    for (int n = 0; n < N8; ++n) {
        const bf16* at = tile + (row0 + lane / 4) * stride + n * 8 + 2 * (lane % 4);
        const float2 low = unpack_bf16(*reinterpret_cast<const unsigned*>(at));
        const float2 high = unpack_bf16(*reinterpret_cast<const unsigned*>(at + 8 * stride));
        sum.x += acc[n][0] * low.x + acc[n][1] * low.y;
        sum.y += acc[n][2] * high.x + acc[n][3] * high.y;
    }
#pragma unroll
    for (int offset = 1; offset < 4; offset *= 2) {
        sum.x += __shfl_xor_sync(0xffffffffU, sum.x, offset);
        sum.y += __shfl_xor_sync(0xffffffffU, sum.y, offset);
    }
    return sum;  // in all four lanes of a row: row lane / 4, and 8 rows below it
}

// dlog_decay of the chunk's tokens, by the first warp: sums from each token to the last, plus what lies
// behind.
__device__ __forceinline__ void write_decay_gradient(const LinearScan& p, const ChunkDecay& d,
                                                     const float* along, float behind, float* dlog_decay,
                                                     int batch, int state, int first) {
    if (threadIdx.x >= 32) return;
    const int lane = threadIdx.x;
    const float x = along[2 * lane], y = along[2 * lane + 1];
    float sum = x + y;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const float right = __shfl_down_sync(0xffffffffU, sum, offset);
        if (lane + offset < 32) sum += right;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int j = 2 * lane + i, t = first + j;
        if (t >= p.tokens) continue;
        // Nothing reaches across a beginning: what rounding left there is no gradient.
        const float from_here = (i == 0 ? sum : sum - x) + behind;
        dlog_decay[(static_cast<std::int64_t>(batch) * p.tokens + t) * p.states + state] =
            p.starts != nullptr && d.starts[j] == j ? 0.0F : from_here;
    }
}

template <int K, int V, bool Gated>
__global__ void __launch_bounds__(scan_threads, 3) gradients_kernel(LinearScanBackward g) {
    extern __shared__ __align__(16) char memory[];
    auto& tiles = *reinterpret_cast<Tiles<K, V, Gated>*>(memory);
    using Share = StateShare<K, V>;
    const LinearScan& p = g.scan;
    const ChunkDecay& d = tiles.decay;
    const int part = blockIdx.x, state = blockIdx.y, batch = blockIdx.z;
    const int lane = threadIdx.x % 32, row0 = threadIdx.x / 32 * 16;
    const std::int64_t rows = static_cast<std::int64_t>(p.batch) * p.tokens * p.states;
    bf16* const partial_q = g.partial;
    bf16* const partial_k = partial_q + rows * p.key_dim;
    bf16* const partial_v = partial_k + rows * p.key_dim;
    const std::int64_t index = (static_cast<std::int64_t>(part) * p.batch + batch) * p.states + state;
    const float skip = p.skip != nullptr ? p.skip[state] : 0.0F;
    const auto state_before = [&](int c) { return tiles.state + (Gated ? c * K * tile_stride(V) : 0); };
    // Rows of a tensor [batch, tokens, states, width] of scratch.
    const auto write_partial = [&](const auto& acc, bf16* partial, int width, int first, float factor) {
        bf16* to =
            partial + ((static_cast<std::int64_t>(batch) * p.tokens + first) * p.states + state) * width;
        write_rows(acc, to, static_cast<std::int64_t>(p.states) * width, width, row0, p.tokens - first,
                   factor);
    };
    const int q_head = state / (p.states / p.q.heads), k_head = state / (p.states / p.k.heads),
              v_head = state / (p.states / p.v.heads);
    const bool beta = p.beta != nullptr;

    // Forward over the chunks: the states, and with them dq.
    typename Share::Sums sums;
    read_state<K, V>(sums, p.boundaries + index * p.key_dim * p.value_dim, p.key_dim, p.value_dim);
    int chunks = 0;
    for (int c = 0; c < scan_part_chunks; ++c) {
        const int first = part * scan_part + c * scan_chunk;
        if (first >= p.tokens) break;
        chunks = c + 1;
        TileRows<K> q, k;
        TileRows<V> v, d_o;
        if (Gated) q.read(p.q, p.key_dim, batch, q_head, first, p.tokens);
        k.read(p.k, p.key_dim, batch, k_head, first, p.tokens);
        v.read(p.v, p.value_dim, batch, v_head, first, p.tokens);
        d_o.read(g.d_o, p.value_dim, batch, state, first, p.tokens);
        __syncthreads();
        load_decay(p, tiles.decay, batch, state, first);
        state_tile<K, V>(sums, state_before(c));
        if (Gated) q.store(tiles.q, {p.silu, p.scale});
        k.store(tiles.k, {p.silu, 1});
        v.store(tiles.v, {p.silu, 1});
        d_o.store(tiles.d_o, {});
        __syncthreads();
        float dq[K / 8][4];
        clear(dq);
        multiply_rows<K, V>(dq, tiles.d_o, tile_stride(V), row0, state_before(c), tile_stride(V));
        scale_rows(dq, d.before, row0);
        const Blocks seen{0, row0 / 16 + 1};
        float dscores[scan_chunk / 8][4];
        clear(dscores);
        multiply_rows<scan_chunk, V>(dscores, tiles.d_o, tile_stride(V), row0, tiles.v, tile_stride(V), seen);
        if (beta)
            decay_rows<true>(dscores, d, row0);
        else
            decay_rows<false>(dscores, d, row0);
        multiply<K, scan_chunk>(dq, dscores, tiles.k, tile_stride(K), seen);
        if (Gated) {
            const float2 along = row_sums(dq, tiles.q, tile_stride(K), row0);
            if (lane % 4 == 0) {
                tiles.along[c * scan_chunk + row0 + lane / 4] = along.x;
                tiles.along[c * scan_chunk + row0 + lane / 4 + 8] = along.y;
            }
        }
        write_partial(dq, partial_q, p.key_dim, first, p.scale);
        advance_state<K, V>(sums, tiles.k, tiles.v, d.after_beta, d.total);
    }

    // Backward over them: the gradient of the state, and with it dk and dv.
    typename Share::Sums dsums;
    read_state<K, V>(dsums, g.dboundaries + index * p.key_dim * p.value_dim, p.key_dim, p.value_dim);
    float dskip = 0;
    for (int c = chunks; c-- > 0;) {
        const int first = part * scan_part + c * scan_chunk;
        TileRows<K> q, k;
        TileRows<V> v, d_o;
        q.read(p.q, p.key_dim, batch, q_head, first, p.tokens);
        k.read(p.k, p.key_dim, batch, k_head, first, p.tokens);
        v.read(p.v, p.value_dim, batch, v_head, first, p.tokens);
        d_o.read(g.d_o, p.value_dim, batch, state, first, p.tokens);
        __syncthreads();
        if (Gated) {
            float behind = 0;
            if (Share::mine()) {
                if (c + 1 == chunks) {
#pragma unroll
                    for (int n = 0; n < Share::columns / 8; ++n)
#pragma unroll
                        for (int i = 0; i < 4; ++i) behind += sums[n][i] * dsums[n][i];
                } else {
                    const bf16* after = state_before(c + 1) + Share::column();
                    for_elements(dsums, Share::row(), [&](int i, int j, float& x) {
                        behind += x * to_float(after[i * tile_stride(V) + j]);
                    });
                }
            }
            behind = warp_sum(behind);
            if (lane == 0) tiles.behind[threadIdx.x / 32] = behind;
        }
        load_decay(p, tiles.decay, batch, state, first);
        q.store(tiles.q, {p.silu, p.scale});
        k.store(tiles.k, {p.silu, 1});
        v.store(tiles.v, {p.silu, 1});
        d_o.store(tiles.d_o, {});
        bf16* const dstate = state_before(c + 1);  // of the state, each thread has read what it writes now
        state_tile<K, V>(dsums, dstate);
        __syncthreads();

        float scores[scan_chunk / 8][4];
        clear(scores);
        const Blocks readers{row0 / 16, scan_chunk / 16};
        multiply_rows<scan_chunk, K>(scores, tiles.k, tile_stride(K), row0, tiles.q, tile_stride(K), readers);
        decay_columns<false>(scores, d, row0);
        float dw[V / 8][4];
        clear(dw);
        multiply<V, K>(dw, tiles.k, tile_stride(K), row0, dstate, tile_stride(V));
        scale_rows(dw, d.after, row0);
        multiply<V, scan_chunk>(dw, scores, tiles.d_o, tile_stride(V), readers);
        if (g.dbeta != nullptr) {
            const float2 along = row_sums(dw, tiles.v, tile_stride(V), row0);
            if (lane % 4 == 0) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const int t = first + row0 + lane / 4 + 8 * half;
                    if (t < p.tokens)
                        g.dbeta[(static_cast<std::int64_t>(batch) * p.tokens + t) * p.states + state] =
                            half == 0 ? along.x : along.y;
                }
            }
        }
        if (beta) scale_rows(dw, d.beta, row0);
        if (p.skip != nullptr)
            for_elements(dw, row0, [&](int j, int column, float& x) {
                const float d_o = to_float(tiles.d_o[j * tile_stride(V) + column]);
                dskip += d_o * to_float(tiles.v[j * tile_stride(V) + column]);
                x += skip * d_o;
            });
        write_partial(dw, partial_v, p.value_dim, first, 1);

        clear(scores);
        multiply_rows<scan_chunk, V>(scores, tiles.v, tile_stride(V), row0, tiles.d_o, tile_stride(V),
                                     readers);
        decay_columns<true>(scores, d, row0);
        float dk[K / 8][4];
        clear(dk);
        multiply_rows<K, V>(dk, tiles.v, tile_stride(V), row0, dstate, tile_stride(V));
        scale_rows(dk, d.after_beta, row0);
        multiply<K, scan_chunk>(dk, scores, tiles.q, tile_stride(K), readers);
        write_partial(dk, partial_k, p.key_dim, first, 1);
        if (Gated) {
            const float2 along = row_sums(dk, tiles.k, tile_stride(K), row0);
            float* at = tiles.along + c * scan_chunk + row0 + lane / 4;
            if (lane % 4 == 0) {
                at[0] -= along.x;
                at[8] -= along.y;
            }
            __syncthreads();
            write_decay_gradient(p, d, tiles.along + c * scan_chunk,
                                 tiles.behind[0] + tiles.behind[1] + tiles.behind[2] + tiles.behind[3],
                                 g.dlog_decay, batch, state, first);
        }
        advance_state<K, V>(dsums, tiles.q, tiles.d_o, d.before, d.total);
    }
    if (g.dskip != nullptr) {
        dskip = block_sum(dskip);
        if (threadIdx.x == 0) g.skip_partial[index] = dskip;
    }
}

// dx[head] = silu'(x) sum over the states of the head of partial.
struct Finish {
    const bf16* partial = nullptr;  // [rows, states, width]
    HeadVectors x, dx;
    std::int64_t rows = 0;
    int tokens = 0;
    int states = 0;
    int width = 0;
    bool silu = false;
};

template <int N>
__global__ void finish_kernel(Finish p) {
    const int packs = p.width / N;
    const std::int64_t all = p.rows * p.dx.heads * packs;
    const int shared = p.states / p.dx.heads;
    for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < all;
         i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
        const int column = static_cast<int>(i % packs) * N, head = static_cast<int>(i / packs % p.dx.heads);
        const std::int64_t row = i / packs / p.dx.heads, batch = row / p.tokens, t = row % p.tokens;
        float sum[N] = {};
        const bf16* from = p.partial + (row * p.states + head * shared) * p.width + column;
        for (int s = 0; s < shared; ++s, from += p.width) {
            if constexpr (N == 8) {
                const Pack<bf16> pack = load_pack(from);
#pragma unroll
                for (int j = 0; j < N; ++j) sum[j] += to_float(pack.v[j]);
            } else {
                sum[0] += to_float(*from);
            }
        }
        if (p.silu) {
            const bf16* x = p.x.data + batch * p.x.batch + t * p.x.row + head * p.x.head + column;
            Pack<bf16> pack;
            if constexpr (N == 8) pack = load_pack(x);
#pragma unroll
            for (int j = 0; j < N; ++j) {
                const float value = to_float(N == 8 ? pack.v[j] : x[j]), s = sigmoid(value);
                sum[j] *= s * (1.0F + value * (1.0F - s));
            }
        }
        bf16* to = p.dx.data + batch * p.dx.batch + t * p.dx.row + head * p.dx.head + column;
        if constexpr (N == 8) {
            Pack<bf16> pack;
#pragma unroll
            for (int j = 0; j < N; ++j) pack.v[j] = from_float<bf16>(sum[j]);
            store_pack(to, pack);
        } else {
            *to = from_float<bf16>(sum[0]);
        }
    }
}

bool wide(const HeadVectors& x) {
    return x.batch % 8 == 0 && x.row % 8 == 0 && x.head % 8 == 0 &&
           reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0;
}

void finish(const LinearScan& p, const bf16* partial, const HeadVectors& x, const HeadVectors& dx, int width,
            cudaStream_t stream) {
    const std::int64_t rows = static_cast<std::int64_t>(p.batch) * p.tokens;
    const Finish f{partial, x, dx, rows, p.tokens, p.states, width, p.silu};
    const bool eight =
        width % 8 == 0 && wide(x) && wide(dx) && reinterpret_cast<std::uintptr_t>(partial) % 16 == 0;
    const int blocks = static_cast<int>(std::min<std::int64_t>(
        (rows * dx.heads * width / (eight ? 8 : 1) + 255) / 256, std::int64_t{1} << 16));
    if (eight)
        finish_kernel<8><<<blocks, 256, 0, stream>>>(f);
    else
        finish_kernel<1><<<blocks, 256, 0, stream>>>(f);
}

template <int K, int V, bool Gated>
cudaError_t run_gradients(const LinearScanBackward& g, const dim3& grid, cudaStream_t stream) {
    const std::size_t bytes = sizeof(Tiles<K, V, Gated>);
    if (const cudaError_t status = allow_shared(gradients_kernel<K, V, Gated>, bytes); status != cudaSuccess)
        return status;
    gradients_kernel<K, V, Gated><<<grid, scan_threads, bytes, stream>>>(g);
    return cudaGetLastError();
}

}  // namespace

cudaError_t linear_scan_backward(const LinearScanBackward& g, cudaStream_t stream) {
    const LinearScan& p = g.scan;
    const int parts = linear_parts(p.tokens);
    const dim3 grid(parts, p.states, p.batch);
    const cudaError_t status = with_state_sizes(p.key_dim, p.value_dim, [&](auto key, auto value) {
        constexpr int K = decltype(key)::value, V = decltype(value)::value;
        asked_kernel<K, V><<<grid, scan_threads, sizeof(AskedTiles<K, V>), stream>>>(g);
        const cudaError_t chained = run_chain({.states = g.dboundaries,
                                               .totals = p.totals,
                                               .parts = parts,
                                               .count = p.batch * p.states,
                                               .size = p.key_dim * p.value_dim,
                                               .backward = true},
                                              stream);
        if (chained != cudaSuccess) return chained;
        return g.dlog_decay != nullptr ? run_gradients<K, V, true>(g, grid, stream)
                                       : run_gradients<K, V, false>(g, grid, stream);
    });
    if (status != cudaSuccess) return status;
    const std::int64_t rows = static_cast<std::int64_t>(p.batch) * p.tokens * p.states;
    finish(p, g.partial, p.q, g.dq, p.key_dim, stream);
    finish(p, g.partial + rows * p.key_dim, p.k, g.dk, p.key_dim, stream);
    finish(p, g.partial + 2 * rows * p.key_dim, p.v, g.dv, p.value_dim, stream);
    if (const cudaError_t finished = cudaGetLastError(); finished != cudaSuccess || g.dskip == nullptr)
        return finished;
    return add_columns(g.skip_partial, g.dskip, parts * p.batch, p.states, stream);
}

}  // namespace braid::kernels::cuda
