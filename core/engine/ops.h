// Devices that a model can run on. The interface itself is core/mixers/torch/ops.h, below the mixers that use
// it.
#pragma once

#include <memory>

#include "core/base/error.h"
#include "core/mixers/torch/ops.h"

namespace braid {

// kernels/cpu and ATen on at::get_num_threads() threads; type is at::kFloat, or at::kDouble for references.
std::shared_ptr<Ops> make_cpu_ops(at::ScalarType type = at::kFloat);

}  // namespace braid
