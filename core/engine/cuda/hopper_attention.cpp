#include "core/engine/cuda/hopper_attention.h"

#include "core/engine/cuda/check.h"
#include "core/engine/cuda/pointers.h"
#include "kernels/cuda/hopper_attention.h"

namespace braid::cuda {
namespace {

namespace kc = kernels::cuda;

kc::HopperAttention call_of(const AttentionCase& c, const AttentionRule& rule, const at::Tensor& q_BTHK,
                            const at::Tensor& k_BTGK, const at::Tensor& v_BTGK, const at::Tensor& sink_H) {
    kc::HopperAttention call{.batch = static_cast<int>(c.batch),
                             .tokens = static_cast<int>(c.tokens),
                             .heads = static_cast<int>(c.heads),
                             .kv_heads = static_cast<int>(c.kv_heads),
                             .window = static_cast<int>(c.window),
                             .scale = static_cast<float>(rule.scale),
                             .q = head_vectors(q_BTHK),
                             .k = head_vectors(k_BTGK),
                             .v = head_vectors(v_BTGK),
                             .sink = sink_H.defined() ? bf16_data(sink_H) : nullptr};
    if (c.documents) {
        call.starts = rule.documents.starts_BT.const_data_ptr<std::int32_t>();
        call.bounds = rule.documents.bounds.const_data_ptr<std::int32_t>();
        call.documents = static_cast<int>(rule.documents.bounds.numel()) - 1;
    }
    return call;
}

}  // namespace

// The kernels are machine code of sm_90a, which no other device runs.
bool hopper_exists(int capability) { return capability == 90; }

bool hopper_applies(const AttentionCase& c) { return c.head_dim == 64 && c.aligned && !c.deterministic; }

void hopper_attention(const AttentionCase& c, const AttentionForward& call, AttentionTools&) {
    check(kc::hopper_attention(
              {.call = call_of(c, call.rule, call.q_BTHK, call.k_BTGK, call.v_BTGK, call.sink_H),
               .o = head_vectors(call.o_BTHK),
               .lse = float_data(call.lse_BHT)},
              stream()),
          "hopper_attention");
}

void hopper_attention_backward(const AttentionCase& c, const AttentionBackward& call, AttentionTools& tools) {
    const kc::HopperAttention forward =
        call_of(c, call.rule, call.q_BTHK, call.k_BTGK, call.v_BTGK, call.sink_H);
    const RopeTable turned = c.turned_whole ? call.rule.turned : RopeTable();
    check(kc::hopper_attention_backward(
              {.call = forward,
               .o = head_vectors(call.o_BTHK),
               .d_o = head_vectors(call.do_BTHK),
               .lse = float_data(call.lse_BHT),
               .dq = head_vectors(call.dq_BTHK),
               .dk = head_vectors(call.dk_BTGK),
               .dv = head_vectors(call.dv_BTGK),
               .cos = turned.cos_TK2.defined() ? float_data(turned.cos_TK2) : nullptr,
               .sin = turned.sin_TK2.defined() ? float_data(turned.sin_TK2) : nullptr,
               .dsink = call.sink_H.defined() ? float_data(call.dsink_H) : nullptr,
               .scratch =
                   float_data(tools.scratch("attention", kc::hopper_attention_scratch(forward), at::kFloat))},
              stream()),
          "hopper_attention_backward");
}

}  // namespace braid::cuda
