// What a chunk's outputs ask of the state before it and of the chunk's own writes:
//
//   dwrite_j = sum_{i >= j} exp(b_i - b_j) (q_i.k_j) do_i
//   N = sum_i exp(b_i) q_i do_i^T - W^T diag(beta) dwrite
//
// N asks the state for what the queries read of it, and for what the writes, through their errors, did.
#include "kernels/cuda/delta_chunk.cuh"

namespace braid::kernels::cuda::delta {
namespace {

template <int P>
struct Shared {
    SplitTile<P> k;
    alignas(16) bf16 w[chunk * tile_stride(P)];
    SplitTile<P> q;  // dwrite after the last query
    alignas(16) bf16 d_o[chunk * tile_stride(P)];
    alignas(16) Gates gates;
};

template <int P>
__global__ void __launch_bounds__(threads, 3) ask_kernel(DeltaRule p, Work w, DeltaHeads<const bf16> d_o) {
    extern __shared__ __align__(16) unsigned char memory[];
    Shared<P>& s = *reinterpret_cast<Shared<P>*>(memory);
    const Place at = place_of(p, w);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row0 = warp * 16;

    load_tile<P>(s.w, w.w + at.index * chunk * P, chunk);
    if (warp == 0) read_gates(p, at, s.gates);
    load_rows<P>({s.k.high, s.k.low}, rows_of(p.k, at, at.s), p.k.row, row0, at.count, reading_k(p));

    float dwrite[P / 8][4], asked[P / 8][4];
    clear(dwrite);
    clear(asked);
    for (int r = 0; r < p.shape.readers; ++r) {
        const int head = at.s * p.shape.readers + r;
        copy_rows<P>(s.d_o, rows_of(d_o, at, head), d_o.row, row0, at.count, p.shape.value_dim);
        load_rows<P>({s.q.high, s.q.low}, rows_of(p.q, at, head), p.q.row, row0, at.count, reading_q(p));
        wait_tiles();
        __syncthreads();
        add_pairs<Half::upper, false, P>(dwrite, two(s.k), two(s.q), one(s.d_o), s.gates, row0);
        if (warp < P / 16) add_transposed<P>(asked, two(s.q), row0, one(s.d_o), s.gates.before);
        __syncthreads();
    }
    store_split<P>(dwrite, s.q, row0);
    save_rows<P>(dwrite, w.dwrite + at.index * chunk * P, row0);
    __syncthreads();
    if (warp >= P / 16) return;
    float through[P / 8][4];
    clear(through);
    add_transposed<P>(through, one(s.w), row0, two(s.q), s.gates.beta);
    const std::int64_t tile = (at.index * (P / 16) + warp) * (P / 16);
#pragma unroll
    for (int n = 0; n < P / 8; ++n)
        w.n[(tile * 2 + n) * 32 + lane] = {asked[n][0] - through[n][0], asked[n][1] - through[n][1],
                                           asked[n][2] - through[n][2], asked[n][3] - through[n][3]};
}

}  // namespace

cudaError_t ask(const DeltaRule& p, const Work& w, const DeltaHeads<const bf16>& d_o, cudaStream_t stream) {
    return for_padded(p.shape, [&](auto padded) {
        constexpr int P = decltype(padded)::value;
        return launch_chunks(ask_kernel<P>, p, sizeof(Shared<P>), stream, p, w, d_o);
    });
}

}  // namespace braid::kernels::cuda::delta
