// A block keeps 128 keys and values and goes over the units of queries that see them, the last first. Two
// warpgroups of 64 keys each compute with keys as rows,
//
//   s = k q^T,  p = exp(scale s - lse),  dp = v do^T,  ds = p (dp - o.do),  dv += p do,  dk += ds q,
//
// so that p and ds are operands of the next products where they lie in registers; the third warpgroup brings
// the queries and adds k^T ds^T, its part of dq, to float32 sums in memory.
#include "kernels/cuda/hopper_attention_tile.cuh"

namespace braid::kernels::cuda::hopper {
namespace {

constexpr int keys_each = 128;
constexpr int stages = 4;  // a power of two
struct Shared {
    alignas(1024) unsigned char k[2][unit_bytes];
    alignas(1024) unsigned char v[2][unit_bytes];  // and then dv
    alignas(1024) unsigned char q[stages][unit_bytes];
    alignas(1024) unsigned char d_o[stages][unit_bytes];
    alignas(1024) unsigned char ds[2][2][unit_bytes];
    alignas(1024) unsigned char dk[2][unit_bytes];
    alignas(16) float4 statistics[stages][unit_rows / 2];
    std::uint64_t kv_full, full[stages], empty[stages], ds_full[2], ds_empty[2];
};

// The keys of a block and the units that see some of them.
struct Chain {
    int sequence, kv_head, first_key, last_token_unit, steps;
    std::int64_t first_unit;  // of this sequence and key head

    __device__ __forceinline__ Chain(const Units& u, int block) {
        const int chain = block % (u.batch * u.kv_heads);
        sequence = chain / u.kv_heads;
        kv_head = chain % u.kv_heads;
        first_key = block / (u.batch * u.kv_heads) * keys_each;
        last_token_unit = u.highest(sequence, first_key + keys_each - 1) >> u.token_shift;
        steps = (last_token_unit - (first_key >> u.token_shift) + 1) * u.head_units;
        first_unit = static_cast<std::int64_t>(chain) * u.head_units * u.token_units;
    }
};
// One unit after the other: all heads of the same tokens, then the tokens before.
struct Step {
    int token_unit, head_unit = 0;

