// From the places of diagnostics to characters of the pattern field.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/spec/mixer_kind.h"

namespace braid::ui {

struct PatternRange;

// Bytes of UTF-8 to characters of the field (UTF-16). An empty span takes the character before it, so that
// there is something to underline.
PatternRange pattern_range(std::string_view text, TextSpan bytes);

// `layer` is the text of the layer that `path` speaks of; the result is the part of it that gives the
// parameter ("w=0" for "layers[14].window"), or `layer` where it is not written out.
TextSpan narrowed_span(std::string_view text, TextSpan layer, std::string_view path,
                       const MixerCatalog& catalog);

// "layers[3].groups[1].window" -> "window", "layers[3]" -> "".
std::string place_in_layer(std::string_view path);

}  // namespace braid::ui
