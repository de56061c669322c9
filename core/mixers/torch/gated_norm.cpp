// Norm and gate of a recurrent mixer's output, made of ATen operations on blocks of rows.
#include <ATen/TensorOperators.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sigmoid_backward.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>

#include <algorithm>

#include "core/mixers/torch/ops.h"

namespace braid {
namespace {

// f(first row, rows): blocks that stay in a CPU's cache, or fill a GPU without much memory.
template <class F>
void for_rows(const at::Tensor& x_NHW, F&& f) {
    const std::int64_t rows = x_NHW.size(0), width = x_NHW.size(1) * x_NHW.size(2);
    const std::int64_t elements = x_NHW.device().is_cpu() ? std::int64_t{1} << 16 : std::int64_t{1} << 24;
    const std::int64_t step = std::max<std::int64_t>(elements / width, 1);
    for (std::int64_t first = 0; first < rows; first += step) f(first, std::min(step, rows - first));
}

}  // namespace

void Ops::gated_norm(const GatedNormRule& rule, const at::Tensor& x_NHW, const at::Tensor& gate_NHW,
                     const at::Tensor& weight_W, const at::Tensor& y_NHW) {
    const at::ScalarType type = statistics_type();
    const at::Tensor weight = weight_W.defined() ? weight_W.to(type) : at::Tensor();
    for_rows(x_NHW, [&](std::int64_t first, std::int64_t rows) {
        const at::Tensor x = x_NHW.narrow(0, first, rows).to(type);
        const at::Tensor g = gate_NHW.narrow(0, first, rows).to(type);
        const at::Tensor act = rule.silu ? at::silu(g) : at::sigmoid(g);
        at::Tensor y = rule.gate_first ? x * act : x;
        const at::Tensor rstd = y.square().mean(-1, true).add_(rule.eps).rsqrt_();
        y = y * rstd;
        if (weight.defined()) y.mul_(weight);
        if (!rule.gate_first) y.mul_(act);
        y_NHW.narrow(0, first, rows).copy_(y);
    });
}

void Ops::gated_norm_backward(const GatedNormRule& rule, const at::Tensor& dy_NHW, const at::Tensor& x_NHW,
                              const at::Tensor& gate_NHW, const at::Tensor& weight_W,
                              const at::Tensor& dx_NHW, const at::Tensor& dgate_NHW,
                              const at::Tensor& dweight_W) {
    const at::ScalarType type = statistics_type();
    const at::Tensor weight = weight_W.defined() ? weight_W.to(type) : at::Tensor();
    for_rows(x_NHW, [&](std::int64_t first, std::int64_t rows) {
        const at::Tensor dy = dy_NHW.narrow(0, first, rows).to(type);
        const at::Tensor x = x_NHW.narrow(0, first, rows).to(type);
        const at::Tensor g = gate_NHW.narrow(0, first, rows).to(type);
        const at::Tensor act = rule.silu ? at::silu(g) : at::sigmoid(g);
        const at::Tensor z = rule.gate_first ? x * act : x;
        const at::Tensor rstd = z.square().mean(-1, true).add_(rule.eps).rsqrt_();
        const at::Tensor unit = z * rstd;
        at::Tensor dact;
        // Gradient of the normalised value, before its weight.
        at::Tensor dunit = rule.gate_first ? dy : dy * act;
        if (!rule.gate_first) dact = weight.defined() ? (dy * unit).mul_(weight) : dy * unit;
        if (weight.defined()) {
            dweight_W.add_((dunit * unit).sum(0).sum(0));
            dunit = dunit * weight;
        }
        at::Tensor dz = (dunit - unit * (dunit * unit).mean(-1, true)).mul_(rstd);
        if (rule.gate_first) {
            dact = dz * x;
            dz.mul_(act);
        }
        dgate_NHW.narrow(0, first, rows)
            .copy_(rule.silu ? at::silu_backward(dact, g) : at::sigmoid_backward(dact, act));
        dx_NHW.narrow(0, first, rows).copy_(dz);
    });
}

}  // namespace braid
