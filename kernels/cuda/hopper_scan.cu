#include "kernels/cuda/hopper_scan.h"

#include "kernels/cuda/hopper_scan_states.cuh"

namespace braid::kernels::cuda {
namespace hopper {
namespace {

// The first warpgroup, whose half of the chunk looks at no other, reads most rows.
constexpr int output_threads = 2 * warpgroup;
constexpr int most_rows = 96;

// Tiles of a chunk of q, k and v: two of those of which the states of a block have several heads.
struct OutputTiles {
    int q = 1, k = 1, v = 1;
};
struct OutputMemory {
    bf16 state[2][tile_elements];
    ChunkDecay decay[2];
    RawDecay<4> raw[2];
};

struct OutputCall {
    LinearScan scan;
    Heads q, k, v, o;
    const bf16* kept;
    OutputTiles tiles;
    int sharing;  // states of a block
};

__global__ void __launch_bounds__(output_threads, 2) output_kernel(const __grid_constant__ OutputCall c) {
    extern __shared__ __align__(1024) unsigned char memory[];
    check_alignment(memory);
    bf16* const q_tiles = reinterpret_cast<bf16*>(memory);
    bf16* const k_tiles = q_tiles + c.tiles.q * chunk_elements;
    bf16* const v_tiles = k_tiles + c.tiles.k * chunk_elements;
    auto& m = *reinterpret_cast<OutputMemory*>(v_tiles + c.tiles.v * chunk_elements);
    const LinearScan& p = c.scan;
    const int chunk = blockIdx.x, batch = blockIdx.z, first = chunk * scan_rows;
    const int state0 = static_cast<int>(blockIdx.y) * c.sharing;
    const int columns = state_columns(p.value_dim);
    const int group = warpgroup_index();
    const int thread = static_cast<int>(threadIdx.x) % warpgroup;
    const bool decays = threadIdx.x < 32;  // this warp cares for them

    // The tile of the nth state's head, of one or two.
    const auto tile_of = [&](bf16* tiles, int count, const Heads& x, int n) {
        return tiles + (nth_head(x, n) & (count - 1)) * chunk_elements;
    };
    const auto fetch_head = [&](bf16* tiles, int count, const Heads& x, int n) {
        if (!begins_head(x, n)) return;
        const int head = static_cast<int>(blockIdx.y) * nth_head(x, c.sharing) + nth_head(x, n);
        bf16* const tile = tile_of(tiles, count, x, n);
        if (group == 0)
            copy_rows<most_rows, warpgroup>(tile, rows_of(x, batch, head, first, p.tokens), thread);
        else
            copy_rows<scan_rows - most_rows, warpgroup>(
                tile + most_rows * tile_width, rows_of(x, batch, head, first + most_rows, p.tokens), thread);
    };
    const auto fetch = [&](int n) {
        const int state = state0 + n;
        fetch_head(q_tiles, c.tiles.q, c.q, n);
        fetch_head(k_tiles, c.tiles.k, c.k, n);
        fetch_head(v_tiles, c.tiles.v, c.v, n);
        const std::int64_t index = (static_cast<std::int64_t>(chunk) * p.batch + batch) * p.states + state;
        if (group == 1)
            copy_rows<block_rows, warpgroup>(
                m.state[n % 2], state_rows(c.kept + index * p.key_dim * columns, p.key_dim, columns), thread);
        if (decays && !plain_decay(p)) copy_decay(m.raw[n % 2], p, batch, state, first);
        copies_commit();
    };
    const auto prepare = [&](int n) {
        copies_wait<0>();
        const auto shape = [&](bf16* tiles, int count, const Heads& x) {
            if (!p.silu || !begins_head(x, n)) return;
            bf16* const tile = tile_of(tiles, count, x, n);
            if (group == 0)
                apply_silu<most_rows, warpgroup>(tile, thread);
            else
                apply_silu<scan_rows - most_rows, warpgroup>(tile + most_rows * tile_width, thread);
        };
        shape(q_tiles, c.tiles.q, c.q);
        shape(k_tiles, c.tiles.k, c.k);
        shape(v_tiles, c.tiles.v, c.v);
        if (plain_decay(p))
            plain_chunk_decay(m.decay[n % 2], p, state0 + n, first, threadIdx.x);
        else if (decays)
            chunk_decay(m.decay[n % 2], p, m.raw[n % 2], state0 + n, first);
        fence_shared();
    };

    for (int n = -1; n < c.sharing; ++n) {
        const int state = state0 + n;
        const bf16* const v_tile = tile_of(v_tiles, c.tiles.v, c.v, n);
        const ChunkDecay& decay = m.decay[n & 1];
        const Operands o{.x = tile_of(q_tiles, c.tiles.q, c.q, n),
                         .z = tile_of(k_tiles, c.tiles.k, c.k, n),
                         .y = v_tile,
                         .state = m.state[n & 1],
                         .down = true,
                         .later = true,
                         .before = decay.before,
                         .beta = p.beta != nullptr,
                         .rows = decay.middle + block_rows,
                         .columns = decay.middle_beta};
        if (n + 1 < c.sharing) fetch(n + 1);
        if (n >= 0) {
            float sums[32];
            collect(sums, o, decay, p.starts != nullptr, group);
            scale_all(sums, p.scale);
            if (p.skip != nullptr) {
                const float skip = p.skip[state];
                with_tile(v_tile + group * tile_elements, [&](int i, float x, float y) {
                    sums[2 * i] += skip * x;
                    sums[2 * i + 1] += skip * y;
                });
            }
            write_rows(sums, rows_of(c.o, batch, state, first + group * block_rows, p.tokens));
        }
        if (n + 1 < c.sharing) prepare(n + 1);
        __syncthreads();
    }
}

cudaError_t run_output(const HopperScanForward& f, cudaStream_t stream) {
    const LinearScan& p = f.call.scan;
    const int sharing = states_together(p);
    const auto tiles = [&](const HeadVectors& x) { return sharing > p.states / x.heads ? 2 : 1; };
    const OutputCall call{p,
                          heads_of(p.q, p.key_dim, p.states),
                          heads_of(p.k, p.key_dim, p.states),
                          heads_of(p.v, p.value_dim, p.states),
                          heads_of(f.call.o, p.value_dim, p.states),
                          f.kept,
                          {tiles(p.q), tiles(p.k), tiles(p.v)},
                          sharing};
    const std::size_t bytes =
        sizeof(bf16) * chunk_elements * (call.tiles.q + call.tiles.k + call.tiles.v) + sizeof(OutputMemory);
    if (const cudaError_t status = allow_shared(output_kernel, bytes); status != cudaSuccess) return status;
    const dim3 grid(scan_chunks(p), p.states / sharing, p.batch);
    output_kernel<<<grid, output_threads, bytes, stream>>>(call);
    return cudaGetLastError();
}

}  // namespace
}  // namespace hopper

std::int64_t hopper_scan_kept(const LinearScan& p) {
    return std::int64_t{hopper::scan_chunks(p)} * p.batch * p.states * hopper::state_elements(p);
}

std::int64_t hopper_scan_scratch(const LinearScan& p, bool backward) {
    const std::int64_t parts = std::int64_t{hopper::scan_parts(p)} * p.batch * p.states;
    const std::int64_t chunks = std::int64_t{hopper::scan_chunks(p)} * p.batch * p.states;
    const std::int64_t size = hopper::state_elements(p);
    // Shares and totals of parts; backward also rounded states behind parts and chunks, worths and dskip.
    return parts * (size + 1) + (backward ? parts * size / 2 + chunks * (size / 2 + 2) : 0);
}

cudaError_t hopper_scan(const HopperScanForward& f, cudaStream_t stream) {
    const LinearScan& p = f.call.scan;
    const int parts = hopper::scan_parts(p);
    float* const totals = f.scratch + std::int64_t{parts} * p.batch * p.states * hopper::state_elements(p);
    hopper::StatesCall states{.scan = p,
                              .x = hopper::heads_of(p.k, p.key_dim, p.states),
                              .y = hopper::heads_of(p.v, p.value_dim, p.states),
                              .x_silu = p.silu,
                              .y_silu = p.silu};
    states.shares = f.scratch;
    states.totals = totals;
    if (const cudaError_t status = hopper::scan_states(states, stream); status != cudaSuccess) return status;
    const cudaError_t chained = hopper::chain_parts({.states = f.scratch,
                                                     .totals = totals,
                                                     .initial = f.call.initial,
                                                     .last = f.call.last,
                                                     .parts = parts,
                                                     .count = p.batch * p.states,
                                                     .key_dim = p.key_dim,
                                                     .value_dim = p.value_dim},
                                                    stream);
    if (chained != cudaSuccess) return chained;
    states.shares = states.totals = nullptr;
    states.begin = f.scratch;
    states.chunks = f.kept;
    if (const cudaError_t status = hopper::scan_states(states, stream); status != cudaSuccess) return status;
    return hopper::run_output(f, stream);
}

}  // namespace braid::kernels::cuda
