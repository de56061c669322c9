// Tensors as kernels see them.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_bf16.h>

#include "core/mixers/torch/linear_attention.h"
#include "kernels/cuda/head_vectors.h"

namespace braid::cuda {

inline __nv_bfloat16* bf16_data(const at::Tensor& tensor) {
    return static_cast<__nv_bfloat16*>(tensor.mutable_data_ptr());
}
inline float* float_data(const at::Tensor& tensor) { return static_cast<float*>(tensor.mutable_data_ptr()); }
inline std::int64_t* int_data(const at::Tensor& tensor) {
    return static_cast<std::int64_t*>(tensor.mutable_data_ptr());
}
// Null for an undefined tensor.
inline float* float_or_null(const at::Tensor& tensor) {
    return tensor.defined() ? float_data(tensor) : nullptr;
}

inline std::int32_t* int32_or_null(const at::Tensor& tensor) {
    return tensor.defined() ? static_cast<std::int32_t*>(tensor.mutable_data_ptr()) : nullptr;
}

inline LinearShape shape_of(const LinearInput& input) {
    return {.states = input.log_decay_BTS.size(-1),
            .readers = input.q_BTHK.size(2),
            .key_dim = input.q_BTHK.size(3),
            .value_dim = input.v_BTJV.size(3)};
}

inline kernels::cuda::HeadVectors head_vectors(const at::Tensor& x_BTHK) {
    return {.data = bf16_data(x_BTHK),
            .batch = x_BTHK.stride(0),
            .row = x_BTHK.stride(1),
            .head = x_BTHK.stride(2),
            .heads = static_cast<int>(x_BTHK.size(2))};
}

inline cudaStream_t stream() { return c10::cuda::getCurrentCUDAStream(); }

}  // namespace braid::cuda
