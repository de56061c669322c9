// Decays and strengths of writing of the recurrent mixers on CUDA (GateInput in core/mixers/torch/ops.h):
// dt = softplus(raw + bias), log g = max(-exp(min(A_log, 60)) dt, -100), strength = sigmoid(write).
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace braid::kernels::cuda {

// Element s of token t of sequence b is at data[b batch + t row + s].
struct GateColumns {
    const __nv_bfloat16* data = nullptr;
    std::int64_t batch = 0;
    std::int64_t row = 0;
};

struct Gates {
    GateColumns raw, write;                                          // write.data null: no strengths
    const float* a_log = nullptr;                                    // [states]
    const float* bias = nullptr;                                     // [states]
    float *dt = nullptr, *log_decay = nullptr, *strength = nullptr;  // [batch, tokens, states]
    std::int64_t batch = 0, tokens = 0;
    int states = 0;
};
cudaError_t recurrent_gates(const Gates& p, cudaStream_t stream);

}  // namespace braid::kernels::cuda
