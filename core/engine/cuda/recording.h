// Work of the device, recorded as a CUDA graph.
#pragma once

#include <c10/cuda/CUDAStream.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/mixers/torch/ops.h"

namespace braid::cuda {

// Ops::record(), on a stream that records nothing else at the time; one for all recordings of a device, as
// cuBLAS keeps memory for each stream it has seen. Memory that `work` asks for and gives back comes from a
// pool of the recording; `kept`, filled while `work` runs or before, is what else the recording works on and
// nobody else may keep.
std::unique_ptr<Recording> record_graph(const c10::cuda::CUDAStream& side, const std::function<void()>& work,
                                        const std::shared_ptr<std::vector<at::Tensor>>& kept);

}  // namespace braid::cuda
