#include "core/engine/cuda/attention_kernels.h"

#include <array>

#include "core/engine/cuda/hopper_attention.h"
#include "core/engine/cuda/library_attention.h"
#include "core/engine/cuda/reference_attention.h"

namespace braid::cuda {
namespace {

bool everywhere(int) { return true; }
bool always(const AttentionCase&) { return true; }

// Quicker than flash for long causal attention (13.2 against 20.6 ms at T = 16,384); it has no window here,
// and its backward pass adds in no fixed order.
bool cudnn_applies(const AttentionCase& c) {
    return !c.deterministic && !c.documents && c.window == 0 && c.tokens >= 1024 && c.tokens % 64 == 0 &&
           (c.head_dim == 64 || c.head_dim == 128);
}

bool flash_applies(const AttentionCase& c) { return flash_knows(c.head_dim); }

bool aligned(const at::Tensor& x_BTHK) {
    constexpr std::int64_t piece = 16;
    const auto fits = [&](std::int64_t stride) { return stride * x_BTHK.element_size() % piece == 0; };
    return reinterpret_cast<std::uintptr_t>(x_BTHK.const_data_ptr()) % piece == 0 && fits(x_BTHK.stride(0)) &&
           fits(x_BTHK.stride(1)) && fits(x_BTHK.stride(2));
}

// The preferred first.
constexpr std::array kernels = {
    AttentionKernel{.name = "hopper",
                    .use = "windows, documents; heads of 64, not deterministic; compute capability 9.0",
                    .exists = hopper_exists,
                    .applies = hopper_applies,
                    .forward = hopper_attention,
                    .backward = hopper_attention_backward,
                    .turns_back = true},
    AttentionKernel{.name = "cudnn",
                    .use = "all keys, from 1,024 tokens, heads of 64 or 128, not deterministic",
                    .exists = everywhere,
                    .applies = cudnn_applies,
                    .forward = cudnn_attention,
                    .backward = cudnn_attention_backward},
    AttentionKernel{.name = "flash",
                    .use = "windows, documents, deterministic; heads of up to 256",
                    .exists = everywhere,
                    .applies = flash_applies,
                    .forward = flash_attention,
                    .backward = flash_attention_backward},
    AttentionKernel{.name = "reference",
                    .use = "everything, in float32 by plain matrix products; slow",
                    .exists = everywhere,
                    .applies = always,
                    .forward = reference_attention,
                    .backward = reference_attention_backward},
};

}  // namespace

std::span<const AttentionKernel> attention_kernels() { return kernels; }

AttentionCase attention_case(int capability, bool deterministic, const AttentionRule& rule,
                             const at::Tensor& q_BTHK, const at::Tensor& k_BTGK, const at::Tensor& sink_H) {
    const std::int64_t tokens = q_BTHK.size(1);
    return {
        .capability = capability,
        .batch = q_BTHK.size(0),
        .tokens = tokens,
        .heads = q_BTHK.size(2),
        .kv_heads = k_BTGK.size(2),
        .head_dim = q_BTHK.size(3),
        .window = rule.window < tokens ? rule.window : 0,
        .sink = sink_H.defined(),
        .documents = rule.documents.defined(),
        .deterministic = deterministic,
        .aligned = aligned(q_BTHK) && aligned(k_BTGK),
        .turned_whole = rule.turned.cos_TK2.defined() && 2 * rule.turned.cos_TK2.size(1) == q_BTHK.size(3)};
}

std::string text_of(const AttentionCase& c) {
    std::string text = std::to_string(c.tokens) + " tokens, ";
    text += c.window > 0 ? "window " + std::to_string(c.window) : std::string("all keys");
    text.append(", ").append(std::to_string(c.heads)).append("/").append(std::to_string(c.kv_heads));
    text.append(" heads of ").append(std::to_string(c.head_dim));
    if (c.sink) text += ", sink";
    if (c.documents) text += ", documents";
    return text;
}

const AttentionKernel& choose_attention(std::string_view wanted, const AttentionCase& c) {
    std::string able;
    for (const AttentionKernel& kernel : kernels) {
        const bool can = kernel.exists(c.capability) && kernel.applies(c);
        if (can && (wanted == "auto" || wanted == kernel.name)) return kernel;
        if (can) able.append(able.empty() ? "" : ", ").append(kernel.name);
    }
    std::string refusal = "kernels.attention: must be a kernel that knows this attention (";
    refusal.append(text_of(c)).append(c.deterministic ? ", deterministic): auto, " : "): auto, ");
    refusal.append(able).append("; got ").append(wanted);
    throw KernelRefused(refusal);
}

}  // namespace braid::cuda