    __device__ __forceinline__ void next(const Units& u) {
        if (++head_unit < u.head_units) return;
        head_unit = 0;
        --token_unit;
    }
    __device__ __forceinline__ std::int64_t unit(const Units& u, const Chain& c) const {
        return c.first_unit + static_cast<std::int64_t>(head_unit) * u.token_units + token_unit;
    }
};

__device__ __forceinline__ void bring(const GradientParameters& p, Shared& s, const Chain& c,
                                      const Step& step, int stage) {
    const Units& u = p.units;
    const int token = step.token_unit << u.token_shift, head = u.first_head(c.kv_head, step.head_unit);
    barrier_expect(&s.full[stage], 2 * unit_bytes + statistics * 4);
    load_tile(p.q, &s.full[stage], s.q[stage], 0, token, head, c.sequence);
    load_tile(p.d_o, &s.full[stage], s.d_o[stage], 0, token, head, c.sequence);
    copy_bulk(s.statistics[stage], &s.full[stage], p.statistics + step.unit(u, c) * statistics,
              statistics * 4);
}

__device__ __forceinline__ void add4(float* to, const float* x) {
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(x[0]), "f"(x[1]),
                 "f"(x[2]), "f"(x[3])
                 : "memory");
}

__device__ __forceinline__ void bring_and_sum_dq(const GradientParameters& p, Shared& s, const Chain& c) {
    const Units& u = p.units;
    const int thread = threadIdx.x % warpgroup, lane = thread % 32;
    Step ahead{c.last_token_unit};
    if (thread == 0) {
        barrier_expect(&s.kv_full, 4 * unit_bytes);
        for (int half = 0; half < 2; ++half) {
            const int key = c.first_key + half * unit_rows;
            load_tile(p.k, &s.kv_full, s.k[half], 0, key, c.kv_head, c.sequence);
            load_tile(p.v, &s.kv_full, s.v[half], 0, key, c.kv_head, c.sequence);
        }
        for (int i = 0; i < min(stages - 1, c.steps); ++i) {
            bring(p, s, c, ahead, i);
            ahead.next(u);
        }
    }
    barrier_wait(&s.kv_full, 0);
    std::uint32_t k[4 * keys_each / 16];  // transposed
#pragma unroll
    for (int i = 0; i < keys_each / 16; ++i)
        asm volatile(
            "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
            : "=r"(k[4 * i]), "=r"(k[4 * i + 1]), "=r"(k[4 * i + 2]), "=r"(k[4 * i + 3])
            : "r"(piece_address(s.k[0], 16 * i + lane / 16 * 8 + lane % 8, thread / 32 * 2 + lane / 8 % 2))
            : "memory");
    Step step{c.last_token_unit};
    for (int i = 0; i < c.steps; ++i) {
        // The stage of step i - 1 was given back before ds of step i came.
        if (thread == 0 && i + stages - 1 < c.steps) {
            const int next = i + stages - 1;
            barrier_wait(&s.empty[next % stages], next / stages % 2 ^ 1);
            bring(p, s, c, ahead, next % stages);
            ahead.next(u);
        }
        float* const to = p.dq + step.unit(u, c) * unit_values + thread * 4;
        step.next(u);
        barrier_wait(&s.ds_full[i % 2], i / 2 % 2);
        const std::uint64_t ds = tile_descriptor(s.ds[i % 2][0]);
#pragma unroll
        for (int half = 0; half < 2; ++half) {  // 32 queries: more would not fit the registers
            float dq[16];
            pin(k);
            products_begin();
#pragma unroll
            for (int j = 0; j < keys_each / 16; ++j)
                product<1>(dq, &k[4 * j], ds + half * (64 >> 4) + j * step_down, j == 0);
            products_commit();
            products_wait<0>();
            pin(dq);
            if (half == 1 && lane == 0) barrier_arrive(&s.ds_empty[i % 2]);
#pragma unroll
            for (int j = 0; j < 4; ++j) add4(to + (half * 4 + j) * warpgroup * 4, dq + 4 * j);
        }
    }
}

// 64 keys: two rows of a thread.
struct Keys {
    float scores[32], d_scores[32], dk[32], dv[32];
    std::uint32_t p[16], ds[16], k[16];

