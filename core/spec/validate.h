// Every rule an architecture has to keep; all broken ones are reported at once.
#pragma once

#include <cstdint>

#include "core/spec/mixer_kind.h"

namespace braid {

inline constexpr std::int64_t max_layers = 10'000;
inline constexpr std::int64_t max_context = std::int64_t{1} << 27;  // tokens that cost() and training accept

// Paths are those of group_path(): "layers[3].window", "layers[3].groups[0].window". Empty: valid, so that
// cost(), format_pattern() and the engine may take it.
Diagnostics validate(const ArchitectureSpec& spec, const MixerCatalog& catalog);

}  // namespace braid
