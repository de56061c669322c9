// Softmax attention on CUDA has several kernels: one list of them, the preferred first. "auto" takes the
// first that can compute a call, kernels.attention forces one by its name. A new kernel is one line of the
// list in attention_kernels.cpp, two functions, and its name among the choices of kernels.attention.
//
// Shape letters as in core/mixers/torch/ops.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/engine/cuda/scratch.h"
#include "core/mixers/torch/ops.h"

namespace braid::cuda {

// What a kernel is chosen by.
struct AttentionCase {
    int capability = 0;  // of the device: 90 is sm_90
    std::int64_t batch = 0;
    std::int64_t tokens = 0;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t head_dim = 0;
    std::int64_t window = 0;  // less than tokens; 0: all keys before
    bool sink = false;
    bool documents = false;      // several in a sequence, kept apart
    bool deterministic = false;  // sums must have one order
    bool aligned = true;         // q, k and their strides: multiples of 16 bytes
    bool turned_whole = false;   // all channels of q and k by rule.turned
};
AttentionCase attention_case(int capability, bool deterministic, const AttentionRule& rule,
                             const at::Tensor& q_BTHK, const at::Tensor& k_BTGK, const at::Tensor& sink_H);
// "16384 tokens, window 512, 12/2 heads of 64, sink"
std::string text_of(const AttentionCase& c);

// As Ops::attention() and Ops::attention_backward() get them.
struct AttentionForward {
    const AttentionRule& rule;
    const at::Tensor &q_BTHK, &k_BTGK, &v_BTGK, &sink_H, &o_BTHK, &lse_BHT;
};
struct AttentionBackward {
    const AttentionRule& rule;
    const at::Tensor &do_BTHK, &q_BTHK, &k_BTGK, &v_BTGK, &sink_H, &o_BTHK, &lse_BHT, &dq_BTHK, &dk_BTGK,
        &dv_BTGK, &dsink_H;
};

// What kernels may use while they run.
struct AttentionTools {
    Scratch& scratch;
    const at::Tensor& seed;  // int64 [2]: no dropout, but kernels of LibTorch ask for random state
};

struct AttentionKernel {
    const char* name;  // of kernels.attention
    const char* use;   // when it can be taken, for doctor
    bool (*exists)(int capability);
    bool (*applies)(const AttentionCase&);  // asked only where it exists
    void (*forward)(const AttentionCase&, const AttentionForward&, AttentionTools&);
    void (*backward)(const AttentionCase&, const AttentionBackward&, AttentionTools&);
    bool turns_back = false;  // backward() does as rule.turned asks where heads are turned whole
};
std::span<const AttentionKernel> attention_kernels();

// "auto" or a name. Throws KernelRefused where that kernel cannot compute the case.
const AttentionKernel& choose_attention(std::string_view wanted, const AttentionCase& c);

}  // namespace braid::cuda
