// Clipping, Muon and AdamW on CUDA over flat float32 storage. Per-step numbers are read on the device, so
// that a captured step can be replayed.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace braid::kernels::cuda {

// out[norm_index] = |x|_2; out[clip_index] = min(1, max_norm / norm), 1 for max_norm 0. `partial` holds
// norm_blocks() floats.
int norm_blocks();
struct NormAndClip {
    const float* x = nullptr;
    std::int64_t n = 0;
    float max_norm = 0;
    float* partial = nullptr;
    float* norm = nullptr;
    float* clip = nullptr;
};
cudaError_t norm_and_clip(const NormAndClip& p, cudaStream_t stream);

// Whether an update happens: where loss (null: no matter) and norm are finite it is counted and the bias
// corrections are those of so many updates. applied becomes 1 or 0.
struct BeginUpdate {
    const float* loss = nullptr;
    const float* norm = nullptr;
    std::int64_t* updates = nullptr;
    float* applied = nullptr;
    float* bias_correction1 = nullptr;  // 1 - beta1^updates
    float* bias_correction2 = nullptr;
    double beta1 = 0.9, beta2 = 0.95;
};
cudaError_t begin_update(const BeginUpdate& p, cudaStream_t stream);

// Below, `applied` 0 leaves everything as it is.

// Matrices of one shape inside flat storage; matrix i starts at offsets[i].
struct MuonPrepare {
    const float* gradients = nullptr;
    float* momentum = nullptr;
    const std::int64_t* offsets = nullptr;  // [matrices]
    const float* clip = nullptr;            // factor on the gradients
    const float* applied = nullptr;
    __nv_bfloat16* update = nullptr;  // [matrices, size]: Nesterov update divided by its norm + 1e-7
    float* square_sums = nullptr;     // scratch: [matrices, muon_blocks(size)]
    std::int64_t matrices = 0;
    std::int64_t size = 0;  // rows * cols
    float mu = 0.95F;
};
int muon_blocks(std::int64_t size);
cudaError_t muon_prepare(const MuonPrepare& p, cudaStream_t stream);

// As muon_prepare's last step alone: divides each of the matrices by its Frobenius norm + 1e-7.
struct Normalise {
    __nv_bfloat16* x = nullptr;    // [matrices, size]
    float* square_sums = nullptr;  // scratch
    std::int64_t matrices = 0;
    std::int64_t size = 0;
};
cudaError_t normalise(const Normalise& p, cudaStream_t stream);

struct MuonApply {
    const __nv_bfloat16* update = nullptr;
    float* values = nullptr;
    __nv_bfloat16* compute = nullptr;
    const std::int64_t* offsets = nullptr;
    const float* learning_rate = nullptr;
    const float* applied = nullptr;
    std::int64_t matrices = 0;
    std::int64_t size = 0;
    float update_scale = 1;  // 0.2 sqrt(max(rows, cols))
    float weight_decay = 0;
};
cudaError_t muon_apply(const MuonApply& p, cudaStream_t stream);

struct AdamW {
    const float* gradients = nullptr;
    float* values = nullptr;
    __nv_bfloat16* compute = nullptr;
    float* exp_avg = nullptr;
    float* exp_avg_sq = nullptr;
    std::int64_t n = 0;
    const float* learning_rate = nullptr;
    const float* bias_correction1 = nullptr;
    const float* bias_correction2 = nullptr;
    const float* clip = nullptr;
    const float* applied = nullptr;
    float beta1 = 0.9F, beta2 = 0.95F, eps = 1e-8F, weight_decay = 0;
};
cudaError_t adamw(const AdamW& p, cudaStream_t stream);

}  // namespace braid::kernels::cuda
