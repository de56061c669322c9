// Documents of a batch that are kept apart, as operations want them.
#pragma once

#include "core/mixers/torch/ops.h"

namespace braid {

// starts_BT: int32 on the CPU, where in its sequence the document of each token begins (core/data/batch.h,
// document_starts()); undefined gives undefined.
Documents documents_of(const at::Tensor& starts_BT, at::Device device);

}  // namespace braid
