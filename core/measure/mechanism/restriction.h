// A model whose layers see no farther than a horizon (paper D.1).
#pragma once

#include <cstdint>
#include <functional>

#include "core/engine/forward_taps.h"
#include "core/spec/architecture.h"

namespace braid {

using GroupChoice = std::function<bool(std::size_t layer, std::size_t group)>;

struct Horizon {
    std::int64_t tokens = 2048;  // H: earlier tokens that a token sees
    std::int64_t stride = 1024;  // of the windows of recurrent layers, H + stride long
};

// Softmax attention sees keys [t - H, t], H + 1 of them: the same parameters with a window. A window that is
// not longer stays.
ArchitectureSpec restricted_spec(ArchitectureSpec spec, std::int64_t horizon, const GroupChoice& chosen);

// Recurrent groups that are chosen read windows of H + stride tokens, each from an empty state; window [s -
// H, s
// + stride) gives the outputs [s, s + stride), the first one those before it, too. Others are left alone.
ForwardTaps restricted_taps(const ArchitectureSpec& spec, const Horizon& horizon, const GroupChoice& chosen);

}  // namespace braid
