// What every chunk contributes, apart from the state that reaches it: T, W, E0, M and N of delta_rule.h.
#include "kernels/cuda/delta_chunk.cuh"

namespace braid::kernels::cuda::delta {
namespace {

constexpr int system_stride = chunk + 8;

// acc += A B^T of 16 x 16 float32 blocks: A in registers as an accumulator, B rows of shared memory.
__device__ __forceinline__ void multiply_block(float (&acc)[2][4], const float (&a)[2][4], const float* b) {
    const int lane = threadIdx.x % 32;
    const Left<true> left = to_left(a);
#pragma unroll
    for (int n = 0; n < 2; ++n) {
        const float* row = b + (n * 8 + lane / 4) * system_stride + 2 * (lane % 4);
        const float2 x = *reinterpret_cast<const float2*>(row), y = *reinterpret_cast<const float2*>(row + 8);
        unsigned high[2], low[2];
        split(x.x, x.y, high[0], low[0]);
        split(y.x, y.y, high[1], low[1]);
        mma(acc[n], left.low, high[0], high[1]);
        mma(acc[n], left.high, low[0], low[1]);
        mma(acc[n], left.high, high[0], high[1]);
    }
}

// (I + A)^-1 of a warp's strictly lower 16 x 16 block, in its place: a column a lane, by forward
// substitution.
__device__ __forceinline__ void invert_block(float* block) {
    const int lane = threadIdx.x % 32;
    float x[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        x[i] = i == lane ? 1.0F : 0.0F;
        float row[16];
#pragma unroll
        for (int j = 0; j < i; j += 4) {
            const float4 four = *reinterpret_cast<const float4*>(block + i * system_stride + j);
            row[j] = four.x;
            row[j + 1] = four.y;
            row[j + 2] = four.z;
            row[j + 3] = four.w;
        }
        float other = 0.0F;  // two sums: half the latency
#pragma unroll
        for (int j = 0; j < i; ++j) {
            if (j % 2)
                other -= row[j] * x[j];
            else
                x[i] -= row[j] * x[j];
        }
        x[i] += other;
    }
    __syncwarp();
    if (lane < 16)
#pragma unroll
        for (int i = 0; i < 16; ++i) block[i * system_stride + lane] = x[i];
}

// Blocks of the inverse below diagonal block j, by one warp: T_ij = -T_ii sum_{j <= m < i} A_im T_mj. They
// are kept transposed, as left operands of the next product.
__device__ __forceinline__ void invert_column(const float* system, SplitTile<chunk>& t, int j) {
    const int lane = threadIdx.x % 32;
    const auto block = [system](int i, int m) { return system + (i * system_stride + m) * 16; };
    float column[4][2][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        clear(column[i]);
        if (i < j) {
        } else if (i == j) {
            const float* from = block(j, j) + 2 * (lane % 4) * system_stride + lane / 4;
#pragma unroll
            for (int n = 0; n < 2; ++n)
#pragma unroll
                for (int x = 0; x < 4; ++x)
                    column[i][n][x] = from[(n * 8 + x % 2) * system_stride + x / 2 * 8];
        } else {
            float sum[2][4];
            clear(sum);
#pragma unroll
            for (int m = 0; m < i; ++m)
                if (m >= j) multiply_block(sum, column[m], block(i, m));
            multiply_block(column[i], sum, block(i, i));
#pragma unroll
            for (int n = 0; n < 2; ++n)
#pragma unroll
                for (int x = 0; x < 4; ++x) column[i][n][x] = -column[i][n][x];
        }
#pragma unroll
        for (int n = 0; n < 2; ++n)
#pragma unroll
            for (int x = 0; x < 4; ++x) {
                const int at = (i * 16 + n * 8 + 2 * (lane % 4) + x % 2) * tile_stride(chunk) + j * 16 +
                               lane / 4 + x / 2 * 8;
                t.high[at] = __float2bfloat16(column[i][n][x]);
                t.low[at] = __float2bfloat16(column[i][n][x] - __bfloat162float(t.high[at]));
            }
    }
}

template <int P>
struct Shared {
    SplitTile<P> k, v;
    SplitTile<chunk> t;
    union {
        alignas(16) float system[chunk * system_stride];
        struct {
            alignas(16) bf16 w[chunk * tile_stride(P)];
            SplitTile<P> e0;
        };
    };
    alignas(16) Gates gates;
};

// acc += T diag(factor) B, rows row0.. of T, B [64, P].
template <int P>
__device__ __forceinline__ void add_solution(float (&acc)[P / 8][4], const SplitTile<chunk>& t,
                                             const SplitTile<P>& b, int row0, const float* factor) {
#pragma unroll 1
    for (int k = 0; k <= row0; k += 16) {
        Left<true> left = load_left(two(t), tile_stride(chunk), row0, k);
        if (factor) left = scaled(left, factor + k);
        add_rows<P>(acc, left, two(b), k);
    }
}

template <int P>
__global__ void __launch_bounds__(threads) prepare_kernel(DeltaRule p, Work w, bool backward) {
    extern __shared__ __align__(16) unsigned char memory[];
    Shared<P>& s = *reinterpret_cast<Shared<P>*>(memory);
    const Place at = place_of(p, w);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row0 = warp * 16;

    if (warp == 0) read_gates(p, at, s.gates);
    load_rows<P>({s.k.high, s.k.low}, rows_of(p.k, at, at.s), p.k.row, row0, at.count, reading_k(p));
    load_rows<P>({s.v.high, s.v.low}, rows_of(p.v, at, at.s), p.v.row, row0, at.count, reading_v(p));
    __syncthreads();
    {
#pragma unroll 1
        for (int column = 0; column <= row0; column += 16) {
            float gram[2][4];
            pair_block<Half::lower, true, P>(gram, two(s.k), two(s.k), s.gates, row0, column);
            for_elements(gram, 0, [&](int r, int c, float g) {
                s.system[(row0 + r) * system_stride + column + c] = g * s.gates.beta[column + c];
            });
        }
    }
    __syncwarp();
    invert_block(s.system + row0 * system_stride + row0);
    __syncthreads();
    invert_column(s.system, s.t, warp);
    __syncthreads();  // the system is used up: W and E0 take its place
    {
        float acc[P / 8][4];
        clear(acc);
        add_solution<P>(acc, s.t, s.v, row0, nullptr);
        store_split<P>(acc, s.e0, row0);
        save_rows<P>(acc, w.e0 + at.index * chunk * P, row0);
        clear(acc);
        add_solution<P>(acc, s.t, s.k, row0, s.gates.before);
        store_tile(acc, s.w, tile_stride(P), row0);
    }
    __syncthreads();
    save_tile<P>(s.w, w.w + at.index * chunk * P, chunk);
    if (backward) save_tile<chunk>(s.t.high, w.t + at.index * chunk * chunk, chunk);
    if (warp < P / 16) {
        const std::int64_t tile = (at.index * (P / 16) + warp) * (P / 16);
        float acc[P / 8][4];
        clear(acc);
        if (backward)
            add_transposed<P>(acc, one(s.w), row0, two(s.k), s.gates.strength);
        else
            add_transposed<P>(acc, two(s.k), row0, one(s.w), s.gates.strength);
#pragma unroll
        for (int k = 0; k < P / 16; ++k) {
            const FragmentA f = to_fragment(acc, k);
            w.m[(tile + k) * 32 + lane] = {f.x[0], f.x[1], f.x[2], f.x[3]};
        }
        if (!backward) {
            clear(acc);
            add_transposed<P>(acc, two(s.k), row0, two(s.e0), s.gates.strength);
#pragma unroll
            for (int n = 0; n < P / 8; ++n)
                w.n[(tile * 2 + n) * 32 + lane] = {acc[n][0], acc[n][1], acc[n][2], acc[n][3]};
        }
    }
    if (threadIdx.x == 0) w.pass[at.index] = s.gates.pass;
}

}  // namespace

cudaError_t prepare(const DeltaRule& p, const Work& w, bool backward, cudaStream_t stream) {
    return for_padded(p.shape, [&](auto padded) {
        constexpr int P = decltype(padded)::value;
        return launch_chunks(prepare_kernel<P>, p, sizeof(Shared<P>), stream, p, w, backward);
    });
}

}  // namespace braid::kernels::cuda::delta
