#include "kernels/cuda/cache_token.h"

#include "kernels/cuda/common.cuh"

namespace braid::kernels::cuda {
namespace {

constexpr int warps = 4;

// A warp has a head of a token. A lane has pairs of channels that RoPE turns, then single ones that it
// leaves, so that whatever is read in place is written by the same lane.
__global__ void __launch_bounds__(32 * warps) cache_token_kernel(CacheToken p) {
    const int all = p.q.heads + 2 * p.k.heads;
    const int unit = blockIdx.x * warps + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (unit >= p.batch * all) return;
    const int b = unit / all;
    const std::int64_t position = p.positions[b], slot = position % p.slots;
    const int width = p.head_dim;

    int h = unit % all;
    const bf16 *from, *bias = nullptr;
    bf16* to;
    const float* norm = nullptr;
    int half = p.turned / 2;
    float factor = 1;
    if (h < p.q.heads) {
        from = to = p.q.data + b * p.q.batch + h * p.q.head;
        bias = p.q_bias;
        norm = p.q_norm;
        if (p.log_n > 0) factor = fmaxf(1.0F, logf(static_cast<float>(position + 1)) / logf(p.log_n));
    } else if (h -= p.q.heads; h < p.k.heads) {
        from = p.k.data + b * p.k.batch + h * p.k.head;
        to = p.k_cache.data + b * p.k_cache.batch + slot * p.k_cache.row + h * p.k_cache.head;
        bias = p.k_bias;
        norm = p.k_norm;
    } else {
        h -= p.k.heads;
        from = p.v.data + b * p.v.batch + h * p.v.head;
        to = p.v_cache.data + b * p.v_cache.batch + slot * p.v_cache.row + h * p.v_cache.head;
        bias = p.v_bias;
        half = 0;
    }
    const auto read = [&](int channel) {
        const float x = to_float(from[channel]);
        return bias != nullptr ? x + to_float(bias[h * width + channel]) : x;
    };
    float rstd = 1;
    if (norm != nullptr) {
        float squares = 0;
        for (int i = lane; i < width; i += 32) squares += read(i) * read(i);
        rstd = rsqrtf(warp_sum(squares) / static_cast<float>(width) + p.norm_eps);
    }
    const auto value = [&](int channel) {
        return norm != nullptr ? read(channel) * rstd * norm[channel] : read(channel);
    };
    for (int i = lane; i < width - half; i += 32) {
        if (i < half) {
            const float cos = p.cos[position * half + i], sin = p.sin[position * half + i];
            const float low = value(i), high = value(i + half);
            to[i] = from_float<bf16>(factor * (low * cos - high * sin));
            to[i + half] = from_float<bf16>(factor * (high * cos + low * sin));
        } else {
            to[i + half] = from_float<bf16>(factor * value(i + half));
        }
    }
}

}  // namespace

cudaError_t cache_token(const CacheToken& p, cudaStream_t stream) {
    const std::int64_t units = static_cast<std::int64_t>(p.batch) * (p.q.heads + 2 * p.k.heads);
    cache_token_kernel<<<ceil_div(units, warps), 32 * warps, 0, stream>>>(p);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
