// A Full/SWA model as one would write it with plain ATen calls and autograd, from the definitions in the
// paper and not from the engine: scores are whole matrices, the mask is added, the sink is one more column.
// The reference of tests and the peer that `bench step` times.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

#include "core/engine/model.h"
#include "core/spec/training.h"

namespace braid {

class PlainModel {
public:
    // Softmax attention alone, with RoPE or without any position encoding.
    static bool knows(const ArchitectureSpec& spec);
    // Copies of a store's parameters, by name, as leaves that ask for gradients.
    PlainModel(const ArchitectureSpec& spec, const ParameterStore& store);

    at::Tensor logits(const at::Tensor& tokens_BT) const;  // [B, T, V]
    // Sum over the targets that are not below 0.
    at::Tensor loss_sum(const at::Tensor& tokens_BT, const at::Tensor& targets_BT) const;

    std::map<std::string, at::Tensor>& parameters() { return parameters_; }
    void zero_gradients();

private:
    const at::Tensor& get(const std::string& name) const { return parameters_.at(name); }
    at::Tensor attention(const std::string& prefix, const HeadGroup& group, const at::Tensor& y_BTD) const;

    ArchitectureSpec spec_;
    std::map<std::string, at::Tensor> parameters_;
};

// Muon and AdamW one parameter after the other, as in the paper's appendix C.
class PlainOptimizer {
public:
    PlainOptimizer(const TrainingSpec& training, const ParameterStore& store)
        : training_(training), store_(store) {}
    void step(PlainModel& model, double learning_rate);

private:
    TrainingSpec training_;
    const ParameterStore& store_;  // only for the update rule of each name
    std::map<std::string, at::Tensor> first_, second_;
    std::int64_t steps_ = 0;
};

}  // namespace braid
