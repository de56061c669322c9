// Gradients of a chunk's inputs, from the state before it (S) and the gradient of the state after it (D).
// With E the errors and U = diag(beta) E what was written,
//
//   dU = dwrite + K' D                              of the chunk's own outputs and of the state
//   F  = T^T diag(beta) dU                          the gradient of V - diag(exp b) K S, so of V
//   dbeta_j = e_j.(du_j - sum_{i > j} G_ij f_i)
//   dG = -F U^T                                     below the diagonal
//   dk_i = sum_j dG_ij exp(b_i - b_j) k_j - exp(b_i) S f_i              beside exp(b_i)
//   dk_j = sum_i exp(b_i - b_j) (dG_ij k_i + (do_i.u_j) q_i) + exp(b_C - b_j) D u_j      beside exp(-b_j)
//
// dlog_decay_t takes every pair (i, j) with j < t <= i, what tokens from t on read of S, what tokens before t
// leave in the state after the chunk, and what S leaves there. Counted so, nothing large cancels where little
// gets through.
#include "kernels/cuda/delta_chunk.cuh"

namespace braid::kernels::cuda::delta {
namespace {

template <int P>
struct Shared {
    SplitTile<P> k, u;
    SplitTile<P> q;                                // W and the low part of beta dU, then a query's
    alignas(16) bf16 d_o[chunk * tile_stride(P)];  // beta dU's high part, then a query's
    alignas(16) bf16 raw[chunk * tile_stride(P)];  // v, queries, k, for write_gradient()
    alignas(16) bf16 state[P * tile_stride(P)];
    alignas(16) bf16 dafter[P * tile_stride(P)];
    union {
        alignas(16) bf16 t[chunk * tile_stride(chunk)];
        SplitTile<P> f;  // -F
    };
    alignas(16) Gates gates;
    float inverse_k[chunk], inverse_q[chunk];
    float through[chunk];  // of dlog_decay: of pairs and of S, by later minus by earlier token
    float written[chunk];  // of dlog_decay: by what each token leaves in the state
    float carried[threads / 32];
};

// sum += each row of the tile times that of an accumulator, of the lane's two rows.
template <int P>
__device__ __forceinline__ void add_row_dot(float2& sum, const SplitTile<P>& tile,
                                            const float (&acc)[P / 8][4], int row0) {
    float own[2] = {0.0F, 0.0F};
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int at = (row0 + threadIdx.x % 32 / 4 + half * 8) * tile_stride(P) + 2 * (threadIdx.x % 4);
#pragma unroll
        for (int n = 0; n < P / 8; ++n) {
            const float2 high = unpack_bf16(*reinterpret_cast<const unsigned*>(tile.high + at + n * 8));
            const float2 low = unpack_bf16(*reinterpret_cast<const unsigned*>(tile.low + at + n * 8));
            own[half] += (high.x + low.x) * acc[n][2 * half] + (high.y + low.y) * acc[n][2 * half + 1];
        }
    }
    const float2 all = row_sum({own[0], own[1]});
    sum = {sum.x + all.x, sum.y + all.y};
}
template <int N8>
__device__ __forceinline__ void add(float (&to)[N8][4], const float (&x)[N8][4]) {
#pragma unroll
    for (int n = 0; n < N8; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) to[n][i] += x[n][i];
}
// A lane's share of the product of two accumulators' low rows, and of their high rows.
template <int N8>
__device__ __forceinline__ float2 lane_dot(const float (&a)[N8][4], const float (&b)[N8][4]) {
    float2 sum = {0.0F, 0.0F};
#pragma unroll
    for (int n = 0; n < N8; ++n) {
        sum.x += a[n][0] * b[n][0] + a[n][1] * b[n][1];
        sum.y += a[n][2] * b[n][2] + a[n][3] * b[n][3];
    }
    return sum;
}

// From the gradient of rows as they were read to that of the rows as they are: through scale, length and
// silu. `raw` holds the rows as they are, then the gradient; `inverse` is what load_rows() left, null where
// nothing was divided by a length.
template <int P>
__device__ __forceinline__ void write_gradient(const float (&d)[P / 8][4], bf16* raw, const float* inverse,
                                               bf16* dx, std::int64_t dx_stride, int row0, int count,
                                               const Reading& how) {
    const int lane = threadIdx.x % 32;
    __syncwarp();  // the rows came from other lanes
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int row = row0 + lane / 4 + half * 8;
        unsigned* words = reinterpret_cast<unsigned*>(raw + row * tile_stride(P)) + lane % 4;
        const float size = inverse ? inverse[row] : 1.0F;
        float2 y[P / 8], slope[P / 8];
        float along = 0.0F;
#pragma unroll
        for (int n = 0; n < P / 8; ++n) {
            const float2 x = unpack_bf16(words[n * 4]);
            const float2 s = {sigmoid(how, x.x), sigmoid(how, x.y)};
            y[n] = {x.x * s.x, x.y * s.y};
            slope[n] = {s.x + y[n].x * (1.0F - s.x), s.y + y[n].y * (1.0F - s.y)};
            along += d[n][2 * half] * y[n].x + d[n][2 * half + 1] * y[n].y;
        }
        if (how.unit) {
#pragma unroll
            for (int lanes = 1; lanes < 4; lanes *= 2) along += __shfl_xor_sync(0xffffffffU, along, lanes);
            along *= size * size;
        } else {
            along = 0.0F;
        }
        const float factor = how.scale * size;
#pragma unroll
        for (int n = 0; n < P / 8; ++n)
            words[n * 4] = pack_bf16(factor * (d[n][2 * half] - along * y[n].x) * slope[n].x,
                                     factor * (d[n][2 * half + 1] - along * y[n].y) * slope[n].y);
    }
    __syncwarp();
    store_rows<P>(raw, dx, dx_stride, row0, count, how.dim);
}

