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

    // Of the updates that follow.
    void set_learning_rate(double learning_rate);
    // One update from the gradients as they were measured last; they are not cleared. Nothing changes where
    // their norm or loss_sum (which may be undefined) is not finite: applied() is 0 then. No host
    // synchronisation, no number of the host: it can be recorded together with measure_gradients().
    void update(const at::Tensor& loss_sum = {});
    // Measures, sets the rate, updates.
    void step(double learning_rate);

    // Of the last update: a 0-dim device tensor, 1 or 0.
    at::Tensor applied() const;
    // Updates that were applied. The host waits for the device.
    std::int64_t steps_done() const;

    // Everything a checkpoint needs beside the parameters: named flat tensors (views of the optimizer's own,
    // so a reader copies into them) and steps_done().
    std::vector<std::pair<std::string, at::Tensor>> state() const;
    void set_steps_done(std::int64_t steps);

private:
    ParameterStore& store_;
    Ops& ops_;
    MuonRule muon_;
    AdamwRule adamw_;
    double weight_decay_ = 0;
    double max_norm_ = 0;
    OptimizerTensors tensors_;
    at::Tensor scalars_;
    at::Tensor steps_done_;  // int64 [1]
};

}  // namespace braid
