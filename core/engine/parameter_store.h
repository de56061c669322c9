// All parameters of a model in one flat tensor, their gradients in another: one all-reduce, one AdamW and one
// checkpoint write serve all. The order is that of core/engine/parameter_layout.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/parameter_layout.h"

namespace braid {

class ParameterStore {
public:
    // Zero-filled on the ops' device. Without `trainable` there are no gradients: undefined tensors.
    ParameterStore(ParameterLayout layout, const Ops& ops, bool trainable = true);

    const ParameterLayout& layout() const { return layout_; }
    const Parameter* find(std::string_view name) const;  // null where there is none

    const at::Tensor& values() const { return values_; }        // master_type()
    const at::Tensor& gradients() const { return gradients_; }  // master_type()
    const at::Tensor& compute() const { return compute_; }      // compute_type(); values() where types agree

    // Views.
    at::Tensor value(const Parameter& parameter) const;
    at::Tensor gradient(const Parameter& parameter) const;
    at::Tensor value_view(const Operand& operand) const;     // [rows, cols], or [rows]
    at::Tensor compute_view(const Operand& operand) const;   // likewise
    at::Tensor gradient_view(const Operand& operand) const;  // likewise

    // After values() was written from outside (initialisation, a checkpoint).
    void refresh_compute();
    void zero_gradients();

    // The matrices of each shape.
    const std::vector<MuonGroup>& muon_groups() const { return muon_groups_; }

private:
    ParameterLayout layout_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
    at::Tensor values_, gradients_, compute_;
    std::vector<MuonGroup> muon_groups_;
};

}  // namespace braid