    // scores = k q^T and d_scores = v do^T; k stays in registers, which spares shared memory's bandwidth.
    __device__ __forceinline__ void issue_scores(const Shared& s, int half, int stage) {
        const std::uint64_t q = tile_descriptor(s.q[stage]), d_o = tile_descriptor(s.d_o[stage]);
        const std::uint64_t v = tile_descriptor(s.v[half]);
#pragma unroll
        for (int i = 0; i < head_dim / 16; ++i) product<0>(scores, &k[4 * i], q + i * step_along, i == 0);
#pragma unroll
        for (int i = 0; i < head_dim / 16; ++i)
            product<0, 0>(d_scores, v + i * step_along, d_o + i * step_along, i == 0);
        products_commit();
    }
    // dv += p do and dk += ds q
    __device__ __forceinline__ void issue_sums(const Shared& s, int stage) {
        const std::uint64_t q = tile_descriptor(s.q[stage]), d_o = tile_descriptor(s.d_o[stage]);
#pragma unroll
        for (int i = 0; i < unit_rows / 16; ++i) product<1>(dv, &p[4 * i], d_o + i * step_down, false);
#pragma unroll
        for (int i = 0; i < unit_rows / 16; ++i) product<1>(dk, &ds[4 * i], q + i * step_down, false);
        products_commit();
    }
    __device__ __forceinline__ void pin_operands() {
        pin(p);
        pin(ds);
        pin(dv);
        pin(dk);
    }
    // Hides what a key is not seen by. Columns are queries.
    template <bool Documents>
    __device__ __forceinline__ void hide(const Units& u, int sequence, int key, int first_token) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const int token = first_token + ((i / 2 * 8 + lane % 4 * 2 + i % 2) & u.token_mask());
            const int lowest = Documents      ? u.lowest(sequence, token)
                               : u.window > 0 ? token - u.window + 1
                                              : 0;
#pragma unroll
            for (int row = 0; row < 2; ++row) {
                const int at = key + 8 * row;
                if (at > token || at < lowest) scores[i / 2 * 4 + 2 * row + i % 2] = -CUDART_INF_F;
            }
        }
    }
    // dk of keys `key` and eight behind: a channel and that of the other half lie in one thread.
    __device__ __forceinline__ void turn_back(const GradientParameters& p, int key) {
        constexpr int half = head_dim / 2;
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            const int at = min(key + 8 * row, p.units.tokens - 1) * half + threadIdx.x % 4 * 2;
#pragma unroll
            for (int j = 0; j < half / 8; ++j) {
                const float2 cos = __ldg(reinterpret_cast<const float2*>(p.cos + at + 8 * j));
                const float2 sin = __ldg(reinterpret_cast<const float2*>(p.sin + at + 8 * j));
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    float &low = dk[4 * j + 2 * row + i], &high = dk[half / 2 + 4 * j + 2 * row + i];
                    turn_pair_back(low, high, i == 0 ? cos.x : cos.y, i == 0 ? sin.x : sin.y);
                }
            }
        }
    }
    // scores becomes p, d_scores ds; in place, as p and ds of the unit before are still multiplied.
    __device__ __forceinline__ void gradients(const float4* statistics, float scale_log2) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const float4 column = statistics[4 * j + threadIdx.x % 4];
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                float& score = scores[4 * j + e];
                float& d_score = d_scores[4 * j + e];
                score = power_of_2(fmaf(score, scale_log2, -(e % 2 == 0 ? column.x : column.y)));
                d_score = score * (d_score - (e % 2 == 0 ? column.z : column.w));
            }
        }
    }
};

template <bool Documents>
__device__ __forceinline__ void multiply(const GradientParameters& p, Shared& s, const Chain& c, int half) {
    const Units& u = p.units;
    const int thread = threadIdx.x % warpgroup, lane = thread % 32;
    const int first_key = c.first_key + half * unit_rows;
    const int key = first_key + thread / 32 * 16 + lane / 4;
    Keys r;
#pragma unroll
    for (int i = 0; i < 32; ++i) r.dk[i] = r.dv[i] = 0;
    barrier_wait(&s.kv_full, 0);
    load_rows(s.k[half], thread, r.k);
    Step step{c.last_token_unit};
    const auto gradients = [&](int stage) {
        const int token = step.token_unit << u.token_shift;
        const int last = token + u.token_mask();
        const int lowest = Documents ? u.lowest(c.sequence, last) : u.window > 0 ? last - u.window + 1 : 0;
        if (first_key + unit_rows - 1 > token || first_key < lowest)
            r.hide<Documents>(u, c.sequence, key, token);
        r.gradients(s.statistics[stage], p.scale_log2);
        step.next(u);
    };
    const auto hand_on = [&](int i) {
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            r.p[j] = pack_pair(r.scores[2 * j], r.scores[2 * j + 1]);
            r.ds[j] = pack_pair(r.d_scores[2 * j], r.d_scores[2 * j + 1]);
        }
        barrier_wait(&s.ds_empty[i % 2], i / 2 % 2 ^ 1);
        store_rows(s.ds[i % 2][half], thread, r.ds);
        fence_shared();
        __syncwarp();
        if (lane == 0) barrier_arrive(&s.ds_full[i % 2]);
    };
    barrier_wait(&s.full[0], 0);
    products_begin();
    r.issue_scores(s, half, 0);
    products_wait<0>();
    pin(r.scores);
    pin(r.d_scores);
    gradients(0);
    hand_on(0);
    for (int i = 1; i < c.steps; ++i) {
        const int stage = i % stages, before = (i - 1) % stages;
        barrier_wait(&s.full[stage], i / stages % 2);
        pin(r.scores);
        pin(r.d_scores);
        r.pin_operands();
        products_begin();
        r.issue_scores(s, half, stage);
        r.issue_sums(s, before);
        products_wait<1>();
        pin(r.scores);
        pin(r.d_scores);
        gradients(stage);  // while the sums of the unit before are multiplied
        products_wait<0>();
        r.pin_operands();
        __syncwarp();
        if (lane == 0) barrier_arrive(&s.empty[before]);
        hand_on(i);
    }
    r.pin_operands();
    products_begin();
    r.issue_sums(s, (c.steps - 1) % stages);
    products_wait<0>();
    pin(r.dv);
    pin(r.dk);
    if (p.cos != nullptr) r.turn_back(p, key);
