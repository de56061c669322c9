// Which heads of a model a capture shows down to single tokens.
#pragma once

#include <string>
#include <vector>

#include "core/measure/mechanism/head_looks.h"

namespace braid {

// Without a choice all heads of softmax layers are captured in detail up to this many tokens, beyond it none.
inline constexpr std::int64_t detailed_by_itself = 4'096;

// "8.3,10.7" (layer.head, both from 0), "all", "none", or an empty text for what suits a text of `tokens`
// tokens. Each once, in the order of the model. Error: invalid_input, with every name that is wrong.
Result<std::vector<HeadPlace>> detailed_heads(const std::string& text, const ArchitectureSpec& spec,
                                              const LayerMixers& mixers, std::int64_t tokens);

std::string head_name(const HeadPlace& head);  // "8.3"

}  // namespace braid
