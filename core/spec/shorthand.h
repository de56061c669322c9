// The pattern field: "FSSS x6", "(FS)x5", "S[w=128]", "F[nope]", head-wise "{F:2 S:4}".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/spec/scale.h"

namespace braid {

// Layers of a pattern before dimensions are known; a count of 0 heads means "all of the layer".
struct Pattern {
    std::vector<LayerSpec> layers;
    bool repeated = false;        // a repeat count was given: the depth is the pattern's own
    std::vector<TextSpan> spans;  // of each layer's text, for marking; same length as layers
};

// All problems at once, each with its columns. An empty text is a problem.
Checked<Pattern> parse_pattern(std::string_view text, const MixerCatalog& catalog);

// Shortest text that parses to these layers: runs and cycles are folded ("FS x5").
std::string format_pattern(const std::vector<LayerSpec>& layers, const ArchitectureSpec& dimensions,
                           const MixerCatalog& catalog);

// Dimensions of `scale` and the pattern cycled to its depth (cut at the end), or its own depth if it was
// repeated.
ArchitectureSpec instantiate(const Pattern& pattern, const Scale& scale);

}  // namespace braid
