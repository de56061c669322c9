#include "kernels/cuda/linear_scan.h"

#include "kernels/cuda/linear_tile.cuh"

namespace braid::kernels::cuda {
namespace {

template <int K, int V>
struct PartTiles {
    bf16 k[scan_chunk * tile_stride(K)];
    bf16 v[scan_chunk * tile_stride(V)];
    ChunkDecay decay;
};

// What each part adds to the state, and what it leaves of the state before it.
template <int K, int V>
__global__ void __launch_bounds__(scan_threads) parts_kernel(LinearScan p) {
    extern __shared__ __align__(16) char memory[];
    auto& tiles = *reinterpret_cast<PartTiles<K, V>*>(memory);
    const int part = blockIdx.x, state = blockIdx.y, batch = blockIdx.z;
    typename StateShare<K, V>::Sums sums;
    clear(sums);
    float total = 1;
    for (int c = 0; c < scan_part_chunks; ++c) {
        const int first = part * scan_part + c * scan_chunk;
        if (first >= p.tokens) break;
        TileRows<K> k;
        TileRows<V> v;
        k.read(p.k, p.key_dim, batch, state / (p.states / p.k.heads), first, p.tokens);
        v.read(p.v, p.value_dim, batch, state / (p.states / p.v.heads), first, p.tokens);
        __syncthreads();
        load_decay(p, tiles.decay, batch, state, first);
        k.store(tiles.k, {p.silu, 1});
        v.store(tiles.v, {p.silu, 1});
        __syncthreads();
        advance_state<K, V>(sums, tiles.k, tiles.v, tiles.decay.after_beta, tiles.decay.total);
        total *= tiles.decay.total;
    }
    const std::int64_t index = (static_cast<std::int64_t>(part) * p.batch + batch) * p.states + state;
    write_state<K, V>(sums, p.boundaries + index * p.key_dim * p.value_dim, p.key_dim, p.value_dim);
    if (threadIdx.x == 0) p.totals[index] = total;
}

__global__ void chain_kernel(StateChain c) {
    const int element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= c.size) return;
    const std::int64_t one = blockIdx.y, count = c.count;
    float state = c.initial != nullptr ? c.initial[one * c.size + element] : 0.0F;
    constexpr int ahead = 8;  // loads in flight
    for (int begin = 0; begin < c.parts; begin += ahead) {
        float added[ahead], total[ahead];
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            const int part = c.backward ? c.parts - 1 - begin - i : begin + i;
            if (begin + i >= c.parts) break;
            added[i] = c.states[(part * count + one) * c.size + element];
            total[i] = c.totals[part * count + one];
        }
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            const int part = c.backward ? c.parts - 1 - begin - i : begin + i;
            if (begin + i >= c.parts) break;
            c.states[(part * count + one) * c.size + element] = state;
            state = state * total[i] + added[i];
        }
    }
    if (c.last != nullptr) c.last[one * c.size + element] = state;
}

template <int K, int V>
struct OutputTiles {
    bf16 q[scan_chunk * tile_stride(K)];
    bf16 k[scan_chunk * tile_stride(K)];
    bf16 v[scan_chunk * tile_stride(V)];
    bf16 state[K * tile_stride(V)];
    ChunkDecay decay;
};

