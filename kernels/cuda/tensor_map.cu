// Descriptions of arrays for the tensor copy engine. The driver makes them; it is asked at run time, so that
// nothing links against it.
#include <algorithm>

#include "kernels/cuda/hopper_attention_tile.cuh"

namespace braid::kernels::cuda::hopper {
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

Encode encoder() {
    static const Encode found = [] {
        void* function = nullptr;
        cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
        const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                                   cudaEnableDefault, &result);
        return error == cudaSuccess && result == cudaDriverEntryPointSuccess
                   ? reinterpret_cast<Encode>(function)
                   : nullptr;
    }();
    return found;
}

}  // namespace

cudaError_t tensor_map(const HeadVectors& x, int batch, int tokens, int box_tokens, int box_heads,
                       CUtensorMap* map) {
    if (encoder() == nullptr) return cudaErrorNotSupported;
    const cuuint64_t sizes[4] = {head_dim, static_cast<cuuint64_t>(tokens), static_cast<cuuint64_t>(x.heads),
                                 static_cast<cuuint64_t>(batch)};
    // The stride of a dimension of one may be anything; the engine wants multiples of 16 bytes.
    const auto bytes = [](std::int64_t stride, int size) {
        return static_cast<cuuint64_t>(size > 1 ? stride * 2 : row_bytes);
    };
    const cuuint64_t strides[3] = {bytes(x.row, tokens), bytes(x.head, x.heads), bytes(x.batch, batch)};
    const cuuint32_t box[4] = {head_dim, static_cast<cuuint32_t>(box_tokens),
                               static_cast<cuuint32_t>(box_heads), 1};
    const cuuint32_t steps[4] = {1, 1, 1, 1};
    const CUresult result = encoder()(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, x.data, sizes, strides, box,
                                      steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace braid::kernels::cuda::hopper
