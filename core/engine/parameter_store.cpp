#include "core/engine/parameter_store.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

namespace braid {
namespace {

at::Tensor view(const at::Tensor& flat, const Operand& operand) {
    if (!flat.defined()) return {};
    if (operand.cols == 0) return flat.narrow(0, operand.offset, operand.rows);
    return flat.narrow(0, operand.offset, operand.rows * operand.cols).view({operand.rows, operand.cols});
}

}  // namespace

ParameterStore::ParameterStore(ParameterLayout layout, const Ops& ops, bool trainable)
    : layout_(std::move(layout)) {
    const auto options = at::TensorOptions().dtype(ops.master_type()).device(ops.device());
    values_ = at::zeros({layout_.elements}, options);
    if (trainable) gradients_ = at::zeros({layout_.elements}, options);
    compute_ = ops.compute_type() == ops.master_type()
                   ? values_
                   : at::zeros({layout_.elements}, options.dtype(ops.compute_type()));
    for (std::size_t i = 0; i < layout_.parameters.size(); ++i) {
        const Parameter& parameter = layout_.parameters[i];
        by_name_[parameter.name] = i;
        if (parameter.update != UpdateRule::muon) continue;
        MuonGroup* group = nullptr;
        for (MuonGroup& candidate : muon_groups_)
            if (candidate.rows == parameter.shape[0] && candidate.cols == parameter.shape[1])
                group = &candidate;
        if (!group) {
            muon_groups_.push_back({.rows = parameter.shape[0], .cols = parameter.shape[1]});
            group = &muon_groups_.back();
        }
        group->offsets.push_back(parameter.offset);
    }
    for (MuonGroup& group : muon_groups_)
        group.device_offsets = at::tensor(group.offsets, at::kLong).to(ops.device());
}

const Parameter* ParameterStore::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &layout_.parameters[found->second];
}

at::Tensor ParameterStore::value(const Parameter& parameter) const {
    return values_.narrow(0, parameter.offset, parameter.size).view(parameter.shape);
}
at::Tensor ParameterStore::gradient(const Parameter& parameter) const {
    if (!gradients_.defined()) return {};
    return gradients_.narrow(0, parameter.offset, parameter.size).view(parameter.shape);
}
at::Tensor ParameterStore::value_view(const Operand& operand) const { return view(values_, operand); }
at::Tensor ParameterStore::compute_view(const Operand& operand) const { return view(compute_, operand); }
at::Tensor ParameterStore::gradient_view(const Operand& operand) const { return view(gradients_, operand); }

void ParameterStore::refresh_compute() {
    if (!compute_.is_same(values_)) compute_.copy_(values_);
}
void ParameterStore::zero_gradients() {
    if (gradients_.defined()) gradients_.zero_();
}

}  // namespace braid
