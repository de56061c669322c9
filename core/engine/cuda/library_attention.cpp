#include "core/engine/cuda/library_attention.h"

#include <ATen/Context.h>
#include <ATen/ops/_flash_attention_backward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_backward.h>

#include <optional>

#include "core/engine/cuda/check.h"
#include "core/engine/cuda/pointers.h"
#include "kernels/cuda/pointwise.h"

namespace braid::cuda {
namespace {

namespace kc = kernels::cuda;

// While it lives, flash attention's backward pass adds in a fixed order. Not for a whole run: matrix products
// would then ask for a setting of the environment.
class StrictlyDeterministic {
public:
    explicit StrictlyDeterministic(bool on) : on_(on) {
        if (on_) at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
    }
    ~StrictlyDeterministic() {
        if (on_) at::globalContext().setDeterministicAlgorithms(false, false);
    }
    StrictlyDeterministic(const StrictlyDeterministic&) = delete;
    StrictlyDeterministic& operator=(const StrictlyDeterministic&) = delete;

private:
    bool on_;
};

struct FlashWindow {
    bool causal = true;
    std::optional<std::int64_t> left = std::nullopt;
    std::optional<std::int64_t> right = std::nullopt;
};
FlashWindow flash_window(const AttentionCase& c) {
    if (c.window == 0) return {};
    return {.causal = false, .left = c.window - 1, .right = 0};
}

void sink_gradient(const AttentionBackward& call, AttentionTools& tools) {
    if (!call.sink_H.defined()) return;
    const at::Tensor &o_BTHK = call.o_BTHK, &do_BTHK = call.do_BTHK;
    const std::int64_t batch = o_BTHK.size(0), tokens = o_BTHK.size(1), heads = o_BTHK.size(2);
    check(kc::sink_backward({.o = bf16_data(o_BTHK),
                             .d_o = bf16_data(do_BTHK),
                             .lse = float_data(call.lse_BHT),
                             .sink = bf16_data(call.sink_H),
                             .dsink = float_data(call.dsink_H),
                             .partial = float_data(
                                 tools.scratch("sink", batch * heads * kc::sink_blocks(tokens), at::kFloat)),
                             .batch = batch,
                             .tokens = tokens,
                             .heads = heads,
                             .o_batch_stride = o_BTHK.stride(0),
                             .o_row_stride = o_BTHK.stride(1),
                             .o_head_stride = o_BTHK.stride(2),
                             .do_batch_stride = do_BTHK.stride(0),
                             .do_row_stride = do_BTHK.stride(1),
                             .do_head_stride = do_BTHK.stride(2),
                             .head_dim = static_cast<int>(o_BTHK.size(3))},
                            stream()),
          "sink_backward");
}

// Documents are sequences of their own, one behind the other.
at::Tensor rows(const at::Tensor& x_BTHK) { return x_BTHK.flatten(0, 1); }

}  // namespace

void add_sink(const at::Tensor& o0_BTHK, const at::Tensor& lse0_BHT, const at::Tensor& sink_H,
              const at::Tensor& o_BTHK, const at::Tensor& lse_BHT) {
    check(kc::sink_forward({.o0 = bf16_data(o0_BTHK),
                            .lse0 = float_data(lse0_BHT.contiguous()),
                            .sink = sink_H.defined() ? bf16_data(sink_H) : nullptr,
                            .o = bf16_data(o_BTHK),
                            .lse = float_data(lse_BHT),
                            .batch = o_BTHK.size(0),
                            .tokens = o_BTHK.size(1),
                            .heads = o_BTHK.size(2),
                            .o0_batch_stride = o0_BTHK.stride(0),
                            .o0_row_stride = o0_BTHK.stride(1),
                            .o0_head_stride = o0_BTHK.stride(2),
                            .o_batch_stride = o_BTHK.stride(0),
                            .o_row_stride = o_BTHK.stride(1),
                            .o_head_stride = o_BTHK.stride(2),
                            .head_dim = static_cast<int>(o_BTHK.size(3))},
                           stream()),
          "sink_forward");
}

void cudnn_attention(const AttentionCase&, const AttentionForward& call, AttentionTools&) {
    const auto [o0, lse0, bounds_q, bounds_k, max_q, max_k, seed, offset, mask] =
        at::_scaled_dot_product_cudnn_attention(call.q_BTHK.transpose(1, 2), call.k_BTGK.transpose(1, 2),
                                                call.v_BTGK.transpose(1, 2), std::nullopt,
                                                /*compute_log_sumexp=*/true, 0.0, /*is_causal=*/true, false,
                                                std::optional(call.rule.scale));
    add_sink(o0.transpose(1, 2), lse0, call.sink_H, call.o_BTHK, call.lse_BHT);
}

// The plain kernels, given the rescaled o and lse, return exact dq, dk, dv (core/mixers: softmax attention).
void cudnn_attention_backward(const AttentionCase& c, const AttentionBackward& call, AttentionTools& tools) {
    const auto [dq, dk, dv] = at::_scaled_dot_product_cudnn_attention_backward(
        call.do_BTHK.transpose(1, 2), call.q_BTHK.transpose(1, 2), call.k_BTGK.transpose(1, 2),
        call.v_BTGK.transpose(1, 2), call.o_BTHK.transpose(1, 2), call.lse_BHT.unsqueeze(-1),
        tools.seed.select(0, 0), tools.seed.select(0, 1), at::Tensor(), at::Tensor(), at::Tensor(), c.tokens,
        c.tokens, 0.0, /*is_causal=*/true, std::optional(call.rule.scale));
    call.dq_BTHK.copy_(dq.transpose(1, 2));
    call.dk_BTGK.copy_(dk.transpose(1, 2));
    call.dv_BTGK.copy_(dv.transpose(1, 2));
    sink_gradient(call, tools);
}

void flash_attention(const AttentionCase& c, const AttentionForward& call, AttentionTools&) {
    const auto [causal, left, right] = flash_window(c);
    const std::optional<double> scale = call.rule.scale;
    if (c.documents) {
        const at::Tensor& bounds = call.rule.documents.bounds;
        const std::int64_t longest = call.rule.documents.longest;
        const auto answer =
            at::_flash_attention_forward(rows(call.q_BTHK), rows(call.k_BTGK), rows(call.v_BTGK), bounds,
                                         bounds, longest, longest, 0.0, causal, false, scale, left, right);
        // Log-sum-exp comes as [H, N].
        add_sink(std::get<0>(answer).view(call.q_BTHK.sizes()),
                 std::get<1>(answer).view({c.heads, c.batch, c.tokens}).transpose(0, 1), call.sink_H,
                 call.o_BTHK, call.lse_BHT);
        return;
    }
    const auto answer =
        at::_flash_attention_forward(call.q_BTHK, call.k_BTGK, call.v_BTGK, std::nullopt, std::nullopt,
                                     c.tokens, c.tokens, 0.0, causal, false, scale, left, right);
    add_sink(std::get<0>(answer), std::get<1>(answer), call.sink_H, call.o_BTHK, call.lse_BHT);
}

void flash_attention_backward(const AttentionCase& c, const AttentionBackward& call, AttentionTools& tools) {
    const auto [causal, left, right] = flash_window(c);
    const std::optional<double> scale = call.rule.scale;
    const StrictlyDeterministic fixed_order(c.deterministic);
    const auto keep = [&](const at::Tensor& dq, const at::Tensor& dk, const at::Tensor& dv) {
        call.dq_BTHK.copy_(dq.view(call.q_BTHK.sizes()));
        call.dk_BTGK.copy_(dk.view(call.k_BTGK.sizes()));
        call.dv_BTGK.copy_(dv.view(call.v_BTGK.sizes()));
    };
    if (c.documents) {
        const at::Tensor& bounds = call.rule.documents.bounds;
        const std::int64_t longest = call.rule.documents.longest;
        const auto [dq, dk, dv] = at::_flash_attention_backward(
            rows(call.do_BTHK), rows(call.q_BTHK), rows(call.k_BTGK), rows(call.v_BTGK), rows(call.o_BTHK),
            call.lse_BHT.transpose(0, 1).reshape({c.heads, c.batch * c.tokens}), bounds, bounds, longest,
            longest, 0.0, causal, tools.seed, tools.seed, scale, left, right);
        keep(dq, dk, dv);
    } else {
        const auto [dq, dk, dv] = at::_flash_attention_backward(
            call.do_BTHK, call.q_BTHK, call.k_BTGK, call.v_BTGK, call.o_BTHK, call.lse_BHT, at::Tensor(),
            at::Tensor(), c.tokens, c.tokens, 0.0, causal, tools.seed, tools.seed, scale, left, right);
        keep(dq, dk, dv);
    }
    sink_gradient(call, tools);
}

}  // namespace braid::cuda
