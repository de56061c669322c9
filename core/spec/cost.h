// What an architecture costs (definitions: paper Table 1 and appendix B). Exact integers; < 5 ms at 1,000
// layers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/spec/mixer_kind.h"

namespace braid {

struct LayerCost {
    std::int64_t paper_parameters = 0;  // mixer and FFN matrices, norms inside the mixer
    std::int64_t total_parameters = 0;  // with pre-norms and sinks
    std::int64_t kv_bytes_per_token = 0;
    std::int64_t kv_bytes = 0;  // at the context, capped at the window
    std::int64_t state_bytes = 0;
    double forward_flops_per_token = 0;
    double training_flops_per_token = 0;
};

struct ArchitectureCost {
    std::vector<LayerCost> layers;
    std::int64_t paper_parameters = 0;          // layers, embedding and head: the paper's totals
    std::int64_t total_parameters = 0;          // everything that is allocated
    std::int64_t non_embedding_parameters = 0;  // N: layers of the paper count
    std::int64_t kv_bytes = 0;
    std::int64_t state_bytes = 0;
    double forward_flops_per_token =
        0;  // head included, embedding not; mean over the positions of the context
    double training_flops_per_token = 0;  // 6 x matrices + 3.5 x 4 x (mean visible keys) x head_dim x H + own
};

// The spec must be valid.
ArchitectureCost cost(const ArchitectureSpec& spec, const MixerCatalog& catalog, std::int64_t context);

}  // namespace braid
