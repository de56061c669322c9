#include "kernels/cuda/linear_step.h"

#include <algorithm>

#include "kernels/cuda/common.cuh"

namespace braid::kernels::cuda {
namespace {

constexpr int threads = 256;
constexpr std::int64_t most_shared = 48 * 1024;  // bytes, without asking for more

__host__ __device__ inline int readers_of(int states, int queries) {
    return queries > states ? queries / states : 1;
}

std::int64_t shared_bytes(int readers, int key_dim, int value_dim) {
    const std::int64_t floats =
        static_cast<std::int64_t>(key_dim) * value_dim + (readers + 1) * key_dim + 2 * value_dim;
    return floats * static_cast<std::int64_t>(sizeof(float));
}

// A head as the recurrence reads it, by one warp: silu, then divided by its length (plus 1e-6 in the square),
// then times `scale`.
__device__ void read_head(const bf16* from, int size, bool silu, bool unit, float scale, float* to) {
    const int lane = threadIdx.x % 32;
    float squares = 0;
    for (int i = lane; i < size; i += 32) {
        float x = to_float(from[i]);
        if (silu) x /= 1.0F + __expf(-x);
        to[i] = x;
        squares += x * x;
    }
    const float factor = unit ? scale * rsqrtf(warp_sum(squares) + 1e-6F) : scale;
    for (int i = lane; i < size; i += 32) to[i] *= factor;
}

// Block (state, sequence).
__global__ void __launch_bounds__(threads) step_kernel(LinearStep p) {
    extern __shared__ float memory[];
    const int s = blockIdx.x, b = blockIdx.y, keys = p.key_dim, values = p.value_dim;
    const int readers = readers_of(p.states, p.q.heads), cells = keys * values;
    float* state = memory;
    float* k = state + cells;
    float* q = k + keys;  // [readers, keys]
    float* v = q + readers * keys;
    float* write = v + values;  // what the token adds along k
    const int first = p.q.heads > p.states ? s * readers : s / (p.states / p.q.heads);  // its first query
    for (int warp = threadIdx.x / 32; warp < readers + 2; warp += threads / 32) {
        if (warp == 0)
            read_head(p.k.data + b * p.k.batch + s / (p.states / p.k.heads) * p.k.head, keys, p.silu, p.unit,
                      1, k);
        else if (warp == 1)
            read_head(p.v.data + b * p.v.batch + s / (p.states / p.v.heads) * p.v.head, values, p.silu, false,
                      1, v);
        else
            read_head(p.q.data + b * p.q.batch + (first + warp - 2) * p.q.head, keys, p.silu, p.unit, p.scale,
                      q + (warp - 2) * keys);
    }
    const std::int64_t place = static_cast<std::int64_t>(b) * p.states + s;
    float* kept = p.state + place * cells;
    const float decay = __expf(p.log_decay[p.constant_decay ? s : place]);
    for (int i = threadIdx.x; i < cells; i += threads) state[i] = decay * kept[i];
    const float skip = p.skip != nullptr ? p.skip[s] : 0.0F;
    const float beta = p.beta != nullptr ? p.beta[place] : 1.0F;
    __syncthreads();
    for (int column = threadIdx.x; column < values; column += threads) {
        float known = 0;
        for (int i = 0; p.delta && i < keys; ++i) known += state[i * values + column] * k[i];
        write[column] = beta * (v[column] - known);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < cells; i += threads)
        kept[i] = state[i] = state[i] + k[i / values] * write[i % values];
    __syncthreads();
    for (int i = threadIdx.x; i < readers * values; i += threads) {
        const int reader = i / values, column = i % values;
        float sum = 0;
        for (int row = 0; row < keys; ++row) sum += state[row * values + column] * q[reader * keys + row];
        p.o.data[b * p.o.batch + (s * readers + reader) * p.o.head + column] =
            from_float<bf16>(sum + skip * v[column]);
    }
}

}  // namespace

bool linear_step_supports(int states, int readers, int key_dim, int value_dim) {
    const bool divides = readers > states ? readers % states == 0 : states % readers == 0;
    return divides && shared_bytes(readers_of(states, readers), key_dim, value_dim) <= most_shared;
}

cudaError_t linear_step(const LinearStep& p, cudaStream_t stream) {
    if (!linear_step_supports(p.states, p.q.heads, p.key_dim, p.value_dim)) return cudaErrorInvalidValue;
    const std::int64_t bytes = shared_bytes(readers_of(p.states, p.q.heads), p.key_dim, p.value_dim);
    step_kernel<<<dim3(p.states, p.batch), threads, bytes, stream>>>(p);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