#pragma unroll
    for (int j = 0; j < 16; ++j) {
        r.p[j] = pack_pair(r.dv[2 * j], r.dv[2 * j + 1]);
        r.ds[j] = pack_pair(r.dk[2 * j] * p.scale, r.dk[2 * j + 1] * p.scale);
    }
    store_rows(s.v[half], thread, r.p);
    store_rows(s.dk[half], thread, r.ds);
    fence_shared();
    named_sync(1 + half, warpgroup);
    if (thread == 0) {
        store_tile(p.dv, s.v[half], 0, first_key, c.kv_head, c.sequence);
        store_tile(p.dk, s.dk[half], 0, first_key, c.kv_head, c.sequence);
        stores_commit();
        stores_wait();
    }
}

template <bool Documents>
__global__ void __launch_bounds__(3 * warpgroup, 1)
    backward_kernel(const __grid_constant__ GradientParameters p) {
    extern __shared__ unsigned char memory[];
    Shared& s = *reinterpret_cast<Shared*>(aligned_shared(memory));
    if (threadIdx.x == 0) {
        barrier_init(&s.kv_full, 1);
        for (int i = 0; i < stages; ++i) {
            barrier_init(&s.full[i], 1);
            barrier_init(&s.empty[i], 2 * warpgroup / 32);
        }
        for (int i = 0; i < 2; ++i) {
            barrier_init(&s.ds_full[i], 2 * warpgroup / 32);
            barrier_init(&s.ds_empty[i], warpgroup / 32);
        }
        barrier_init_done();
    }
    __syncthreads();
    const Chain chain(p.units, blockIdx.x);
    const int group = threadIdx.x / warpgroup;
    // Together no more than what the block was given at its start, 168 for each thread.
    if (group == 2) {
        registers_down<88>();
        bring_and_sum_dq(p, s, chain);
    } else {
        registers_up<208>();
        multiply<Documents>(p, s, chain, group);
    }
}

template <bool Documents>
cudaError_t launch(const GradientParameters& p, cudaStream_t stream) {
    const int blocks = p.units.batch * p.units.kv_heads * ceil_div(p.units.tokens, keys_each);
    const cudaError_t error = allow_shared(backward_kernel<Documents>, sizeof(Shared) + 1024);
    if (error != cudaSuccess) return error;
    backward_kernel<Documents><<<blocks, 3 * warpgroup, sizeof(Shared) + 1024, stream>>>(p);
    return cudaGetLastError();
}

}  // namespace

cudaError_t attention_gradient(const GradientParameters& p, cudaStream_t stream) {
    return p.units.starts != nullptr ? launch<true>(p, stream) : launch<false>(p, stream);
}

}  // namespace braid::kernels::cuda::hopper
