// The backward pass of hopper_scan.h; linear_scan_backward.cu has the equations. Three warpgroups take dq, dk
// and dv of a chunk, state by state of those that share heads.
#include "kernels/cuda/columns.h"
#include "kernels/cuda/hopper_scan.h"
#include "kernels/cuda/hopper_scan_states.cuh"

namespace braid::kernels::cuda {
namespace hopper {
namespace {

constexpr int gradient_threads = 3 * warpgroup;
constexpr int shaping_threads = 2 * warpgroup;  // those of dk and dv, which have less to write

struct GradientMemory {
    bf16 q[2][chunk_elements], slope[2][chunk_elements];  // slope: of silu at q
    bf16 k[2][chunk_elements], v[2][chunk_elements], d_o[2][chunk_elements];
    bf16 state[2][tile_elements];   // before the chunk
    bf16 dstate[2][tile_elements];  // behind it
    bf16 behind[2][tile_elements];  // behind its part
    ChunkDecay decay[2];
    RawDecay<4> raw[2];
    float along[2][3][scan_rows];          // q_i.dq_i, k_i.dk_i, v_i.dw_i
    float after[4][shaping_threads / 32];  // parts of <S, dS> behind the chunk
    float skip[2][4];                      // parts of dskip
    int starts[scan_rows];
};

struct GradientCall {
    LinearScan scan;
    Heads q, k, v, d_o, dq, dk, dv;
    float* dlog_decay;
    float* dbeta;
    bool skips_wanted;
    const bf16* kept;
    const bf16* dstates;  // [chunks, batch, states, key_dim, columns]: behind each chunk, within its part
    const float* worth;   // [chunks, batch, states]: what of the part's is left there
    const bf16* behind;   // [parts, batch, states, key_dim, columns]: behind each part
    float* skips;         // [chunks, batch, states]
    int sharing;          // states of a block
};

// dlog_decay of the chunk's tokens, by one warp: sums from each token to the last, plus what lies behind.
__device__ __forceinline__ void write_decay_gradient(const GradientMemory& m, int nth, bool documents,
                                                     int rows, float* to, int stride) {
    const int lane = threadIdx.x % 32;
    float behind = 0;
#pragma unroll
    for (int i = 0; i < shaping_threads / 32; ++i) behind += m.after[nth % 4][i];
    float from_here[4], sum = 0;
#pragma unroll
    for (int i = 3; i >= 0; --i) {
        const int j = 4 * lane + i;
        sum += m.along[nth % 2][0][j] - m.along[nth % 2][1][j];
        from_here[i] = sum;
    }
    float later = sum;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const float right = __shfl_down_sync(~0U, later, offset);
        if (lane + offset < 32) later += right;
    }
    later += behind - sum;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int j = 4 * lane + i;
        // Nothing reaches across a beginning: what rounding left there is no gradient.
        if (j < rows) to[j * stride] = documents && m.starts[j] == j ? 0.0F : from_here[i] + later;
    }
}

__global__ void __launch_bounds__(gradient_threads, 1)
    gradient_kernel(const __grid_constant__ GradientCall c) {
    extern __shared__ __align__(1024) unsigned char memory[];
    check_alignment(memory);
    auto& m = *reinterpret_cast<GradientMemory*>(memory);
    const LinearScan& p = c.scan;
    const int chunk = blockIdx.x, batch = blockIdx.z, first = chunk * scan_rows, rows = p.tokens - first;
    const int state0 = static_cast<int>(blockIdx.y) * c.sharing;
    const int columns = state_columns(p.value_dim), size = p.key_dim * columns;
    const int role = warpgroup_index(), warp = static_cast<int>(threadIdx.x) / 32;
    const bool decays = threadIdx.x >= gradient_threads - 32;  // this warp cares for them
    const bool gated = c.dlog_decay != nullptr, documents = p.starts != nullptr;
    const auto index_of = [&](int row, int state) {
        return (static_cast<std::int64_t>(row) * p.batch + batch) * p.states + state;
    };
    const int shaper = static_cast<int>(threadIdx.x) - warpgroup;

    float worth = 0;
    const auto slot_of = [&](const Heads& x, int n) { return nth_head(x, n) & 1; };
    const auto head_of = [&](const Heads& x, int n) {
        return static_cast<int>(blockIdx.y) * nth_head(x, c.sharing) + nth_head(x, n);
    };
    const auto fetch_head = [&](auto& tiles, const Heads& x, int n) {
        if (begins_head(x, n) && role != 0)
            copy_rows<scan_rows, shaping_threads>(tiles[slot_of(x, n)],
                                                  rows_of(x, batch, head_of(x, n), first, p.tokens), shaper);
    };
    const auto fetch = [&](int n) {
        const int state = state0 + n, slot = n % 2;
        fetch_head(m.q, c.q, n);
        fetch_head(m.k, c.k, n);
        fetch_head(m.v, c.v, n);
        const auto rows_at = [&](const bf16* from, int row) {
            return state_rows(from + index_of(row, state) * size, p.key_dim, columns);
        };
        if (role == 0) {
            copy_rows<scan_rows, warpgroup>(m.d_o[slot], rows_of(c.d_o, batch, state, first, p.tokens),
                                            threadIdx.x);
            copy_rows<block_rows, warpgroup>(m.state[slot], rows_at(c.kept, chunk), threadIdx.x);
        } else {
            copy_rows<block_rows, shaping_threads>(m.dstate[slot], rows_at(c.dstates, chunk), shaper);
            copy_rows<block_rows, shaping_threads>(m.behind[slot], rows_at(c.behind, first / part_rows),
                                                   shaper);
            worth = c.worth[index_of(chunk, state)];
        }
        if (decays && !plain_decay(p)) copy_decay(m.raw[slot], p, batch, state, first);
        copies_commit();
    };
    const auto prepare = [&](int n) {
        const int state = state0 + n, slot = n % 2;
        copies_wait<0>();
        if (role != 0) {
            if (p.silu) {
                if (begins_head(c.q, n))
                    apply_silu<scan_rows, shaping_threads, true>(m.q[slot_of(c.q, n)], shaper,
                                                                 m.slope[slot_of(c.q, n)]);
                if (begins_head(c.k, n)) apply_silu<scan_rows, shaping_threads>(m.k[slot_of(c.k, n)], shaper);
                if (begins_head(c.v, n)) apply_silu<scan_rows, shaping_threads>(m.v[slot_of(c.v, n)], shaper);
            }
            float along = 0;
            const bool more = gated && first + scan_rows < p.tokens;
            const bf16* const next = c.kept + (more ? index_of(chunk + 1, state) * size : 0);
            for_pieces<block_rows, shaping_threads>(shaper, [&](int row, int piece, int at) {
                if (row >= p.key_dim || 8 * piece >= columns) return;
                Pack<bf16> sum = load_pack(m.dstate[slot] + at);
                const Pack<bf16> far = load_pack(m.behind[slot] + at);
#pragma unroll
                for (int i = 0; i < 8; ++i)
                    sum.v[i] = from_float<bf16>(to_float(sum.v[i]) + worth * to_float(far.v[i]));
                store_pack(m.dstate[slot] + at, sum);
                if (!more) return;
                const Pack<bf16> after = load_pack(next + row * columns + 8 * piece);
#pragma unroll
                for (int i = 0; i < 8; ++i) along += to_float(sum.v[i]) * to_float(after.v[i]);
            });
            if (gated) {
                along = warp_sum(along);
                if (threadIdx.x % 32 == 0) m.after[n % 4][warp - 4] = along * p.scale;
            }
        }
        if (plain_decay(p))
            plain_chunk_decay(m.decay[slot], p, state, first, threadIdx.x);
        else if (decays)
            chunk_decay(m.decay[slot], p, m.raw[slot], state, first);
        fence_shared();
    };
    // What all warpgroups have left in shared memory of state n.
    const auto finish_sums = [&](int n) {
        const int state = state0 + n, slot = n % 2;
        const std::int64_t row = static_cast<std::int64_t>(batch) * p.tokens + first;
        if (gated && warp == 0)
            write_decay_gradient(m, n, documents, rows, c.dlog_decay + row * p.states + state, p.states);
        if (c.dbeta != nullptr && warp == 4)
            for (int i = threadIdx.x % 32; i < min(rows, scan_rows); i += 32)
                c.dbeta[(row + i) * p.states + state] = m.along[slot][2][i];
        if (c.skips_wanted && threadIdx.x == 2 * warpgroup)
            c.skips[index_of(chunk, state)] =
                m.skip[slot][0] + m.skip[slot][1] + m.skip[slot][2] + m.skip[slot][3];
    };

    float sums[2][32];  // of the states that share the head, both halves of the chunk
    for (int i = threadIdx.x; i < scan_rows; i += gradient_threads) {
        m.starts[i] = documents && i < rows
                          ? p.starts[static_cast<std::int64_t>(batch) * p.tokens + first + i] - first
                          : -1;
    }
    __syncthreads();
    for (int n = -1; n < c.sharing; ++n) {
        const int state = state0 + n, slot = n & 1;
        const bool last = n + 1 == c.sharing;
        if (n > 0) finish_sums(n - 1);
        if (!last) fetch(n + 1);
        if (n >= 0) {
            const ChunkDecay& decay = m.decay[slot];
            float dskip = 0;
#pragma unroll 1
            for (int half = 0; half < 2; ++half) {
                const int tile = half * tile_elements, token = first + half * block_rows;
                const Heads& from = role == 0 ? c.q : role == 1 ? c.k : c.v;
                const bf16 *const q = m.q[slot_of(c.q, n)], *const k = m.k[slot_of(c.k, n)];
                const bf16 *const v = m.v[slot_of(c.v, n)], *const d_o = m.d_o[slot];
                const Operands o{.x = role == 0   ? d_o
                                      : role == 1 ? v
                                                  : k,
                                 .z = role == 0   ? v
                                      : role == 1 ? d_o
                                                  : q,
                                 .y = role == 0   ? k
                                      : role == 1 ? q
                                                  : d_o,
                                 .state = role == 0 ? m.state[slot] : m.dstate[slot],
                                 .down = role == 2,
                                 .later = role == 0,
                                 .before = role == 0   ? decay.before
                                           : role == 1 ? decay.after_beta
                                                       : decay.after,
                                 .beta = p.beta != nullptr && role != 2,
                                 .rows = role == 0   ? decay.middle + block_rows
                                         : role == 1 ? decay.middle_beta
                                                     : decay.middle,
                                 .columns = role == 0 ? decay.middle_beta : decay.middle + block_rows};
                float d[32];
                collect(d, o, decay, documents, half);
                scale_all(d, p.scale);
                if (gated || c.dbeta != nullptr) {
                    const float2 along = row_sums(d, (role == 0 ? q : role == 1 ? k : v) + tile);
                    float* const at = m.along[slot][role] + half * block_rows + lane_row();
                    if (threadIdx.x % 4 == 0) {
                        at[0] = along.x;
                        at[8] = along.y;
                    }
                }
                if (p.beta != nullptr && role == 2) scale_rows(d, decay.beta + half * block_rows);
                if (p.skip != nullptr && role == 2) {
                    const float skip = p.skip[state];
                    with_tile(d_o + tile, [&](int i, float x, float y) {
                        d[2 * i] += skip * x;
                        d[2 * i + 1] += skip * y;
                    });
                    if (c.skips_wanted) dskip += tile_products(d_o + tile, v + tile);
                }
                if (!begins_head(from, n)) {
                    if (half == 0) {
#pragma unroll
                        for (int i = 0; i < 32; ++i) d[i] += sums[0][i];
                    } else {
#pragma unroll
                        for (int i = 0; i < 32; ++i) d[i] += sums[1][i];
                    }
                }
                if (last || begins_head(from, n + 1)) {
                    if (p.silu && role == 0)
                        with_tile(m.slope[slot_of(c.q, n)] + tile, [&](int i, float x, float y) {
                            d[2 * i] *= x;
                            d[2 * i + 1] *= y;
                        });
                    else if (p.silu)
                        scale_by_slope(d, rows_of(from, batch, head_of(from, n), token, p.tokens));
                    const Heads& to = role == 0 ? c.dq : role == 1 ? c.dk : c.dv;
                    write_rows(d, rows_of(to, batch, head_of(from, n), token, p.tokens));
                } else if (half == 0) {
#pragma unroll
                    for (int i = 0; i < 32; ++i) sums[0][i] = d[i];
                } else {
#pragma unroll
                    for (int i = 0; i < 32; ++i) sums[1][i] = d[i];
                }
            }
            if (c.skips_wanted && role == 2) {
                dskip = warp_sum(dskip);
                if (threadIdx.x % 32 == 0) m.skip[slot][warp % 4] = dskip;
            }
        }
        if (!last) prepare(n + 1);
        __syncthreads();
    }
    finish_sums(c.sharing - 1);
}

}  // namespace
}  // namespace hopper

