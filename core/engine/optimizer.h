// Muon on hidden matrices, AdamW on the rest, after clipping by the global norm (paper, appendix C).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/ops.h"
#include "core/engine/parameter_store.h"
#include "core/spec/training.h"

namespace braid {

class Optimizer {
public:
    // Takes the rules from `training`; `store` and `ops` must outlive the optimizer.
    Optimizer(const TrainingSpec& training, ParameterStore& store, Ops& ops);

    // Weight decay and clipping of the next phase; the moments stay.
    void set_rules(const TrainingSpec& training);

    // Norm and clip factor of the gradients as they are. No host synchronisation.
    void measure_gradients();
    // Norm before clipping that was measured last: a 0-dim device tensor; item() synchronises.
    at::Tensor gradient_norm() const;

    // One update from the gradients, measured here unless measure_gradients() was called since the last step;
    // they are not cleared. No host synchronisation.
    void step(double learning_rate);
    std::int64_t steps_done() const { return steps_done_; }

    // Everything a checkpoint needs beside the parameters: named flat tensors (views of the optimizer's own,
    // so a reader copies into them) and steps_done().
    std::vector<std::pair<std::string, at::Tensor>> state() const;
    void set_steps_done(std::int64_t steps) { steps_done_ = steps; }

private:
    ParameterStore& store_;
    Ops& ops_;
    MuonRule muon_;
    AdamwRule adamw_;
    double weight_decay_ = 0;
    double max_norm_ = 0;
    OptimizerTensors tensors_;
    at::Tensor scalars_;
    std::int64_t steps_done_ = 0;
    bool measured_ = false;
};

}  // namespace braid
