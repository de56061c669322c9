// From chunk to chunk: S' = exp(b_C) S - M S + N, and backwards, for the gradient of the states, with M^T.
// The one part that must go in order: its time is the latency of one chunk times the chunks. A block holds 16
// columns of a state, each warp 16 rows of them, in registers; M and N are fetched `ahead` chunks before they
// are needed.
#include "kernels/cuda/delta_chunk.cuh"

namespace braid::kernels::cuda::delta {
namespace {

constexpr int ahead = 6;
constexpr int slice = 16;  // columns

template <int P>
struct Step {
    uint4 m[P / 16];
    float4 n[2];
    float pass;
};

template <int P, bool Back>
__global__ void __launch_bounds__(P * 2, 1)
    scan_kernel(DeltaShape shape, Work w, const float* initial, bf16* states, float* last) {
    __shared__ alignas(16) bf16 copy[2][P * tile_stride(slice)];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, column0 = blockIdx.y * slice;
    const std::int64_t base = static_cast<std::int64_t>(blockIdx.x) * w.chunks;
    const int row = warp * 16 + lane / 4, column = column0 + 2 * (lane % 4);

    float s[2][4];
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int x = 0; x < 4; ++x) {
            const int r = row + x / 2 * 8, c = column + n * 8 + x % 2;
            s[n][x] =
                initial && r < shape.key_dim && c < shape.value_dim
                    ? initial[(blockIdx.x * static_cast<std::int64_t>(shape.key_dim) + r) * shape.value_dim +
                              c]
                    : 0.0F;
        }

    Step<P> steps[ahead];
    const auto fetch = [&](Step<P>& step, int i) {
        if (i >= w.chunks) return;
        const std::int64_t index = base + (Back ? w.chunks - 1 - i : i);
        const std::int64_t tile = (index * (P / 16) + warp) * (P / 16);
#pragma unroll
        for (int k = 0; k < P / 16; ++k) step.m[k] = w.m[(tile + k) * 32 + lane];
#pragma unroll
        for (int n = 0; n < 2; ++n) step.n[n] = w.n[((tile + blockIdx.y) * 2 + n) * 32 + lane];
        step.pass = w.pass[index];
    };
#pragma unroll
    for (int i = 0; i < ahead; ++i) fetch(steps[i], i);

    for (int first = 0; first < w.chunks; first += ahead) {
#pragma unroll
        for (int a = 0; a < ahead; ++a) {
            const int i = first + a;
            if (i >= w.chunks) break;
            bf16* now = copy[a % 2];
            static_assert(ahead % 2 == 0, "copies alternate");
            store_tile(s, now, tile_stride(slice), warp * 16);
            bf16* to = states + (base + (Back ? w.chunks - 1 - i : i)) * P * P + row * P + column;
#pragma unroll
            for (int n = 0; n < 2; ++n) {
                *reinterpret_cast<unsigned*>(to + n * 8) = pack_bf16(s[n][0], s[n][1]);
                *reinterpret_cast<unsigned*>(to + n * 8 + 8 * P) = pack_bf16(s[n][2], s[n][3]);
            }
            __syncthreads();
            // A sum for each 16 of the inner dimension: they need not wait for each other.
            float sum[P / 16][2][4];
#pragma unroll
            for (int k = 0; k < P / 16; ++k) {
                clear(sum[k]);
                unsigned right[4];
                load_b_rows(now, tile_stride(slice), k * 16, 0, right);
                const FragmentA left = {{steps[a].m[k].x, steps[a].m[k].y, steps[a].m[k].z, steps[a].m[k].w}};
                mma(sum[k][0], left, right[0], right[1]);
                mma(sum[k][1], left, right[2], right[3]);
            }
#pragma unroll
            for (int n = 0; n < 2; ++n) {
                const float4 add = steps[a].n[n];
                const float own[4] = {add.x, add.y, add.z, add.w};
#pragma unroll
                for (int x = 0; x < 4; ++x) {
                    float through = sum[0][n][x];
#pragma unroll
                    for (int k = 1; k < P / 16; ++k) through += sum[k][n][x];
                    s[n][x] = fmaf(steps[a].pass, s[n][x], own[x]) - through;
                }
            }
            fetch(steps[a], i + ahead);
        }
    }
    if (!last) return;
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int x = 0; x < 4; ++x) {
            const int r = row + x / 2 * 8, c = column + n * 8 + x % 2;
            if (r < shape.key_dim && c < shape.value_dim)
                last[(blockIdx.x * static_cast<std::int64_t>(shape.key_dim) + r) * shape.value_dim + c] =
                    s[n][x];
        }
}

template <bool Back>
cudaError_t launch(const DeltaRule& p, const Work& w, const float* initial, bf16* states, float* last,
                   cudaStream_t stream) {
    return for_padded(p.shape, [&](auto padded) {
        constexpr int P = decltype(padded)::value;
        const dim3 grid(p.shape.batch * p.shape.states, P / slice);
        scan_kernel<P, Back><<<grid, P * 2, 0, stream>>>(p.shape, w, initial, states, last);
        return cudaGetLastError();
    });
}

}  // namespace

cudaError_t scan(const DeltaRule& p, const Work& w, float* last, cudaStream_t stream) {
    return launch<false>(p, w, p.initial, p.kept, last, stream);
}
cudaError_t scan_back(const DeltaRule& p, const Work& w, cudaStream_t stream) {
    return launch<true>(p, w, nullptr, w.dafter, nullptr, stream);
}

}  // namespace braid::kernels::cuda::delta
