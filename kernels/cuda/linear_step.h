// One token of the scalar-decay recurrence (core/mixers/torch/linear_attention.h) on CUDA: the state is
// decayed, written to and read, in place.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/head_vectors.h"

namespace braid::kernels::cuda {

struct LinearStep {
    int batch = 0;
    int states = 0;
    int key_dim = 0;
    int value_dim = 0;
    bool silu = false;   // of q, k and v
    bool unit = false;   // q and k divided by their length
    bool delta = false;  // the delta rule
    float scale = 1;
    HeadVectors q, k, v, o;  // of one row; o: as many heads as there are states or queries, whichever is more
    const float* log_decay = nullptr;  // [B, S], or [S] where it is constant
    bool constant_decay = false;
    const float* beta = nullptr;  // [B, S]; null: 1
    const float* skip = nullptr;  // [S]; null: 0
    float* state = nullptr;       // [B, S, K, V]
};

bool linear_step_supports(int states, int readers, int key_dim, int value_dim);
cudaError_t linear_step(const LinearStep& p, cudaStream_t stream);

}  // namespace braid::kernels::cuda