template <int P>
__global__ void __launch_bounds__(threads, 2) gradient_kernel(DeltaRule p, Work w, DeltaGradient to) {
    extern __shared__ __align__(16) unsigned char memory[];
    Shared<P>& s = *reinterpret_cast<Shared<P>*>(memory);
    const Place at = place_of(p, w);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row0 = warp * 16;
    const std::int64_t scalars =
        (static_cast<std::int64_t>(at.b) * p.shape.tokens + at.begin) * p.shape.states + at.s;

    load_tile<P>(s.q.high, w.w + at.index * chunk * P, chunk);
    load_tile<P>(s.state, p.kept + at.index * P * P, P);
    load_tile<P>(s.dafter, w.dafter + at.index * P * P, P);
    load_tile<chunk>(s.t, w.t + at.index * chunk * chunk, chunk);
    if (warp == 0) read_gates(p, at, s.gates);
    copy_rows<P>(s.raw, rows_of(p.v, at, at.s), p.v.row, row0, at.count, p.shape.value_dim);
    load_rows<P>({s.k.high, s.k.low, nullptr, s.inverse_k}, rows_of(p.k, at, at.s), p.k.row, row0, at.count,
                 reading_k(p));
    wait_tiles();
    __syncthreads();

    float e[P / 8][4];
    float2 dbeta;
    {
        float du[P / 8][4];
        errors<P>(e, w.e0 + at.index * chunk * P, s.q.high, s.state, row0);
        float u[P / 8][4];
#pragma unroll
        for (int n = 0; n < P / 8; ++n)
#pragma unroll
            for (int i = 0; i < 4; ++i) u[n][i] = e[n][i];
        scale_rows(u, s.gates.beta, row0);
        store_split<P>(u, s.u, row0);

        clear(du);
        add_product<P>(du, two(s.k), row0, one(s.dafter));
        scale_rows(du, s.gates.after, row0);
        from_rows<P, false>(du, w.dwrite + at.index * chunk * P, row0);
        dbeta = lane_dot(e, du);
        scale_rows(du, s.gates.beta, row0);
        store_split<P>(du, s.d_o, s.q.low, row0);
    }
    __syncthreads();
    {
        float f[P / 8][4];
        clear(f);
        const Operand<true> right = {s.d_o, s.q.low};
#pragma unroll 1
        for (int k = row0; k < chunk; k += 16)
            add_rows<P>(f, load_left_transposed(one(s.t), tile_stride(chunk), row0, k), right, k);
        __syncthreads();  // T is used up: -F takes its place
        float minus_f[P / 8][4];
#pragma unroll
        for (int n = 0; n < P / 8; ++n)
#pragma unroll
            for (int i = 0; i < 4; ++i) minus_f[n][i] = -f[n][i];
        store_split<P>(minus_f, s.f, row0);
        write_gradient<P>(f, s.raw, nullptr, rows_of(to.dv, at, at.s), to.dv.row, row0, at.count,
                          reading_v(p));
    }
    __syncthreads();

    if (to.dbeta) {
        float held[P / 8][4];
        clear(held);
        add_pairs<Half::upper, true, P>(held, two(s.k), two(s.k), two(s.f), s.gates, row0);
        const float2 more = lane_dot(e, held);
        const float2 sum = row_sum({dbeta.x + more.x, dbeta.y + more.y});
        const int row = row0 + lane / 4;
        if (lane % 4 == 0 && row < at.count) to.dbeta[scalars + row * p.shape.states] = sum.x;
        if (lane % 4 == 0 && row + 8 < at.count) to.dbeta[scalars + (row + 8) * p.shape.states] = sum.y;
    }

    float dk[P / 8][4];
    clear(dk);
    float2 through = {0.0F, 0.0F};
#pragma unroll 1
    for (int r = 0; r < p.shape.readers; ++r) {
        const int head = at.s * p.shape.readers + r;
        copy_rows<P>(s.d_o, rows_of(to.d_o, at, head), to.d_o.row, row0, at.count, p.shape.value_dim);
        load_rows<P>({s.q.high, s.q.low, s.raw, s.inverse_q}, rows_of(p.q, at, head), p.q.row, row0, at.count,
                     reading_q(p));
        wait_tiles();
        __syncthreads();
        add_pairs<Half::upper, false, P>(dk, two(s.u), one(s.d_o), two(s.q), s.gates, row0);

        float dq[P / 8][4];
        clear(dq);
        add_product_of_rows<P>(dq, one(s.d_o), row0, one(s.state));
        scale_rows(dq, s.gates.before, row0);
        add_pairs<Half::lower, false, P>(dq, one(s.d_o), two(s.u), two(s.k), s.gates, row0);
        add_row_dot<P>(through, s.q, dq, row0);
        write_gradient<P>(dq, s.raw, s.inverse_q, rows_of(to.dq, at, head), to.dq.row, row0, at.count,
                          reading_q(p));
        __syncthreads();
    }
    copy_rows<P>(s.raw, rows_of(p.k, at, at.s), p.k.row, row0, at.count, p.shape.key_dim);
    add_pairs<Half::upper, true, P>(dk, two(s.u), two(s.f), two(s.k), s.gates, row0);
    float2 earlier = {0.0F, 0.0F}, written = {0.0F, 0.0F};
    add_row_dot<P>(earlier, s.k, dk, row0);
    {
        float d[P / 8][4];
        clear(d);
        add_product_of_rows<P>(d, two(s.u), row0, one(s.dafter));
        scale_rows(d, s.gates.after, row0);
        add_row_dot<P>(written, s.k, d, row0);
        add(dk, d);

        clear(d);
        add_product_of_rows<P>(d, two(s.f), row0, one(s.state));
        scale_rows(d, s.gates.before, row0);
        add_pairs<Half::lower, true, P>(d, two(s.f), two(s.u), two(s.k), s.gates, row0);
        add_row_dot<P>(through, s.k, d, row0);
        add(dk, d);
    }
    wait_tiles();
    write_gradient<P>(dk, s.raw, s.inverse_k, rows_of(to.dk, at, at.s), to.dk.row, row0, at.count,
                      reading_k(p));
    if (!to.dlog_decay) return;

    if (lane % 4 == 0) {
        const int row = row0 + lane / 4;
        s.through[row] = through.x - earlier.x;
        s.through[row + 8] = through.y - earlier.y;
        s.written[row] = written.x;
        s.written[row + 8] = written.y;
    }
    float carried = 0.0F;
    for (int i = threadIdx.x; i < P * P / 2; i += threads) {
        const int at_tile = i / (P / 2) * tile_stride(P) + i % (P / 2) * 2;
        const float2 x = unpack_bf16(*reinterpret_cast<const unsigned*>(s.state + at_tile));
        const float2 y = unpack_bf16(*reinterpret_cast<const unsigned*>(s.dafter + at_tile));
        carried += x.x * y.x + x.y * y.y;
    }
    carried = warp_sum(carried);
    if (lane == 0) s.carried[warp] = carried;
    __syncthreads();
    if (warp != 0) return;
    // From the end for what goes through, from the beginning for what was written.
    const float through0 = s.through[2 * lane], through1 = s.through[2 * lane + 1];
    const float written0 = s.written[2 * lane], written1 = s.written[2 * lane + 1];
    float later = through0 + through1, before = written0 + written1;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const float x = __shfl_down_sync(0xffffffffU, later, d), y = __shfl_up_sync(0xffffffffU, before, d);
        if (lane + d < 32) later += x;
        if (lane >= d) before += y;
    }
    carried = s.gates.pass * (s.carried[0] + s.carried[1] + s.carried[2] + s.carried[3]);
    const float all[2] = {later + carried + (before - written0 - written1),
                          later - through0 + carried + (before - written1)};
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int t = 2 * lane + i;
        if (t >= at.count) continue;
        const std::int64_t row = static_cast<std::int64_t>(at.b) * p.shape.tokens + at.begin + t;
        const bool begins = p.starts && p.starts[row] == at.begin + t;  // nothing reaches across a beginning
        to.dlog_decay[scalars + t * p.shape.states] = begins ? 0.0F : all[i];
    }
}

}  // namespace

int gradient_bytes(const DeltaShape& shape) {
    int bytes = 0;
    for_padded(shape, [&](auto padded) {
        bytes = static_cast<int>(sizeof(Shared<decltype(padded)::value>));
        return cudaSuccess;
    });
    return bytes;
}

cudaError_t gradient(const DeltaRule& p, const Work& w, const DeltaGradient& to, cudaStream_t stream) {
    return for_padded(p.shape, [&](auto padded) {
        constexpr int P = decltype(padded)::value;
        return launch_chunks(gradient_kernel<P>, p, sizeof(Shared<P>), stream, p, w, to);
    });
}

}  // namespace braid::kernels::cuda::delta
