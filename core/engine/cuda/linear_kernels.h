// Recurrences on CUDA have several kernels: one list of them, the preferred first, as attention_kernels.h has
// those of attention. "auto" takes the first that can compute a call, kernels.recurrence forces one by its
// name. A new kernel is one line of the list in linear_kernels.cpp, three functions, and its name among the
// choices of kernels.recurrence.
#pragma once

#include <span>
#include <string_view>

#include "core/engine/cuda/scratch.h"
#include "core/mixers/torch/linear_attention.h"

namespace braid::cuda {

// As Ops::linear_boundaries(), linear_attention() and linear_attention_backward(). Boundaries of one kernel
// are no other's. Without functions: the Ops' own form.
struct LinearKernel {
    const char* name;  // of kernels.recurrence
    const char* use;   // when it can be taken, for doctor
    bool (*exists)(int capability);
    bool (*applies)(const LinearRule&, const LinearShape&);
    at::Tensor (*boundaries)(const LinearRule&, const LinearShape&, std::int64_t batch, std::int64_t tokens,
                             at::Device) = nullptr;
    void (*forward)(const LinearRule&, const LinearInput&, const at::Tensor& o_BTRV,
                    const at::Tensor& boundaries, const at::Tensor& last_BSKV, Scratch&) = nullptr;
    void (*backward)(const LinearRule&, const LinearInput&, const at::Tensor& boundaries,
                     const at::Tensor& do_BTRV, const LinearGradient&, Scratch&) = nullptr;
};
std::span<const LinearKernel> linear_kernels();

// "auto" or a name. Throws KernelRefused where that kernel cannot compute it.
const LinearKernel& choose_linear(std::string_view wanted, int capability, const LinearRule& rule,
                                  const LinearShape& shape);
// "12 states of 64 x 64", "2 states of 46 x 46, delta rule"
std::string text_of(const LinearRule& rule, const LinearShape& shape);

}  // namespace braid::cuda
