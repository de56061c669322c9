#include "core/engine/cuda/linear_kernels.h"

#include <array>

#include "core/engine/cuda/cuda_delta.h"
#include "core/engine/cuda/cuda_scan.h"
#include "core/engine/cuda/hopper_attention.h"
#include "core/engine/cuda/pointers.h"
#include "core/mixers/torch/ops.h"

namespace braid::cuda {
namespace {

bool everywhere(int) { return true; }
bool always(const LinearRule&, const LinearShape&) { return true; }

bool portable_applies(const LinearRule& rule, const LinearShape& shape) {
    return delta_supported(rule, shape) || scan_supported(rule, shape);
}
at::Tensor portable_boundaries(const LinearRule& rule, const LinearShape& shape, std::int64_t batch,
                               std::int64_t tokens, at::Device device) {
    return rule.delta ? delta_boundaries(shape, batch, tokens, device)
                      : portable_scan_boundaries(rule, shape, batch, tokens, device);
}
at::Tensor delta_scratch(const LinearInput& input, bool backward, Scratch& scratch) {
    const std::int64_t bytes =
        delta_scratch_bytes(shape_of(input), input.q_BTHK.size(0), input.q_BTHK.size(1), backward);
    return scratch("delta rule", bytes, at::kByte);
}
void portable_forward(const LinearRule& rule, const LinearInput& input, const at::Tensor& o_BTRV,
                      const at::Tensor& boundaries, const at::Tensor& last_BSKV, Scratch& scratch) {
    if (rule.delta)
        delta_forward(rule, input, o_BTRV, boundaries, last_BSKV, delta_scratch(input, false, scratch));
    else
        portable_scan_forward(rule, input, o_BTRV, boundaries, last_BSKV, scratch);
}
void portable_backward(const LinearRule& rule, const LinearInput& input, const at::Tensor& boundaries,
                       const at::Tensor& do_BTRV, const LinearGradient& gradient, Scratch& scratch) {
    if (rule.delta)
        delta_backward(rule, input, boundaries, do_BTRV, gradient, delta_scratch(input, true, scratch));
    else
        portable_scan_backward(rule, input, boundaries, do_BTRV, gradient, scratch);
}

// The preferred first. Those of Hopper are machine code of sm_90a, as its attention is.
constexpr std::array kernels = {
    LinearKernel{.name = "hopper",
                 .use = "a decay for each state (Lightning, Mamba-2); compute capability 9.0",
                 .exists = hopper_exists,
                 .applies = scan_supported,
                 .boundaries = hopper_scan_boundaries,
                 .forward = hopper_scan_forward,
                 .backward = hopper_scan_backward},
    LinearKernel{.name = "portable",
                 .use = "the same, and the delta rule (Gated DeltaNet); states of up to 64 x 64",
                 .exists = everywhere,
                 .applies = portable_applies,
                 .boundaries = portable_boundaries,
                 .forward = portable_forward,
                 .backward = portable_backward},
    LinearKernel{.name = "reference",
                 .use = "everything, by plain matrix products; slow",
                 .exists = everywhere,
                 .applies = always},
};

}  // namespace

std::span<const LinearKernel> linear_kernels() { return kernels; }

std::string text_of(const LinearRule& rule, const LinearShape& shape) {
    std::string text = std::to_string(shape.states);
    text.append(" states of ").append(std::to_string(shape.key_dim));
    text.append(" x ").append(std::to_string(shape.value_dim));
    return text + (rule.delta ? ", delta rule" : "");
}

const LinearKernel& choose_linear(std::string_view wanted, int capability, const LinearRule& rule,
                                  const LinearShape& shape) {
    std::string able;
    for (const LinearKernel& kernel : kernels) {
        const bool can = kernel.exists(capability) && kernel.applies(rule, shape);
        if (can && (wanted == "auto" || wanted == kernel.name)) return kernel;
        if (can) able.append(able.empty() ? "" : ", ").append(kernel.name);
    }
    std::string refusal = "kernels.recurrence: must be a kernel that knows this recurrence (";
    refusal.append(text_of(rule, shape)).append("): auto, ").append(able).append("; got ").append(wanted);
    throw KernelRefused(refusal);
}

}  // namespace braid::cuda
