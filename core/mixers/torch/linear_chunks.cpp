#include "core/mixers/torch/linear_chunks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>

#include <algorithm>

namespace braid::linear {
namespace {

constexpr std::int64_t device_chunk = 64;
constexpr std::int64_t cpu_chunk = 32;  // less work inside chunks; a GPU wants larger products
// Elements of the largest tensor of a segment: on the CPU what the second-level cache holds, on a GPU enough
// to fill it.
constexpr std::int64_t cpu_elements = std::int64_t{1} << 17;
constexpr std::int64_t device_elements = std::int64_t{1} << 25;

constexpr double unit_eps = 1e-6;  // of a squared length

}  // namespace

std::vector<Segment> segments(const LinearShape& shape, std::int64_t batch, std::int64_t tokens,
                              at::Device device) {
    const std::int64_t chunk = std::min(device.is_cpu() ? cpu_chunk : device_chunk, tokens);
    const std::int64_t chunks = (tokens + chunk - 1) / chunk;
    const std::int64_t widest = std::max({chunk, shape.key_dim, shape.value_dim});
    const std::int64_t one = batch * std::max(shape.states, shape.readers) * chunk * widest;
    const std::int64_t budget = device.is_cpu() ? cpu_elements : device_elements;
    const std::int64_t wanted = std::clamp<std::int64_t>(budget / one, 1, chunks);
    const std::int64_t count = (chunks + wanted - 1) / wanted;
    std::vector<Segment> all;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t first = chunks * i / count, end = chunks * (i + 1) / count;
        all.push_back({.first = first * chunk,
                       .tokens = std::min(end * chunk, tokens) - first * chunk,
                       .chunks = end - first,
                       .chunk = chunk});
    }
    return all;
}

LinearShape shape_of(const LinearInput& input) {
    return {.states = input.log_decay_BTS.size(-1),
            .readers = input.q_BTHK.size(2),
            .key_dim = input.q_BTHK.size(3),
            .value_dim = input.v_BTJV.size(3)};
}

Read read(const at::Tensor& x_BTXK, const Segment& s, const ReadRule& rule, at::ScalarType type) {
    const std::int64_t length = s.chunks * s.chunk;
    at::Tensor y =
        at::empty({x_BTXK.size(0), x_BTXK.size(2), length, x_BTXK.size(3)}, x_BTXK.options().dtype(type));
    y.narrow(2, 0, s.tokens).copy_(x_BTXK.narrow(1, s.first, s.tokens).transpose(1, 2));
    if (s.tokens < length) y.narrow(2, s.tokens, length - s.tokens).zero_();
    Read result{.value_BXLK = y, .scale = rule.scale};
    if (rule.silu) {
        if (rule.keep) result.raw_BXLK = y;
        result.value_BXLK = rule.keep ? at::silu(y) : at::silu_(y);
    }
    if (rule.unit) {
        result.inverse_BXL1 = result.value_BXLK.square().sum(-1, true).add_(unit_eps).rsqrt_();
        result.value_BXLK.mul_(result.inverse_BXL1 * rule.scale);
    } else if (rule.scale != 1) {
        result.value_BXLK.mul_(rule.scale);
    }
    return result;
}

void write_gradient(const Read& read, at::Tensor d, const Segment& s, const at::Tensor& dx_BTXK) {
    if (read.inverse_BXL1.defined()) {
        // value = scale u with u = a / |a|: da = (scale / |a|) (d - u (u.d)).
        const at::Tensor along = (d * read.value_BXLK).sum(-1, true).div_(-read.scale * read.scale);
        d.addcmul_(read.value_BXLK, along).mul_(read.inverse_BXL1 * read.scale);
    } else if (read.scale != 1) {
        d.mul_(read.scale);
    }
    if (read.raw_BXLK.defined()) d = at::silu_backward(d, read.raw_BXLK);
    write_tokens(d, s, dx_BTXK);
}

