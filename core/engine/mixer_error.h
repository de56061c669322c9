// The error of a mixer's forward and backward pass in a device's types against float64 on the same inputs.
#pragma once

#include <functional>

#include "core/engine/mixer_check.h"
#include "core/spec/mixer_kind.h"

namespace braid {

// At the shape of the paper's S1 heads (6 query heads, 2 kv heads of 64) with lengths that fill no chunk.
// Limits: float32 in units of its rounding; bf16 those of the paper's conformance list: attention outputs
// 5e-3, its gradients and sinks 1e-2; recurrent mixers' outputs 4e-3, gradients 8e-3, of gates and decays
// 2e-2.
void measure_mixer_error(const MixerDescription& mixer, Ops& device,
                         const std::function<void(const MixerCheckResult&)>& receive);

}  // namespace braid
