// Every test of this folder compares the CUDA ops with the CPU ops in float64 on the same, bfloat16-rounded
// inputs and prints the relative RMS error beside its limit (core/mixers: conformance, point 7).
#pragma once

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/engine/ops.h"

namespace braid::testing {

// The CUDA ops, or null on a machine without a GPU.
std::shared_ptr<Ops> cuda_ops();

#define BRAID_NEEDS_CUDA()                       \
    if (::braid::testing::cuda_ops() == nullptr) \
    GTEST_SKIP() << "no CUDA device: this test has to be run on a GPU machine"

// Normal values rounded to bfloat16, as float64 on the CPU; a pure function of shape and seed.
at::Tensor values(std::vector<std::int64_t> shape, std::uint64_t seed, double scale = 1.0);
at::Tensor indices(std::vector<std::int64_t> shape, std::int64_t below, std::uint64_t seed);

// A copy on the GPU.
at::Tensor to_cuda(const at::Tensor& tensor, at::ScalarType type);

// |value - reference| / |reference|; infinite where either is not finite.
double relative_rms(const at::Tensor& value, const at::Tensor& reference);

// Prints "what: error 1.2e-3, limit 5e-3" and fails where the error is not below the limit.
void expect_close(const std::string& what, const at::Tensor& value, const at::Tensor& reference,
                  double limit);

}  // namespace braid::testing
