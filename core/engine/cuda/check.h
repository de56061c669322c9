// A failed CUDA or cuBLAS call is an exception here; the engine's guards make an Error of it.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace braid::cuda {

inline void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace braid::cuda
