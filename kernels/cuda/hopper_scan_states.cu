#include "kernels/cuda/hopper_scan_states.cuh"

namespace braid::kernels::cuda::hopper {
namespace {

// One state a warpgroup, all of which read the same rows. One warpgroup advances by 64 tokens, and blocks
// wait for each other's copies; several advance by a chunk and copy further ahead.
template <int Groups>
struct StatesMemory {
    static constexpr int rows = Groups == 1 ? block_rows : scan_rows, stages = Groups == 1 ? 2 : 3;
    bf16 x[stages][rows * tile_width];
    bf16 y[stages][rows * tile_width];
    RawDecay<rows / 32> raw[stages][Groups];
    float factor[2][Groups][rows];
    float total[2][Groups];
};

template <int Groups>
__global__ void __launch_bounds__(Groups* warpgroup, Groups == 1 ? 5 : 1)
    states_kernel(const __grid_constant__ StatesCall c, int sharing) {
    using Memory = StatesMemory<Groups>;
    constexpr int threads = Groups * warpgroup, stages = Memory::stages, step_rows = Memory::rows;
    extern __shared__ __align__(1024) unsigned char memory[];
    check_alignment(memory);
    auto& m = *reinterpret_cast<Memory*>(memory);
    const LinearScan& p = c.scan;
    const int part = blockIdx.x, batch = blockIdx.z;
    const int blocks = (sharing + Groups - 1) / Groups;  // of the states that share
    const int group = warpgroup_index(), lane = threadIdx.x % 32;
    const int warp = static_cast<int>(threadIdx.x) % warpgroup / 32;
    const int nth = static_cast<int>(blockIdx.y) % blocks * Groups + group;
    const int state = static_cast<int>(blockIdx.y) / blocks * sharing + min(nth, sharing - 1);
    const bool mine = nth < sharing;
    const int x_head = state / c.x.shared, y_head = state / c.y.shared, thread = threadIdx.x;
    const int begin = part * part_rows, rows = min(part_rows, p.tokens - begin);
    const int steps = (rows + step_rows - 1) / step_rows;
    const int columns = state_columns(p.value_dim), size = p.key_dim * columns;
    const auto step_at = [&](int i) { return c.backward ? steps - 1 - i : i; };
    const auto index_of = [&](int row) {
        return (static_cast<std::int64_t>(row) * p.batch + batch) * p.states + state;
    };

    const auto fetch = [&](int i) {
        const int slot = i % stages, first = begin + step_at(i) * step_rows;
        copy_rows<step_rows, threads>(m.x[slot], rows_of(c.x, batch, x_head, first, p.tokens), thread);
        copy_rows<step_rows, threads>(m.y[slot], rows_of(c.y, batch, y_head, first, p.tokens), thread);
        if (warp == 0 && !plain_decay(p)) copy_decay(m.raw[slot][group], p, batch, state, first);
    };
    const auto prepare = [&](int i) {
        const int slot = i % stages;
        if (c.x_silu) apply_silu<step_rows, threads>(m.x[slot], thread);
        if (c.y_silu) apply_silu<step_rows, threads>(m.y[slot], thread);
        fence_shared();
        const int first = begin + step_at(i) * step_rows;
        float* const factor = m.factor[i % 2][group];
        if (plain_decay(p)) {
            const int j = thread % warpgroup, there = min(p.tokens - first, step_rows);
            const float g = log2_e * p.log_decay[state];
            // k v^T of a token decays behind it, q d_o^T up to it.
            if (j < step_rows)
                factor[j] = power_of_2(g * static_cast<float>(c.backward ? j + 1 : max(there - 1 - j, 0)));
            if (j == 0) m.total[i % 2][group] = power_of_2(g * static_cast<float>(there));
            return;
        }
        if (warp != 0) return;
        constexpr int each = step_rows / 32;
        const LaneDecay<each> d(p, m.raw[slot][group], state, first);
#pragma unroll
        for (int k = 0; k < each; ++k) {
            const int j = each * lane + k;
            factor[j] = c.backward          ? (d.starts[k] < 0 ? power_of_2(d.b[k]) : 0.0F)
                        : d.last_start <= j ? d.beta[k] * power_of_2(d.whole - d.b[k])
                                            : 0.0F;
        }
        if (lane == 0) m.total[i % 2][group] = d.last_start < 0 ? power_of_2(d.whole) : 0.0F;
    };

    float sums[32], worth = 1;
    clear(sums);
    if (c.begin != nullptr) {
        const float* const from = c.begin + index_of(part) * size;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const int row = lane_row() + i % 2 * 8, column = i / 2 * 8 + lane_column();
            if (row >= p.key_dim || column >= columns) continue;
            const float2 pair = *reinterpret_cast<const float2*>(from + row * columns + column);
            sums[2 * i] = pair.x;
            sums[2 * i + 1] = pair.y;
        }
    }
    const auto advance = [&](int i) {
        const int slot = i % stages, step = step_at(i);
        // The first step of a chunk, on the way.
        const bool border = step_rows == scan_rows || (c.backward ? step % 2 == 1 || i == 0 : step % 2 == 0);
        if (c.chunks != nullptr && mine && border) {
            const std::int64_t index = index_of((begin + step * step_rows) / scan_rows);
            write_rows(sums, state_rows(c.chunks + index * size, p.key_dim, columns));
            if (c.worth != nullptr && static_cast<int>(threadIdx.x) % warpgroup == 0) c.worth[index] = worth;
        }
        const float total = m.total[i % 2][group];
        worth *= total;
#pragma unroll
        for (int j = 0; j < 32; ++j) sums[j] *= total;
#pragma unroll
        for (int half = 0; half < step_rows; half += block_rows) {
            unsigned left[16];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                unsigned x[4];
                load_matrices<true>(
                    x, m.x[slot] + place(half + 16 * k + lane % 8 + lane / 16 * 8, 2 * warp + lane / 8 % 2));
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const float2 f = *reinterpret_cast<const float2*>(m.factor[i % 2][group] + half + 16 * k +
                                                                      j / 2 * 8 + lane_column());
                    const float2 pair = unpack_pair(x[j]);
                    left[4 * k + j] = pack_pair(pair.x * f.x, pair.y * f.y);
                }
            }
            pin(sums);
            pin(left);
            products_begin();
            multiply_rounded(sums, left, m.y[slot] + half * tile_width);
            products_commit();
            products_wait<0>();
            pin(sums);
            pin(left);
        }
    };

    for (int i = 1 - stages; i < steps; ++i) {
        if (i + stages - 1 < steps) fetch(i + stages - 1);
        copies_commit();
        if (i >= 0) advance(i);
        if (i >= -1 && i + 1 < steps) {
            copies_wait<stages - 2>();
            prepare(i + 1);
        }
        __syncthreads();
    }
    if (c.shares == nullptr || !mine) return;
    const std::int64_t index = index_of(part);
    float* const to = c.shares + index * size;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        const int row = lane_row() + i % 2 * 8, column = i / 2 * 8 + lane_column();
        if (row < p.key_dim && column < columns)
            *reinterpret_cast<float2*>(to + row * columns + column) =
                make_float2(sums[2 * i], sums[2 * i + 1]);
    }
    if (static_cast<int>(threadIdx.x) % warpgroup == 0) c.totals[index] = worth;
}