template <int K, int V>
__global__ void __launch_bounds__(scan_threads, 3) output_kernel(LinearScanForward f) {
    extern __shared__ __align__(16) char memory[];
    auto& tiles = *reinterpret_cast<OutputTiles<K, V>*>(memory);
    const LinearScan& p = f.scan;
    const ChunkDecay& d = tiles.decay;
    const int part = blockIdx.x, state = blockIdx.y, batch = blockIdx.z;
    const int row0 = threadIdx.x / 32 * 16;
    const std::int64_t index = (static_cast<std::int64_t>(part) * p.batch + batch) * p.states + state;
    const float skip = p.skip != nullptr ? p.skip[state] : 0.0F;
    typename StateShare<K, V>::Sums sums;
    read_state<K, V>(sums, p.boundaries + index * p.key_dim * p.value_dim, p.key_dim, p.value_dim);
    for (int c = 0; c < scan_part_chunks; ++c) {
        const int first = part * scan_part + c * scan_chunk;
        if (first >= p.tokens) break;
        TileRows<K> q, k;
        TileRows<V> v;
        q.read(p.q, p.key_dim, batch, state / (p.states / p.q.heads), first, p.tokens);
        k.read(p.k, p.key_dim, batch, state / (p.states / p.k.heads), first, p.tokens);
        v.read(p.v, p.value_dim, batch, state / (p.states / p.v.heads), first, p.tokens);
        __syncthreads();
        load_decay(p, tiles.decay, batch, state, first);
        state_tile<K, V>(sums, tiles.state);
        q.store(tiles.q, {p.silu, p.scale});
        k.store(tiles.k, {p.silu, 1});
        v.store(tiles.v, {p.silu, 1});
        __syncthreads();

        float o[V / 8][4];
        clear(o);
        multiply<V, K>(o, tiles.q, tile_stride(K), row0, tiles.state, tile_stride(V));
        scale_rows(o, d.before, row0);
        const Blocks seen{0, row0 / 16 + 1};
        float scores[scan_chunk / 8][4];
        clear(scores);
        multiply_rows<scan_chunk, K>(scores, tiles.q, tile_stride(K), row0, tiles.k, tile_stride(K), seen);
        if (p.beta != nullptr)
            decay_rows<true>(scores, d, row0);
        else
            decay_rows<false>(scores, d, row0);
        multiply<V, scan_chunk>(o, scores, tiles.v, tile_stride(V), seen);
        if (p.skip != nullptr)
            for_elements(o, row0, [&](int i, int j, float& x) {
                x += skip * to_float(tiles.v[i * tile_stride(V) + j]);
            });
        write_rows(o, f.o.data + batch * f.o.batch + first * f.o.row + state * f.o.head, f.o.row, p.value_dim,
                   row0, p.tokens - first, 1);
        advance_state<K, V>(sums, tiles.k, tiles.v, d.after_beta, d.total);
    }
}

}  // namespace

bool linear_scan_supports(int key_dim, int value_dim) {
    return key_dim > 0 && key_dim <= 64 && value_dim > 0 && value_dim <= 64;
}
int linear_parts(std::int64_t tokens) { return ceil_div(tokens, scan_part); }

cudaError_t run_chain(const StateChain& chain, cudaStream_t stream) {
    chain_kernel<<<dim3(ceil_div(chain.size, 256), chain.count), 256, 0, stream>>>(chain);
    return cudaGetLastError();
}

cudaError_t linear_scan(const LinearScanForward& f, cudaStream_t stream) {
    const LinearScan& p = f.scan;
    const int parts = linear_parts(p.tokens);
    return with_state_sizes(p.key_dim, p.value_dim, [&](auto key, auto value) {
        constexpr int K = decltype(key)::value, V = decltype(value)::value;
        const dim3 grid(parts, p.states, p.batch);
        cudaError_t status = allow_shared(parts_kernel<K, V>, sizeof(PartTiles<K, V>));
        if (status == cudaSuccess) status = allow_shared(output_kernel<K, V>, sizeof(OutputTiles<K, V>));
        if (status != cudaSuccess) return status;
        parts_kernel<K, V><<<grid, scan_threads, sizeof(PartTiles<K, V>), stream>>>(p);
        status = run_chain({.states = p.boundaries,
                            .totals = p.totals,
                            .initial = f.initial,
                            .last = f.last,
                            .parts = parts,
                            .count = p.batch * p.states,
                            .size = p.key_dim * p.value_dim},
                           stream);
        if (status != cudaSuccess) return status;
        output_kernel<K, V><<<grid, scan_threads, sizeof(OutputTiles<K, V>), stream>>>(f);
        return cudaGetLastError();
    });
}

}  // namespace braid::kernels::cuda
