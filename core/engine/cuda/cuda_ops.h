// Ops on one CUDA device: cuBLAS and ATen's attention kernels, and kernels/cuda for what lies between them.
#pragma once

#include <memory>

#include "core/mixers/torch/ops.h"

namespace braid {

// The device must exist and have capability 8.0 or newer.
std::shared_ptr<Ops> make_cuda_ops(int device, int capability);

}  // namespace braid
