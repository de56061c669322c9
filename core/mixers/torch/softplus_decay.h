// Around Ops::recurrent_gates() (Mamba-2, Gated DeltaNet): where its results lie, and the way back through
// the decays.
#pragma once

#include "core/mixers/torch/mixer.h"

namespace braid {

GateOutput empty_gates(Ops& ops, std::int64_t batch, std::int64_t tokens, std::int64_t states, bool writes);

// ddt_BTS: gradient of dt beside that through the decay; undefined: 0. draw_BTS is overwritten; gradients of
// the parameters accumulate.
void softplus_decay_backward(const at::Tensor& raw_BTS, const MixerParameter& a_log_S,
                             const MixerParameter& bias_S, const GateOutput& gates,
                             const at::Tensor& dlog_decay_BTS, const at::Tensor& ddt_BTS,
                             const at::Tensor& draw_BTS);

}  // namespace braid
