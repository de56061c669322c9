// The gradients of a step summed over the ranks, while the last micro-batch still goes backward.
#pragma once

#include <cstddef>
#include <vector>

#include "core/engine/model.h"
#include "core/engine/parallel/collective.h"
#include "core/engine/parallel/gradient_buckets.h"

namespace braid {

class GradientSum {
public:
    // Both outlive it. With BRAID_NO_OVERLAP in the environment all sums begin behind the backward pass: for
    // measuring what overlap is worth.
    GradientSum(Collective& collective, const Model& model);

    // For Model::forward_backward() of the step's last micro-batch.
    Model::StageDone during_backward();
    // Begins what is left, Model::loss_sum() with it; all sums are complete for what the device does next.
    void finish();

private:
    void begin_until(std::int64_t stage);

    Collective& collective_;
    const Model& model_;
    bool overlap_;
    std::vector<GradientBucket> buckets_;
    std::size_t next_ = 0;
};

}  // namespace braid