template <int Groups>
cudaError_t run_states(const StatesCall& c, int sharing, cudaStream_t stream) {
    constexpr std::size_t bytes = sizeof(StatesMemory<Groups>);
    const LinearScan& p = c.scan;
    if (const cudaError_t status = allow_shared(states_kernel<Groups>, bytes); status != cudaSuccess)
        return status;
    const dim3 grid(scan_parts(p), p.states / sharing * ceil_div(sharing, Groups), p.batch);
    states_kernel<Groups><<<grid, Groups * warpgroup, bytes, stream>>>(c, sharing);
    return cudaGetLastError();
}

// Four columns of a state a thread.
__global__ void chain_kernel(PartChain c) {
    const int columns = state_columns(c.value_dim), size = c.key_dim * columns;
    const int element = 4 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (element >= size) return;
    const int one = blockIdx.y, row = element / columns, column = element % columns;
    const std::int64_t outside = (std::int64_t{one} * c.key_dim + row) * c.value_dim + column;
    const std::int64_t stride = (c.backward ? -1 : 1) * std::int64_t{c.count} * size;
    std::int64_t at =
        (c.backward ? c.parts - 1 : 0) * std::int64_t{c.count} * size + std::int64_t{one} * size + element;
    const float* total = c.totals + (c.backward ? c.parts - 1 : 0) * c.count + one;
    float state[4];
#pragma unroll
    for (int j = 0; j < 4; ++j)
        state[j] = c.initial != nullptr && column + j < c.value_dim ? c.initial[outside + j] : 0.0F;
    constexpr int ahead = 8;  // loads in flight
    for (int begin = 0; begin < c.parts; begin += ahead, at += ahead * stride) {
        float4 added[ahead];
        float worth[ahead];
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            if (begin + i >= c.parts) continue;
            added[i] = *reinterpret_cast<const float4*>(c.states + at + i * stride);
            worth[i] = total[(c.backward ? -1 : 1) * (begin + i) * c.count];
        }
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            if (begin + i >= c.parts) continue;
            if (c.rounded != nullptr)
                *reinterpret_cast<uint2*>(c.rounded + at + i * stride) =
                    make_uint2(pack_pair(state[0], state[1]), pack_pair(state[2], state[3]));
            else
                *reinterpret_cast<float4*>(c.states + at + i * stride) =
                    make_float4(state[0], state[1], state[2], state[3]);
            state[0] = state[0] * worth[i] + added[i].x;
            state[1] = state[1] * worth[i] + added[i].y;
            state[2] = state[2] * worth[i] + added[i].z;
            state[3] = state[3] * worth[i] + added[i].w;
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j)
        if (c.last != nullptr && column + j < c.value_dim) c.last[outside + j] = state[j];
}

}  // namespace

cudaError_t scan_states(const StatesCall& c, cudaStream_t stream) {
    const int sharing = std::gcd(c.x.shared, c.y.shared);
    if (sharing == 1) return run_states<1>(c, sharing, stream);
    return sharing <= 3 ? run_states<3>(c, sharing, stream) : run_states<6>(c, sharing, stream);
}

cudaError_t chain_parts(const PartChain& c, cudaStream_t stream) {
    const int size = c.key_dim * state_columns(c.value_dim);
    chain_kernel<<<dim3(ceil_div(size, 4 * 128), c.count), 128, 0, stream>>>(c);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda::hopper
