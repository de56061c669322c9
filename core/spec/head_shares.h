// How the heads of a layer are shared between the groups of a head-wise layer.
#pragma once

#include "core/spec/architecture.h"

namespace braid {

// From a pattern's shares to heads: 0 heads are all heads, head and kv counts that add up to a divisor of the
// layer's are scaled to it, groups without kv heads get their share of what the others leave: in proportion
// to their heads, at least one, dividing them where any assignment does. What cannot be met is left for
// validate().
void resolve_heads(LayerSpec& layer, std::int64_t heads, std::int64_t kv_heads);

}  // namespace braid
