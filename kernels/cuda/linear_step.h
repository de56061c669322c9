// One token of the scalar-decay recurrence (core/mixers/torch/linear_attention.h) on CUDA: the state is
// decayed, written to and read, in place.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace braid::kernels::cuda {

// Head h of sequence b is at data[b batch + h head]; its channels lie side by side.
struct StepHeads {
    __nv_bfloat16* data = nullptr;
    std::int64_t batch = 0;
    std::int64_t head = 0;
    int heads = 0;
};

struct LinearStep {
    int batch = 0;
    int states = 0;
    int key_dim = 0;
    int value_dim = 0;
    bool silu = false;   // of q, k and v
    bool unit = false;   // q and k divided by their length
    bool delta = false;  // the delta rule
    float scale = 1;
    StepHeads q, k, v, o;              // o: as many heads as there are states or queries, whichever is more
    const float* log_decay = nullptr;  // [B, S], or [S] where it is constant
    bool constant_decay = false;
    const float* beta = nullptr;  // [B, S]; null: 1
    const float* skip = nullptr;  // [S]; null: 0
    float* state = nullptr;       // [B, S, K, V]
};

bool linear_step_supports(int states, int readers, int key_dim, int value_dim);
cudaError_t linear_step(const LinearStep& p, cudaStream_t stream);

}  // namespace braid::kernels::cuda
