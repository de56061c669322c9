#include "core/engine/cuda/blas.h"

#include <ATen/cuda/CUDAContext.h>

#include <stdexcept>
#include <string>

namespace braid::cuda {

void check_blas(cublasStatus_t status, const char* what) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(status));
}

cudaDataType_t data_type(const at::Tensor& tensor) {
    return tensor.scalar_type() == at::kBFloat16 ? CUDA_R_16BF : CUDA_R_32F;
}

namespace {

// cuBLAS is column-major: a row-major [M, N] is its [N, M], so operands change places.
void batched_gemm(cublasOperation_t op_first, cublasOperation_t op_second, std::int64_t m, std::int64_t n,
                  std::int64_t k, float alpha, const at::Tensor& first, std::int64_t ld_first,
                  const at::Tensor& second, std::int64_t ld_second, const at::Tensor& c, float beta) {
    check_blas(cublasGemmStridedBatchedEx(
                   at::cuda::getCurrentCUDABlasHandle(), op_first, op_second, static_cast<int>(m),
                   static_cast<int>(n), static_cast<int>(k), &alpha, first.const_data_ptr(), data_type(first),
                   static_cast<int>(ld_first), first.size(1) * first.size(2), second.const_data_ptr(),
                   data_type(second), static_cast<int>(ld_second), second.size(1) * second.size(2), &beta,
                   c.mutable_data_ptr(), data_type(c), static_cast<int>(m), c.size(1) * c.size(2),
                   static_cast<int>(c.size(0)), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
               "cublasGemmStridedBatchedEx");
}

}  // namespace

void batched_gram(const at::Tensor& x_nRC, const at::Tensor& gram_nSS) {
    const std::int64_t rows = x_nRC.size(1);
    const std::int64_t cols = x_nRC.size(2);
    if (rows <= cols)
        batched_gemm(CUBLAS_OP_T, CUBLAS_OP_N, rows, rows, cols, 1, x_nRC, cols, x_nRC, cols, gram_nSS, 0);
    else
        batched_gemm(CUBLAS_OP_N, CUBLAS_OP_T, cols, cols, rows, 1, x_nRC, cols, x_nRC, cols, gram_nSS, 0);
}

void batched_square(const at::Tensor& a_nSS, float alpha, const at::Tensor& c_nSS, float beta) {
    const std::int64_t s = a_nSS.size(1);
    batched_gemm(CUBLAS_OP_N, CUBLAS_OP_N, s, s, s, alpha, a_nSS, s, a_nSS, s, c_nSS, beta);
}

void batched_apply(const at::Tensor& b_nSS, const at::Tensor& x_nRC, const at::Tensor& c_nRC, float beta) {
    const std::int64_t rows = x_nRC.size(1);
    const std::int64_t cols = x_nRC.size(2);
    const std::int64_t s = b_nSS.size(1);
    if (rows <= cols)
        batched_gemm(CUBLAS_OP_N, CUBLAS_OP_N, cols, rows, rows, 1, x_nRC, cols, b_nSS, s, c_nRC, beta);
    else
        batched_gemm(CUBLAS_OP_N, CUBLAS_OP_N, cols, rows, cols, 1, b_nSS, s, x_nRC, cols, c_nRC, beta);
}

}  // namespace braid::cuda
