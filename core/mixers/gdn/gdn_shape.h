// Gated DeltaNet's dimensions from its spec, for the description and the module alike.
#pragma once

#include "core/spec/mixer_kind.h"

namespace braid {

inline constexpr std::int64_t gdn_convolution_kernel = 4;

struct GdnShape {
    std::int64_t heads = 0;      // q, output gate
    std::int64_t kv_heads = 0;   // k, v, decay, write strength
    std::int64_t key_dim = 0;    // of q and k
    std::int64_t value_dim = 0;  // of v, gate and output
    bool convolution = false;

    std::int64_t convolved() const {  // channels of q, k and v
        return key_dim * (heads + kv_heads) + value_dim * kv_heads;
    }
};
GdnShape gdn_shape(const HeadGroup& group, const std::vector<ParameterDescription>& descriptions);

}  // namespace braid