cudaError_t hopper_scan_backward(const HopperScanBackward& b, cudaStream_t stream) {
    using namespace hopper;
    const LinearScanBackward& g = b.call;
    const LinearScan& p = g.scan;
    const int parts = scan_parts(p), chunks = scan_chunks(p), count = p.batch * p.states;
    const std::int64_t size = state_elements(p);
    // As hopper_scan_scratch() counts them; rounded states first, 16-byte pieces.
    bf16* const dstates = reinterpret_cast<bf16*>(b.scratch);
    bf16* const behind = dstates + chunks * count * size;
    float* const shares = reinterpret_cast<float*>(behind + parts * count * size);
    float* const totals = shares + parts * count * size;
    float* const worth = totals + parts * count;
    float* const skips = worth + chunks * count;
    const auto heads = [&](const HeadVectors& x, int width) { return heads_of(x, width, p.states); };
    StatesCall states{.scan = p,
                      .x = heads(p.q, p.key_dim),
                      .y = heads(g.d_o, p.value_dim),
                      .x_silu = p.silu,
                      .backward = true};
    states.chunks = dstates;
    states.worth = worth;
    states.shares = shares;
    states.totals = totals;
    if (const cudaError_t status = scan_states(states, stream); status != cudaSuccess) return status;
    const cudaError_t chained = chain_parts({.states = shares,
                                             .rounded = behind,
                                             .totals = totals,
                                             .parts = parts,
                                             .count = count,
                                             .key_dim = p.key_dim,
                                             .value_dim = p.value_dim,
                                             .backward = true},
                                            stream);
    if (chained != cudaSuccess) return chained;
    const int sharing = states_together(p);
    constexpr std::size_t bytes = sizeof(GradientMemory);
    if (const cudaError_t status = allow_shared(gradient_kernel, bytes); status != cudaSuccess) return status;
    const dim3 grid(chunks, p.states / sharing, p.batch);
    gradient_kernel<<<grid, gradient_threads, bytes, stream>>>(
        {p, heads(p.q, p.key_dim), heads(p.k, p.key_dim), heads(p.v, p.value_dim), heads(g.d_o, p.value_dim),
         heads(g.dq, p.key_dim), heads(g.dk, p.key_dim), heads(g.dv, p.value_dim), g.dlog_decay, g.dbeta,
         g.dskip != nullptr, b.kept, dstates, worth, behind, skips, sharing});
    if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess || g.dskip == nullptr)
        return status;
    return add_columns(skips, g.dskip, chunks * p.batch, p.states, stream);
}

}  // namespace braid::kernels::cuda
