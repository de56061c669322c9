#include "core/engine/cuda/blas.h"

#include <ATen/cuda/CUDAContext.h>
#include <cublasLt.h>
#include <cublas_v2.h>

#include <map>
#include <memory>
#include <mutex>

#include <array>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace braid::cuda {
namespace {

void check_blas(cublasStatus_t status, const char* what) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(status));
}

cudaDataType_t data_type(const at::Tensor& tensor) {
    return tensor.scalar_type() == at::kBFloat16 ? CUDA_R_16BF : CUDA_R_32F;
}

// cuBLAS is column-major: a row-major [M, N] is its [N, M], so operands change places.
void gemm(cublasOperation_t op_first, cublasOperation_t op_second, std::int64_t m, std::int64_t n,
          std::int64_t k, const at::Tensor& first, std::int64_t ld_first, const at::Tensor& second,
          std::int64_t ld_second, const at::Tensor& c, float beta) {
    const float alpha = 1.0F;
    check_blas(cublasGemmEx(at::cuda::getCurrentCUDABlasHandle(), op_first, op_second, static_cast<int>(m),
                            static_cast<int>(n), static_cast<int>(k), &alpha, first.const_data_ptr(),
                            data_type(first), static_cast<int>(ld_first), second.const_data_ptr(),
                            data_type(second), static_cast<int>(ld_second), &beta, c.mutable_data_ptr(),
                            data_type(c), static_cast<int>(m), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
               "cublasGemmEx");
}

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

void gemm_nt(const at::Tensor& a_MK, const at::Tensor& b_NK, const at::Tensor& c_MN, float beta) {
    const std::int64_t k = a_MK.size(1);
    gemm(CUBLAS_OP_T, CUBLAS_OP_N, c_MN.size(1), c_MN.size(0), k, b_NK, k, a_MK, k, c_MN, beta);
}

namespace {

template <class T, cublasStatus_t (*Destroy)(T)>
struct Destroyer {
    void operator()(T handle) const { Destroy(handle); }
};
template <class T, cublasStatus_t (*Destroy)(T)>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, Destroyer<T, Destroy>>;
using Operation = Handle<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Layout = Handle<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Handle<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

Layout layout(cudaDataType_t type, std::int64_t rows, std::int64_t cols) {
    cublasLtMatrixLayout_t made = nullptr;
    check_blas(cublasLtMatrixLayoutCreate(&made, type, std::uint64_t(rows), std::uint64_t(cols), rows),
               "cublasLtMatrixLayoutCreate");
    return Layout(made);
}

// A product whose result goes elsewhere than what is added to it, which cublasGemmEx does not know. What it
// takes to run one of a shape is found once.
struct AddedProduct {
    Operation operation;
    Layout first, second, sum;
    cublasLtMatmulAlgo_t algorithm = {};
};

AddedProduct added_product(cublasLtHandle_t handle, std::int64_t m, std::int64_t n, std::int64_t k) {
    AddedProduct p;
    cublasLtMatmulDesc_t operation = nullptr;
    check_blas(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F),
               "cublasLtMatmulDescCreate");
    p.operation.reset(operation);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    check_blas(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                              sizeof(transposed)),
               "cublasLtMatmulDescSetAttribute");
    p.first = layout(CUDA_R_16BF, k, n);
    p.second = layout(CUDA_R_16BF, k, m);
    p.sum = layout(CUDA_R_32F, n, m);
    cublasLtMatmulPreference_t made = nullptr;
    check_blas(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
    const Preference preference(made);
    const std::size_t workspace = gemm_workspace;
    check_blas(cublasLtMatmulPreferenceSetAttribute(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                    &workspace, sizeof(workspace)),
               "cublasLtMatmulPreferenceSetAttribute");
    cublasLtMatmulHeuristicResult_t found = {};
    int count = 0;
    check_blas(cublasLtMatmulAlgoGetHeuristic(handle, operation, p.first.get(), p.second.get(), p.sum.get(),
                                              p.sum.get(), made, 1, &found, &count),
               "cublasLtMatmulAlgoGetHeuristic");
    if (count == 0) throw std::runtime_error("cublasLtMatmulAlgoGetHeuristic: no algorithm for this shape");
    p.algorithm = found.algo;
    return p;
}

}  // namespace

void gemm_nt_add(const at::Tensor& a_MK, const at::Tensor& b_NK, const at::Tensor& added_MN,
                 const at::Tensor& c_MN, const at::Tensor& workspace) {
    static std::mutex mutex;
    static std::map<std::array<std::int64_t, 4>, AddedProduct> known;
    const std::int64_t m = c_MN.size(0), n = c_MN.size(1), k = a_MK.size(1);
    const std::lock_guard guard(mutex);
    const cublasLtHandle_t handle = at::cuda::getCurrentCUDABlasLtHandle();
    const std::array<std::int64_t, 4> key = {a_MK.get_device(), m, n, k};
    auto found = known.find(key);
    if (found == known.end()) {
        constexpr std::size_t kept = 256;  // texts of many lengths have a shape each
        if (known.size() >= kept) known.clear();
        found = known.emplace(key, added_product(handle, m, n, k)).first;
    }
    const AddedProduct& p = found->second;
    const float one = 1.0F;
    check_blas(cublasLtMatmul(handle, p.operation.get(), &one, b_NK.const_data_ptr(), p.first.get(),
                              a_MK.const_data_ptr(), p.second.get(), &one, added_MN.const_data_ptr(),
                              p.sum.get(), c_MN.mutable_data_ptr(), p.sum.get(), &p.algorithm,
                              workspace.mutable_data_ptr(), gemm_workspace, at::cuda::getCurrentCUDAStream()),
               "cublasLtMatmul");
}

void gemm_nn(const at::Tensor& a_MK, const at::Tensor& b_KN, const at::Tensor& c_MN, float beta) {
    const std::int64_t k = a_MK.size(1);
    gemm(CUBLAS_OP_N, CUBLAS_OP_N, c_MN.size(1), c_MN.size(0), k, b_KN, b_KN.size(1), a_MK, k, c_MN, beta);
}

void gemm_tn(const at::Tensor& a_KM, const at::Tensor& b_KN, const at::Tensor& c_MN, float beta) {
    gemm(CUBLAS_OP_N, CUBLAS_OP_T, c_MN.size(1), c_MN.size(0), a_KM.size(0), b_KN, b_KN.size(1), a_KM,
         a_KM.size(1), c_MN, beta);
}

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