void write_tokens(const at::Tensor& x_BXLV, const Segment& s, const at::Tensor& to_BTXV) {
    to_BTXV.narrow(1, s.first, s.tokens).copy_(x_BXLV.narrow(2, 0, s.tokens).transpose(1, 2));
}

at::Tensor read_scalars(const at::Tensor& x, const Segment& s, at::ScalarType type) {
    const std::int64_t length = s.chunks * s.chunk;
    const std::int64_t batch = x.dim() == 1 ? 1 : x.size(0), heads = x.size(-1);
    at::Tensor y = at::empty({batch, heads, length}, x.options().dtype(type));
    at::Tensor tokens = y.narrow(2, 0, s.tokens);
    if (x.dim() == 1)
        tokens.copy_(x.view({1, heads, 1}).expand({1, heads, s.tokens}));
    else
        tokens.copy_(x.narrow(1, s.first, s.tokens).transpose(1, 2));
    if (s.tokens < length) y.narrow(2, s.tokens, length - s.tokens).zero_();
    return y.view({batch, heads, s.chunks, s.chunk});
}

void write_scalars(const at::Tensor& x_BXnC, const Segment& s, const at::Tensor& to_BTX) {
    to_BTX.narrow(1, s.first, s.tokens).copy_(x_BXnC.flatten(2).narrow(2, 0, s.tokens).transpose(1, 2));
}

at::Tensor to_states(const at::Tensor& x_BXLK, std::int64_t states) {
    const std::int64_t heads = x_BXLK.size(1);
    if (heads == states) return x_BXLK;
    return x_BXLK.unsqueeze(2)
        .expand({x_BXLK.size(0), heads, states / heads, x_BXLK.size(2), x_BXLK.size(3)})
        .reshape({x_BXLK.size(0), states, x_BXLK.size(2), x_BXLK.size(3)});
}

at::Tensor from_states(const at::Tensor& x_BSLK, std::int64_t heads) {
    if (heads == x_BSLK.size(1)) return x_BSLK;
    return x_BSLK.view({x_BSLK.size(0), heads, x_BSLK.size(1) / heads, x_BSLK.size(2), x_BSLK.size(3)})
        .sum(2);
}

at::Tensor beginnings(const at::Tensor& starts_BT) {
    return starts_BT.eq(at::arange(starts_BT.size(1), starts_BT.options()));
}

Decay decay_of(const LinearInput& input, const Segment& segment, at::ScalarType type) {
    const at::Tensor b = read_scalars(input.log_decay_BTS, segment, type).cumsum(-1);
    const at::Tensor total = b.select(-1, b.size(-1) - 1);
    // Above the diagonal the exponential may overflow; tril_ writes zeros there without reading.
    Decay decay{.within = (b.unsqueeze(-1) - b.unsqueeze(-2)).exp_().tril_(),
                .before = b.exp().unsqueeze_(-1),
                .after = (total.unsqueeze(-1) - b).exp_().unsqueeze_(-1),
                .total = total};
    if (!input.starts_BT.defined()) return decay;
    const at::Tensor begins_BT1 = beginnings(input.starts_BT).unsqueeze(-1);
    // Documents begun in the chunk, up to and with each token.
    const at::Tensor begun = read_scalars(begins_BT1, segment, type).cumsum(-1);
    decay.begun = begun.select(-1, begun.size(-1) - 1);
    decay.within = decay.within * begun.unsqueeze(-1).eq(begun.unsqueeze(-2));
    decay.before = decay.before * begun.eq(0).unsqueeze(-1);
    decay.after = decay.after * begun.eq(decay.begun.unsqueeze(-1)).unsqueeze(-1);
    return decay;
}

at::Tensor decay_gradient(const at::Tensor& db_BSnC) { return db_BSnC.flip(-1).cumsum(-1).flip(-1); }

}  // namespace braid::linear
