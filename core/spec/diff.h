// Two architectures side by side: layers aligned by content, what differs and what the difference costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/spec/cost.h"

namespace braid {

// One row of the alignment; one side is absent where a layer was added or removed.
struct LayerPair {
    std::optional<std::size_t> from;
    std::optional<std::size_t> to;
    bool equal = false;
    bool operator==(const LayerPair&) const = default;
};

// Cheapest alignment (edit distance by content; changing a layer's parameters is cheaper than its mixer, and
// both are cheaper than removing one layer and adding another). Layers must be normalised. Beyond 4,000 x
// 4,000 differing layers they are paired by position.
std::vector<LayerPair> align_layers(const std::vector<LayerSpec>& from, const std::vector<LayerSpec>& to);

// The same change on one or more layers, or of a dimension or another parameter of the model.
struct Difference {
    std::vector<std::size_t> from_layers = {};  // indices; empty: a dimension, or added layers
    std::vector<std::size_t> to_layers = {};    // empty: a dimension, or removed layers
    std::string path = {};                      // "d_model", "window", "groups[0].window", "mixer", "layer"
    std::string label = {};                     // "Window"
    std::string from = {};                      // "128"; empty: added
    std::string to = {};                        // "512"; empty: removed
    bool operator==(const Difference&) const = default;
};

struct CostDifference {
    std::string key;    // "params_total"
    std::string label;  // "Parameters, everything"
    double from = 0;
    double to = 0;
};

struct ArchitectureDiff {
    std::vector<LayerPair> alignment;
    std::vector<Difference> dimensions;
    std::vector<Difference> layers;
    std::vector<CostDifference> costs;  // all of them, equal ones too; empty where a spec is not valid
    bool same() const { return dimensions.empty() && layers.empty(); }
};

ArchitectureDiff diff(const ArchitectureSpec& from, const ArchitectureSpec& to, const MixerCatalog& catalog,
                      std::int64_t context);

// "2, 4-6, 8": layer indices for people.
std::string index_ranges(const std::vector<std::size_t>& indices);

}  // namespace braid
