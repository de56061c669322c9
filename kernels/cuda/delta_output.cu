// What the queries of a chunk read: o_i = sum_{j <= i} exp(b_i - b_j) (q_i.k_j) u_j + exp(b_i) S^T q_i.
#include "kernels/cuda/delta_chunk.cuh"

namespace braid::kernels::cuda::delta {
namespace {

template <int P>
struct Shared {
    SplitTile<P> k;
    SplitTile<P> u;
    SplitTile<P> q;  // W before the first query
    alignas(16) bf16 state[P * tile_stride(P)];
    alignas(16) Gates gates;
};

template <int P>
__global__ void __launch_bounds__(threads, 3) output_kernel(DeltaRule p, Work w, DeltaHeads<bf16> o) {
    extern __shared__ __align__(16) unsigned char memory[];
    Shared<P>& s = *reinterpret_cast<Shared<P>*>(memory);
    const Place at = place_of(p, w);
    const int warp = threadIdx.x / 32, row0 = warp * 16;

    load_tile<P>(s.q.high, w.w + at.index * chunk * P, chunk);
    load_tile<P>(s.state, p.kept + at.index * P * P, P);
    if (warp == 0) read_gates(p, at, s.gates);
    load_rows<P>({s.k.high, s.k.low}, rows_of(p.k, at, at.s), p.k.row, row0, at.count, reading_k(p));
    wait_tiles();
    __syncthreads();
    {
        float u[P / 8][4];
        errors<P>(u, w.e0 + at.index * chunk * P, s.q.high, s.state, row0);
        scale_rows(u, s.gates.beta, row0);
        store_split<P>(u, s.u, row0);
    }
    __syncthreads();
    for (int r = 0; r < p.shape.readers; ++r) {  // a warp reads the rows of q that it wrote
        const int head = at.s * p.shape.readers + r;
        load_rows<P>({s.q.high, s.q.low}, rows_of(p.q, at, head), p.q.row, row0, at.count, reading_q(p));
        __syncwarp();
        float acc[P / 8][4];
        clear(acc);
        add_product<P>(acc, two(s.q), row0, one(s.state));
        scale_rows(acc, s.gates.before, row0);
        add_pairs<Half::lower, false, P>(acc, two(s.q), two(s.k), two(s.u), s.gates, row0);
        __syncwarp();
        store_tile(acc, s.q.high, tile_stride(P), row0);
        __syncwarp();
        store_rows<P>(s.q.high, rows_of(o, at, head), o.row, row0, at.count, p.shape.value_dim);
        __syncwarp();
    }
}

}  // namespace

cudaError_t output(const DeltaRule& p, const Work& w, const DeltaHeads<bf16>& o, cudaStream_t stream) {
    return for_padded(p.shape, [&](auto padded) {
        constexpr int P = decltype(padded)::value;
        return launch_chunks(output_kernel<P>, p, sizeof(Shared<P>), stream, p, w, o);
    });
}

}  // namespace braid::kernels::cuda::delta
