// Lightning's dimensions from its spec, for the description and the module alike.
#pragma once

#include "core/spec/mixer_kind.h"

namespace braid {

// Channels of the FFN that pay for the output gate (paper Table 4: F' = F - 40).
inline constexpr std::int64_t lightning_narrowing = 40;

// Decay of query head h in layer l of L (Eq. 3): g_h = exp(-slope_h (1 - l/(L-1) + 1e-5)); slope_h are the
// ALiBi slopes of the group's heads. Negative: the logarithm of g_h.
double lightning_log_decay(std::int64_t head, std::int64_t heads, const MixerContext& context);

}  // namespace braid
