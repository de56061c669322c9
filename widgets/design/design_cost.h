// What a design costs while it is being edited: layers that break a rule are left out instead of making the
// whole figure disappear.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/spec/cost.h"

namespace braid::ui {

struct DesignCost {
    bool known = false;      // false: dimensions of the model itself are wrong, or no layer is left
    ArchitectureCost total;  // layers as long as the spec's; those left out have zeros
    std::vector<std::size_t> left_out;  // ascending
};

// The layer that a diagnostic's path ("layers[14].groups[0].window") speaks of.
std::optional<std::size_t> layer_of_path(std::string_view path);

// `problems` are those of validate(); the spec may break rules.
DesignCost design_cost(const ArchitectureSpec& spec, const Diagnostics& problems, const MixerCatalog& catalog,
                       std::int64_t context);

// One point of the curves against context.
struct ContextCost {
    std::int64_t context = 0;
    double kv_bytes = 0;
    double forward_flops_per_token = 0;
};

// 1k to 1M tokens, four points an octave. Equal layers are costed once, so that depth does not matter.
// Empty when the cost is not known.
std::vector<ContextCost> context_curve(const ArchitectureSpec& spec, const Diagnostics& problems,
                                       const MixerCatalog& catalog);

}  // namespace braid::ui
