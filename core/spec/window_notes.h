// Windows that limit nothing: no mistake, but seldom what was meant.
#pragma once

#include <string>
#include <vector>

#include "core/spec/mixer_kind.h"

namespace braid {

// For texts of `context` tokens, one line for each window above it: "layers[1], layers[3]: a window of 512
// tokens is above the context of 128; these layers see all of it, as full attention does". The spec must be
// valid.
std::vector<std::string> window_notes(const ArchitectureSpec& spec, const MixerCatalog& catalog,
                                      std::int64_t context);

}  // namespace braid
