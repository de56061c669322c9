// Decay read from the token (Mamba-2, Gated DeltaNet): dt = softplus(raw + bias), log g = -exp(A_log) dt, one
// a head.
#pragma once

#include "core/mixers/torch/mixer.h"

namespace braid {

struct SoftplusDecay {
    at::Tensor dt_BTS, log_decay_BTS;  // statistics_type()
};
SoftplusDecay softplus_decay(const at::Tensor& raw_BTS, const MixerParameter& a_log_S,
                             const MixerParameter& bias_S);

// ddt_BTS: gradient of dt beside that through the decay; undefined: 0. draw_BTS is overwritten; gradients of
// the parameters accumulate.
void softplus_decay_backward(const at::Tensor& raw_BTS, const MixerParameter& a_log_S,
                             const MixerParameter& bias_S, const SoftplusDecay& decay,
                             const at::Tensor& dlog_decay_BTS, const at::Tensor& ddt_BTS,
                             const at::Tensor& draw_BTS);

}  // namespace braid
