#include "core/engine/optimizer.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace braid {

Optimizer::Optimizer(const TrainingSpec& training, ParameterStore& store, Ops& ops)
    : store_(store),
      ops_(ops),
      muon_{.momentum = training.muon_momentum, .weight_decay = training.weight_decay},
      adamw_{.beta1 = training.adam_beta1, .beta2 = training.adam_beta2, .eps = training.adam_eps},
      weight_decay_(training.weight_decay),
      max_norm_(training.grad_clip) {
    const at::Tensor& values = store.values();
    const std::int64_t adamw_begin = store.layout().adamw_begin;
    tensors_ = {.values = values,
                .gradients = store.gradients(),
                .compute = store.compute(),
                .momentum = at::zeros({values.numel()}, values.options()),
                .exp_avg_sq = at::zeros({values.numel() - adamw_begin}, values.options()),
                .adamw_begin = adamw_begin};
    scalars_ = at::ones({step_scalar::count}, values.options());
}

void Optimizer::set_rules(const TrainingSpec& training) {
    muon_.weight_decay = training.weight_decay;
    weight_decay_ = training.weight_decay;
    max_norm_ = training.grad_clip;
}

void Optimizer::measure_gradients() {
    ops_.gradient_norm_and_clip(tensors_.gradients, max_norm_, scalars_);
    measured_ = true;
}

void Optimizer::step(double learning_rate) {
    if (!measured_) measure_gradients();
    measured_ = false;
    ++steps_done_;
    const double steps = double(steps_done_);
    // Fills, not a copy from the host, which would wait for the device.
    const auto set = [this](step_scalar::Index index, double value) {
        scalars_.select(0, index).fill_(value);
    };
    set(step_scalar::learning_rate, learning_rate);
    set(step_scalar::bias_correction1, 1 - std::pow(adamw_.beta1, steps));
    set(step_scalar::bias_correction2, 1 - std::pow(adamw_.beta2, steps));

    for (const MuonGroup& group : store_.muon_groups()) ops_.muon_step(group, muon_, tensors_, scalars_);
    const ParameterLayout& layout = store_.layout();
    ops_.adamw_step(layout.adamw_begin, layout.no_decay_begin, weight_decay_, adamw_, tensors_, scalars_);
    ops_.adamw_step(layout.no_decay_begin, layout.elements, 0, adamw_, tensors_, scalars_);
}

at::Tensor Optimizer::gradient_norm() const { return scalars_.select(0, step_scalar::gradient_norm); }

std::vector<std::pair<std::string, at::Tensor>> Optimizer::state() const {
    return {{"momentum", tensors_.momentum}, {"exp_avg_sq", tensors_.exp_avg_sq}};
}

}  // namespace braid
