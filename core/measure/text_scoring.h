// Losses of a set of sequences, with progress.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/data/batch.h"
#include "core/engine/model.h"

namespace braid {

// [B, T] row-major as text_losses() gives it. go_on(fraction done) is asked between sequences; false stops.
// Errors: interrupted, out_of_memory.
Result<std::vector<float>> batch_losses(Model& model, const Batch& batch,
                                        const std::function<bool(double fraction)>& go_on = {},
                                        std::span<const std::int32_t> starts_BT = {});

}  // namespace braid
