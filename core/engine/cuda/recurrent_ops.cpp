#include "core/engine/cuda/recurrent_ops.h"

#include "core/engine/cuda/check.h"
#include "core/engine/cuda/linear_kernels.h"
#include "core/engine/cuda/pointers.h"
#include "kernels/cuda/gated_norm.h"
#include "kernels/cuda/recurrent_gates.h"
#include "kernels/cuda/short_convolution.h"

namespace braid {
namespace {

namespace kc = kernels::cuda;
using cuda::bf16_data;
using cuda::check;
using cuda::float_data;
using cuda::float_or_null;
using cuda::shape_of;
using cuda::stream;

// bfloat16 with the last dimension side by side.
bool plain(const at::Tensor& x) { return x.scalar_type() == at::kBFloat16 && x.stride(-1) == 1; }

bool even(const at::Tensor& x) {
    return plain(x) && x.stride(0) % 2 == 0 && x.stride(1) % 2 == 0 && x.size(-1) % 2 == 0 &&
           x.size(-1) <= kc::gated_norm_most_width && reinterpret_cast<std::uintptr_t>(x.data_ptr()) % 4 == 0;
}
kc::HeadRows rows_of(const at::Tensor& x_NHW) {
    return {.data = bf16_data(x_NHW), .row = x_NHW.stride(0), .head = x_NHW.stride(1)};
}
kc::GatedNorm norm_of(const GatedNormRule& rule, const at::Tensor& x_NHW, const at::Tensor& gate_NHW,
                      const at::Tensor& weight_W) {
    return {.x = rows_of(x_NHW),
            .gate = rows_of(gate_NHW),
            .weight = float_or_null(weight_W),
            .rows = x_NHW.size(0),
            .heads = static_cast<int>(x_NHW.size(1)),
            .width = static_cast<int>(x_NHW.size(2)),
            .eps = static_cast<float>(rule.eps),
            .gate_first = rule.gate_first,
            .silu = rule.silu};
}

kc::ChannelRows channels_of(const at::Tensor& x_BTC) {
    return {.data = bf16_data(x_BTC), .batch = x_BTC.stride(0), .row = x_BTC.stride(1)};
}
kc::ShortConvolution convolution_of(const Documents& documents, const at::Tensor& x_BTC,
                                    const at::Tensor& taps_CI) {
    return {.x = channels_of(x_BTC),
            .taps = bf16_data(taps_CI),
            .starts = cuda::int32_or_null(documents.starts_BT),
            .batch = static_cast<int>(x_BTC.size(0)),
            .tokens = static_cast<int>(x_BTC.size(1)),
            .channels = static_cast<int>(x_BTC.size(2))};
}
kc::GateColumns columns_of(const at::Tensor& x_BTS) {
    return {.data = bf16_data(x_BTS), .batch = x_BTS.stride(0), .row = x_BTS.stride(1)};
}
bool convolves(const at::Tensor& x_BTC, const at::Tensor& taps_CI) {
    return plain(x_BTC) && plain(taps_CI) && taps_CI.is_contiguous() &&
           taps_CI.size(1) == kc::convolution_taps;
}

}  // namespace

std::vector<std::string> RecurrentCudaOps::recurrence_kernels() const {
    std::vector<std::string> names;
    for (const cuda::LinearKernel& kernel : cuda::linear_kernels())
        if (kernel.exists(capability_)) names.emplace_back(kernel.name);
    return names;
}

at::Tensor RecurrentCudaOps::linear_boundaries(const LinearRule& rule, const LinearShape& shape,
                                               std::int64_t batch, std::int64_t tokens) {
    const cuda::LinearKernel& kernel = cuda::choose_linear(recurrence_kernel_, capability_, rule, shape);
    return kernel.boundaries != nullptr ? kernel.boundaries(rule, shape, batch, tokens, device_)
                                        : Ops::linear_boundaries(rule, shape, batch, tokens);
}

void RecurrentCudaOps::linear_attention(const LinearRule& rule, const LinearInput& input,
                                        const at::Tensor& o_BTRV, const at::Tensor& boundaries,
                                        const at::Tensor& last_BSKV) {
    const LinearShape shape = shape_of(input);
    const cuda::LinearKernel& kernel = cuda::choose_linear(recurrence_kernel_, capability_, rule, shape);
    note_kernel({.operation = "recurrence", .call = cuda::text_of(rule, shape), .kernel = kernel.name});
    if (kernel.forward != nullptr)
        kernel.forward(rule, input, o_BTRV, boundaries, last_BSKV, scratch_);
    else
        Ops::linear_attention(rule, input, o_BTRV, boundaries, last_BSKV);
}

void RecurrentCudaOps::linear_attention_backward(const LinearRule& rule, const LinearInput& input,
                                                 const at::Tensor& boundaries, const at::Tensor& do_BTRV,
                                                 const LinearGradient& gradient) {
    const cuda::LinearKernel& kernel =
        cuda::choose_linear(recurrence_kernel_, capability_, rule, shape_of(input));
    if (kernel.backward != nullptr)
        kernel.backward(rule, input, boundaries, do_BTRV, gradient, scratch_);
    else
        Ops::linear_attention_backward(rule, input, boundaries, do_BTRV, gradient);
}

void RecurrentCudaOps::recurrent_gates(const GateInput& input, const GateOutput& output) {
    const bool writes = output.strength_BTS.defined();
    if (!plain(input.raw_BTS) || (writes && !plain(input.write_BTS)))
        return Ops::recurrent_gates(input, output);
    check(kc::recurrent_gates({.raw = columns_of(input.raw_BTS),
                               .write = writes ? columns_of(input.write_BTS) : kc::GateColumns{},
                               .a_log = float_data(input.a_log_S),
                               .bias = float_data(input.bias_S),
                               .dt = float_data(output.dt_BTS),
                               .log_decay = float_data(output.log_decay_BTS),
                               .strength = float_or_null(output.strength_BTS),
                               .batch = input.raw_BTS.size(0),
                               .tokens = input.raw_BTS.size(1),
                               .states = static_cast<int>(input.raw_BTS.size(2))},
                              stream()),
          "recurrent_gates");
}

void RecurrentCudaOps::gated_norm(const GatedNormRule& rule, const at::Tensor& x_NHW,
                                  const at::Tensor& gate_NHW, const at::Tensor& weight_W,
                                  const at::Tensor& y_NHW) {
    if (!even(x_NHW) || !even(gate_NHW) || !even(y_NHW))
        return Ops::gated_norm(rule, x_NHW, gate_NHW, weight_W, y_NHW);
    check(kc::gated_norm(norm_of(rule, x_NHW, gate_NHW, weight_W), rows_of(y_NHW), stream()), "gated_norm");
}

void RecurrentCudaOps::gated_norm_backward(const GatedNormRule& rule, const at::Tensor& dy_NHW,
                                           const at::Tensor& x_NHW, const at::Tensor& gate_NHW,
                                           const at::Tensor& weight_W, const at::Tensor& dx_NHW,
                                           const at::Tensor& dgate_NHW, const at::Tensor& dweight_W) {
    if (!even(dy_NHW) || !even(x_NHW) || !even(gate_NHW) || !even(dx_NHW) || !even(dgate_NHW))
        return Ops::gated_norm_backward(rule, dy_NHW, x_NHW, gate_NHW, weight_W, dx_NHW, dgate_NHW,
                                        dweight_W);
    const std::int64_t partial = kc::gated_norm_partial_rows() * x_NHW.size(2);
    check(kc::gated_norm_backward({.forward = norm_of(rule, x_NHW, gate_NHW, weight_W),
                                   .dy = rows_of(dy_NHW),
                                   .dx = rows_of(dx_NHW),
                                   .dgate = rows_of(dgate_NHW),
                                   .dweight = float_or_null(dweight_W),
                                   .partial = float_data(scratch("gated norm", partial, at::kFloat))},
                                  stream()),
          "gated_norm_backward");
}

void RecurrentCudaOps::short_convolution(const Documents& documents, const at::Tensor& x_BTC,
                                         const at::Tensor& taps_CI, const at::Tensor& y_BTC,
                                         const at::Tensor& history_BIC) {
    const bool step = history_BIC.defined() && x_BTC.size(1) == 1;
    if ((history_BIC.defined() && !step) || !plain(y_BTC) || !convolves(x_BTC, taps_CI))
        return Ops::short_convolution(documents, x_BTC, taps_CI, y_BTC, history_BIC);
    if (step)
        return check(kc::short_convolution_step({.x = bf16_data(x_BTC),
                                                 .y = bf16_data(y_BTC),
                                                 .x_batch = x_BTC.stride(0),
                                                 .y_batch = y_BTC.stride(0),
                                                 .taps = bf16_data(taps_CI),
                                                 .history = float_data(history_BIC),
                                                 .batch = static_cast<int>(x_BTC.size(0)),
                                                 .channels = static_cast<int>(x_BTC.size(2))},
                                                stream()),
                     "short_convolution_step");
    check(kc::short_convolution(convolution_of(documents, x_BTC, taps_CI), channels_of(y_BTC), stream()),
          "short_convolution");
}

void RecurrentCudaOps::short_convolution_backward(const Documents& documents, const at::Tensor& dy_BTC,
                                                  const at::Tensor& x_BTC, const at::Tensor& taps_CI,
                                                  const at::Tensor& dx_BTC, const at::Tensor& dtaps_CI) {
    if (!plain(dy_BTC) || !plain(dx_BTC) || !dtaps_CI.is_contiguous() || !convolves(x_BTC, taps_CI))
        return Ops::short_convolution_backward(documents, dy_BTC, x_BTC, taps_CI, dx_BTC, dtaps_CI);
    const kc::ShortConvolution forward = convolution_of(documents, x_BTC, taps_CI);
    const std::int64_t partial =
        std::int64_t{kc::convolution_partial_rows(forward.batch, forward.tokens)} * dtaps_CI.numel();
    check(kc::short_convolution_backward({.forward = forward,
                                          .dy = channels_of(dy_BTC),
                                          .dx = channels_of(dx_BTC),
                                          .dtaps = float_data(dtaps_CI),
                                          .partial = float_data(scratch("convolution", partial, at::kFloat))},
                                         stream()),
          "short_convolution_backward");
}

}  // namespace braid
