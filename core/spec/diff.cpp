#include "core/spec/diff.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/spec/shorthand.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

// Whole layers follow the model's heads; these are no difference of each layer where the model's differ.
std::vector<LayerSpec> without_model_heads(const ArchitectureSpec& spec) {
    std::vector<LayerSpec> layers = spec.layers;
    for (LayerSpec& layer : layers)
        if (layer.groups.size() == 1)
            for (HeadGroup& group : layer.groups) {
                if (group.heads == spec.heads) group.heads = 0;
                if (group.kv_heads == spec.kv_heads) group.kv_heads = 0;
            }
    return layers;
}

class LayerDifferences {
public:
    LayerDifferences(const ArchitectureSpec& from, const ArchitectureSpec& to, const MixerCatalog& catalog)
        : from_(from), to_(to), catalog_(catalog) {}

    std::vector<Difference> of(const std::vector<LayerPair>& pairs) {
        for (const LayerPair& pair : pairs) {
            if (pair.equal) continue;
            if (!pair.from || !pair.to)
                add(pair, "layer", "Layer", pair.from ? text(from_, *pair.from) : "",
                    pair.to ? text(to_, *pair.to) : "");
            else
                compare(pair);
        }
        return std::move(differences_);
    }

private:
    std::string text(const ArchitectureSpec& spec, std::size_t layer) const {
        return format_layer(spec.layers[layer], spec, catalog_);
    }

    // The same change on another layer is one difference.
    void add(const LayerPair& pair, std::string path, std::string label, std::string from, std::string to) {
        const auto [at, fresh] = index_.try_emplace(std::tuple(path, label, from, to), differences_.size());
        if (fresh)
            differences_.push_back({.path = std::move(path),
                                    .label = std::move(label),
                                    .from = std::move(from),
                                    .to = std::move(to)});
        Difference& difference = differences_[at->second];
        if (pair.from) difference.from_layers.push_back(*pair.from);
        if (pair.to) difference.to_layers.push_back(*pair.to);
    }

    void compare(const LayerPair& pair) {
        const std::vector<HeadGroup>& a = from_.layers[*pair.from].groups;
        const std::vector<HeadGroup>& b = to_.layers[*pair.to].groups;
        const bool same_mixers =
            std::equal(a.begin(), a.end(), b.begin(), b.end(),
                       [](const HeadGroup& x, const HeadGroup& y) { return x.mixer == y.mixer; });
        if (!same_mixers) {
            add(pair, "mixer", "Mixer", text(from_, *pair.from), text(to_, *pair.to));
            return;
        }
        for (std::size_t g = 0; g < a.size(); ++g) {
            const std::string prefix = a.size() == 1 ? "" : "groups[" + std::to_string(g) + "].";
            const auto follow = [&](const HeadGroup& group, const ArchitectureSpec& spec) {
                return a.size() == 1 && group.heads == spec.heads && group.kv_heads == spec.kv_heads;
            };
            if (!follow(a[g], from_) || !follow(b[g], to_)) {
                add_if_different(pair, prefix + "heads", "Query heads", a[g].heads, b[g].heads);
                add_if_different(pair, prefix + "kv_heads", "KV heads", a[g].kv_heads, b[g].kv_heads);
            }
            compare_parameters(pair, prefix, a[g], b[g]);
        }
    }

    void add_if_different(const LayerPair& pair, std::string path, std::string label, std::int64_t from,
                          std::int64_t to) {
        if (from != to)
            add(pair, std::move(path), std::move(label), std::to_string(from), std::to_string(to));
    }

    void compare_parameters(const LayerPair& pair, const std::string& prefix, const HeadGroup& a,
                            const HeadGroup& b) {
        const MixerKind* kind = catalog_.find(a.mixer);
        if (!kind) return;
        const auto& descriptions = kind->description().parameters;
        for (const ParameterDescription& each : descriptions) {
            if (!is_active(each, a.parameters, descriptions) || !is_active(each, b.parameters, descriptions))
                continue;  // that it has no effect on one side follows from another difference
            const ParameterValue from = a.parameters.get(each.key, descriptions);
            const ParameterValue to = b.parameters.get(each.key, descriptions);
            if (from != to) add(pair, prefix + each.key, each.label, to_text(from), to_text(to));
        }
    }

    const ArchitectureSpec& from_;
    const ArchitectureSpec& to_;
    const MixerCatalog& catalog_;
    std::vector<Difference> differences_;
    std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> index_;
};

std::vector<CostDifference> cost_differences(const ArchitectureCost& from, const ArchitectureCost& to) {
    const auto whole = [](std::int64_t n) { return static_cast<double>(n); };
    return {
        {"params_paper", "Parameters, paper count", whole(from.paper_parameters), whole(to.paper_parameters)},
        {"params_total", "Parameters, everything", whole(from.total_parameters), whole(to.total_parameters)},
        {"params_non_embedding", "Parameters without embeddings", whole(from.non_embedding_parameters),
         whole(to.non_embedding_parameters)},
        {"kv_bytes_per_token", "KV bytes per token", whole(from.kv_bytes_per_token),
         whole(to.kv_bytes_per_token)},
        {"kv_bytes", "KV bytes at the context", whole(from.kv_bytes), whole(to.kv_bytes)},
        {"state_bytes", "State bytes", whole(from.state_bytes), whole(to.state_bytes)},
        {"forward_flops_per_token", "Forward FLOPs per token", from.forward_flops_per_token,
         to.forward_flops_per_token},
        {"flops_per_token", "Training FLOPs per token", from.training_flops_per_token,
         to.training_flops_per_token},
    };
}

}  // namespace

ArchitectureDiff diff(const ArchitectureSpec& from_given, const ArchitectureSpec& to_given,
                      const MixerCatalog& catalog, std::int64_t context) {
    const ArchitectureSpec from = normalised(from_given, catalog);
    const ArchitectureSpec to = normalised(to_given, catalog);
    ArchitectureDiff result;
    for (const ParameterDescription& each : dimension_parameters())
        if (dimension(from, each.key) != dimension(to, each.key))
            result.dimensions.push_back({.path = each.key,
                                         .label = each.label,
                                         .from = std::to_string(dimension(from, each.key)),
                                         .to = std::to_string(dimension(to, each.key))});
    for (const ParameterDescription& each : model_parameters()) {
        const ParameterValue a = from.parameters.get(each.key, model_parameters());
        const ParameterValue b = to.parameters.get(each.key, model_parameters());
        if (a != b)
            result.dimensions.push_back(
                {.path = each.key, .label = each.label, .from = to_text(a), .to = to_text(b)});
    }
    result.alignment = align_layers(without_model_heads(from), without_model_heads(to));
    result.layers = LayerDifferences(from, to, catalog).of(result.alignment);
    if (validate(from, catalog).empty() && validate(to, catalog).empty())
        result.costs = cost_differences(cost(from, catalog, context), cost(to, catalog, context));
    return result;
}

std::string index_ranges(const std::vector<std::size_t>& indices) {
    std::string text;
    for (std::size_t i = 0; i < indices.size();) {
        std::size_t last = i;
        while (last + 1 < indices.size() && indices[last + 1] == indices[last] + 1) ++last;
        if (!text.empty()) text += ", ";
        text += std::to_string(indices[i]);
        if (last > i) text += (last == i + 1 ? ", " : "-") + std::to_string(indices[last]);
        i = last + 1;
    }
    return text;
}

}  // namespace braid
