// Batches of small matrix products over cuBLAS on the current stream, row-major: bfloat16, float32 sums.
#pragma once

#include <ATen/core/Tensor.h>
#include <cublas_v2.h>

namespace braid::cuda {

void check_blas(cublasStatus_t status, const char* what);
// Of a bfloat16 or float32 tensor.
cudaDataType_t data_type(const at::Tensor& tensor);

// Batches of contiguous matrices, bfloat16.
// gram = x x^T [n, R, R] for R <= C, else x^T x [n, C, C].
void batched_gram(const at::Tensor& x_nRC, const at::Tensor& gram_nSS);
// c = alpha a a + beta c for symmetric a [n, S, S].
void batched_square(const at::Tensor& a_nSS, float alpha, const at::Tensor& c_nSS, float beta);
// c = b x + beta c for R <= C, else x b + beta c; b symmetric [n, S, S].
void batched_apply(const at::Tensor& b_nSS, const at::Tensor& x_nRC, const at::Tensor& c_nRC, float beta);

}  // namespace braid::cuda
