#include "core/mixers/torch/ops.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>

namespace braid {

const RopeTable& Ops::rope_table(const RopeRule& rule, std::int64_t tokens) {
    constexpr std::size_t kept = 64;  // texts of many lengths under dynamic scaling have a table each
    const std::pair key(rule, tokens);
    if (const auto found = rope_tables_.find(key); found != rope_tables_.end()) return found->second;
    if (rope_tables_.size() >= kept) rope_tables_.clear();
    RopeTable& table = rope_tables_[key];
    const std::vector<double> frequencies = rope_frequencies(rule);
    const auto half = std::int64_t(frequencies.size());
    const at::Tensor cos = at::empty({tokens, half}, at::kDouble),
                     sin = at::empty({tokens, half}, at::kDouble);
    double* to_cos = cos.mutable_data_ptr<double>();
    double* to_sin = sin.mutable_data_ptr<double>();
    for (std::int64_t t = 0; t < tokens; ++t)
        for (std::int64_t i = 0; i < half; ++i) {
            const double angle = double(t) * frequencies[std::size_t(i)];
            to_cos[t * half + i] = rule.attention * std::cos(angle);
            to_sin[t * half + i] = rule.attention * std::sin(angle);
        }
    const auto options = at::TensorOptions().dtype(statistics_type()).device(device());
    table.cos_TK2 = cos.to(options);
    table.sin_TK2 = sin.to(options);
    return table;
}

std::vector<at::Tensor> Ops::rope_tensors() const {
    std::vector<at::Tensor> tensors;
    for (const auto& [key, table] : rope_tables_) {
        tensors.push_back(table.cos_TK2);
        tensors.push_back(table.sin_TK2);
    }
    return tensors;
}

void Ops::note_kernel(KernelUse use) {
    constexpr std::size_t kept = 64;  // texts of many lengths are a kind of call each
    if (kernels_used_.size() >= kept) return;
    if (std::find(kernels_used_.begin(), kernels_used_.end(), use) == kernels_used_.end())
        kernels_used_.push_back(std::move(use));
}

void Ops::turn_back(const RopeTable& turned, const at::Tensor& dq_BTHK, const at::Tensor& dk_BTGK) {
    if (!turned.cos_TK2.defined()) return;
    for (const at::Tensor& d : {dq_BTHK, dk_BTGK})
        rope(d.narrow(3, 0, 2 * turned.cos_TK2.size(1)), turned, true);
}

std::unique_ptr<Recording> Ops::record(const std::function<void()>&) { return nullptr; }

void Ops::ffn(const FfnWeights& weights, double eps, const FfnSaved& saved, const at::Tensor& next_ND) {
    rms_norm(saved.x_ND, weights.norm_D, eps, saved.y_ND, saved.rstd_N);
    linear(saved.y_ND, weights.gate_up_2FD, saved.gate_up_N2F);
    swiglu(saved.gate_up_N2F, saved.h_NF);
    linear_add(saved.h_NF, weights.down_DF, saved.x_ND, next_ND);
}

void Ops::ffn_again(const FfnWeights& weights, const FfnSaved& saved) {
    linear(saved.y_ND, weights.gate_up_2FD, saved.gate_up_N2F);
}

void Ops::ffn_backward(const FfnWeights& weights, const FfnSaved& saved, const at::Tensor& dx_ND,
                       const FfnScratch& scratch, const FfnWeights& dweights) {
    // dh first, into a buffer of its own: the gradient of the down projection needs h, which is there or made
    // again beside it.
    const at::Tensor dnext_ND = scratch.rounded_ND.defined() ? scratch.rounded_ND : dx_ND;
    linear_backward_input(dnext_ND, weights.down_DF, scratch.dh_NF);
    swiglu_backward(saved.gate_up_N2F, scratch.dh_NF, scratch.dgate_up_N2F,
                    saved.h_kept ? at::Tensor() : saved.h_NF);
    linear_backward_weight(dnext_ND, saved.h_NF, dweights.down_DF);
    linear_backward_input(scratch.dgate_up_N2F, weights.gate_up_2FD, scratch.dy_ND);
    linear_backward_weight(scratch.dgate_up_N2F, saved.y_ND, dweights.gate_up_2FD);
    rms_norm_backward(scratch.dy_ND, saved.x_ND, weights.norm_D, saved.rstd_N, dx_ND, dweights.norm_D,
                      scratch.rounded_ND);
}

}  // namespace braid
