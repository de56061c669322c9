// Row-major matrix products over cuBLAS on the current stream: bfloat16 operands, float32 accumulation.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace braid::cuda {

// c = a b^T + beta c; a [M, K], b [N, K], c [M, N] bfloat16 or float32.
void gemm_nt(const at::Tensor& a_MK, const at::Tensor& b_NK, const at::Tensor& c_MN, float beta);
// c = a b^T + added, all float32 but a and b; c and added are the same matrix or do not overlap. workspace:
// gemm_workspace bytes.
constexpr std::int64_t gemm_workspace = std::int64_t{32} << 20;
void gemm_nt_add(const at::Tensor& a_MK, const at::Tensor& b_NK, const at::Tensor& added_MN,
                 const at::Tensor& c_MN, const at::Tensor& workspace);
// c = a b; a [M, K], b [K, N], c [M, N].
void gemm_nn(const at::Tensor& a_MK, const at::Tensor& b_KN, const at::Tensor& c_MN, float beta);
// c = a^T b + beta c; a [K, M], b [K, N], c [M, N].
void gemm_tn(const at::Tensor& a_KM, const at::Tensor& b_KN, const at::Tensor& c_MN, float beta);

// Batches of contiguous matrices, bfloat16.
// gram = x x^T [n, R, R] for R <= C, else x^T x [n, C, C].
void batched_gram(const at::Tensor& x_nRC, const at::Tensor& gram_nSS);
// c = alpha a a + beta c for symmetric a [n, S, S].
void batched_square(const at::Tensor& a_nSS, float alpha, const at::Tensor& c_nSS, float beta);
// c = b x + beta c for R <= C, else x b + beta c; b symmetric [n, S, S].
void batched_apply(const at::Tensor& b_nSS, const at::Tensor& x_nRC, const at::Tensor& c_nRC, float beta);

}  // namespace braid::cuda
