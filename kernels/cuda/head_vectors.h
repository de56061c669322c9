// Vectors of all heads of a batch of sequences, as kernels get them.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace braid::kernels::cuda {

// Element i of head h of token t of sequence b is at data[b batch + t row + h head + i].
struct HeadVectors {
    __nv_bfloat16* data = nullptr;
    std::int64_t batch = 0;
    std::int64_t row = 0;
    std::int64_t head = 0;
    int heads = 0;
};

}  // namespace braid::kernels::cuda
