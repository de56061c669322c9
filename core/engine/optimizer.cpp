#include "core/engine/optimizer.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

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
    steps_done_ = at::zeros({1}, values.options().dtype(at::kLong));
}

void Optimizer::set_rules(const TrainingSpec& training) {
    muon_.weight_decay = training.weight_decay;
    weight_decay_ = training.weight_decay;
    max_norm_ = training.grad_clip;
}

void Optimizer::measure_gradients() { ops_.gradient_norm_and_clip(tensors_.gradients, max_norm_, scalars_); }

void Optimizer::set_learning_rate(double learning_rate) {
    // A fill, not a copy from the host, which would wait for the device.
    scalars_.select(0, step_scalar::learning_rate).fill_(learning_rate);
}

void Optimizer::step(double learning_rate) {
    measure_gradients();
    set_learning_rate(learning_rate);
    update();
}

void Optimizer::update(const at::Tensor& loss_sum) {
    ops_.begin_update(loss_sum, adamw_, steps_done_, scalars_);
    for (const MuonGroup& group : store_.muon_groups()) ops_.muon_step(group, muon_, tensors_, scalars_);
    const ParameterLayout& layout = store_.layout();
    ops_.adamw_step(layout.adamw_begin, layout.no_decay_begin, weight_decay_, adamw_, tensors_, scalars_);
    ops_.adamw_step(layout.no_decay_begin, layout.elements, 0, adamw_, tensors_, scalars_);
}

at::Tensor Optimizer::gradient_norm() const { return scalars_.select(0, step_scalar::gradient_norm); }

at::Tensor Optimizer::applied() const { return scalars_.select(0, step_scalar::applied); }

std::int64_t Optimizer::steps_done() const { return steps_done_.item().toLong(); }

void Optimizer::set_steps_done(std::int64_t steps) { steps_done_.fill_(steps); }

std::vector<std::pair<std::string, at::Tensor>> Optimizer::state() const {
    return {{"momentum", tensors_.momentum}, {"exp_avg_sq", tensors_.exp_avg_sq}};
}

}  // namespace braid
