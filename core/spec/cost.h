// What an architecture costs (definitions: paper Table 1 and appendix B). Exact integers; < 5 ms at 1,000
// layers.
//
// "Everything" (total_parameters) is what the engine allocates: embedding V*D, head V*D (none where it is
// tied to the embedding), final norm D, and in each layer two pre-norms of D, the mixers' matrices, norms and
// sinks (one a query head), and the SwiGLU's three matrices of D x F. The "paper count" leaves out pre-norms,
// final norm and sinks.
#pragma once

#include <cstdint>
#include <vector>

#include "core/spec/mixer_kind.h"

namespace braid {

struct LayerCost {
    std::int64_t paper_parameters = 0;  // mixer and FFN matrices, norms inside the mixer
    std::int64_t total_parameters = 0;  // with pre-norms and sinks
    std::int64_t published_parameters =
        0;                                // what the paper prints, where it differs from its formula; else 0
    std::int64_t kv_bytes_per_token = 0;  // bf16: 2 x head_dim x kv heads x 2, while the token is visible
    std::int64_t kv_bytes = 0;            // of one sequence at the context, capped at the window
    std::int64_t state_bytes = 0;         // of one sequence
    double forward_flops_per_token = 0;   // mean over the positions of the context
    double training_flops_per_token = 0;
};

struct ArchitectureCost {
    std::vector<LayerCost> layers = {};
    std::int64_t paper_parameters = 0;          // layers, embedding and head: the paper's totals
    std::int64_t total_parameters = 0;          // everything that is allocated
    std::int64_t non_embedding_parameters = 0;  // N: the layers of the paper count
    std::int64_t published_parameters = 0;  // as paper_parameters with the layers' published counts; else 0
    std::int64_t kv_bytes_per_token = 0;    // while every window is still filling
    std::int64_t kv_bytes = 0;
    std::int64_t state_bytes = 0;
    double forward_flops_per_token =
        0;  // 2 x matrices (head included, embedding not) + 4 x keys x K x H + own
    double training_flops_per_token = 0;  // 6 x matrices + 3.5 x 4 x (mean visible keys) x K x H + 3 x own
};

// The spec must be valid; `context` is clamped to [1, max_context].
ArchitectureCost cost(const ArchitectureSpec& spec, const MixerCatalog& catalog, std::int64_t context);

}  // namespace braid
