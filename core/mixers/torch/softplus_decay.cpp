#include "core/mixers/torch/softplus_decay.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softplus.h>

#include "kernels/decay_bounds.h"

namespace braid {
namespace {

constexpr double strongest = kernels::strongest_log_decay;

at::Tensor rate_of(const at::Tensor& a_log_S) { return a_log_S.clamp_max(kernels::largest_a_log).exp_(); }

}  // namespace

GateOutput empty_gates(Ops& ops, std::int64_t batch, std::int64_t tokens, std::int64_t states, bool writes) {
    const auto empty = [&] {
        return at::empty({batch, tokens, states},
                         at::TensorOptions().dtype(ops.statistics_type()).device(ops.device()));
    };
    return {empty(), empty(), writes ? empty() : at::Tensor()};
}

void Ops::recurrent_gates(const GateInput& input, const GateOutput& output) {
    const at::Tensor dt = at::softplus(input.raw_BTS.to(input.bias_S.scalar_type()) + input.bias_S);
    output.dt_BTS.copy_(dt);
    output.log_decay_BTS.copy_((dt * rate_of(input.a_log_S)).neg_().clamp_min_(strongest));
    if (output.strength_BTS.defined())
        output.strength_BTS.copy_(at::sigmoid(input.write_BTS.to(statistics_type())));
}

void softplus_decay_backward(const at::Tensor& raw_BTS, const MixerParameter& a_log_S,
                             const MixerParameter& bias_S, const GateOutput& gates,
                             const at::Tensor& dlog_decay_BTS, const at::Tensor& ddt_BTS,
                             const at::Tensor& draw_BTS) {
    const at::Tensor d = dlog_decay_BTS * gates.log_decay_BTS.gt(strongest);
    a_log_S.gradient.add_((d * gates.log_decay_BTS).sum(0).sum(0));
    at::Tensor draw = (d * rate_of(a_log_S.master)).neg_();
    if (ddt_BTS.defined()) draw.add_(ddt_BTS);
    draw.mul_(at::sigmoid(raw_BTS.to(draw.scalar_type()) + bias_S.master));
    bias_S.gradient.add_(draw.sum(0).sum(0));
    draw_BTS.copy_(draw);
}

}  // namespace braid
