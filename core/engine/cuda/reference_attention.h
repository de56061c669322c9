// The obvious form of attention: core/mixers/torch/plain_attention.h, in float32.
#pragma once

#include "core/engine/cuda/attention_kernels.h"
#include "core/mixers/torch/plain_attention.h"

namespace braid::cuda {

inline void reference_attention(const AttentionCase&, const AttentionForward& call, AttentionTools&) {
    plain_attention(call.rule, call.q_BTHK, call.k_BTGK, call.v_BTGK, call.sink_H, call.o_BTHK, call.lse_BHT);
}
inline void reference_attention_backward(const AttentionCase&, const AttentionBackward& call,
                                         AttentionTools&) {
    plain_attention_backward(call.rule, call.do_BTHK, call.q_BTHK, call.k_BTGK, call.v_BTGK, call.sink_H,
                             call.o_BTHK, call.lse_BHT, call.dq_BTHK, call.dk_BTGK, call.dv_BTGK,
                             call.dsink_H);
}

}  // namespace braid::cuda
