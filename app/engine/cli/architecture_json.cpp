#include "app/engine/cli/architecture_json.h"

#include "core/mixers/builtin.h"
#include "core/spec/shorthand.h"

namespace braid::cli {

std::string mixer_text(const LayerSpec& layer) {
    std::string text;
    for (const HeadGroup& group : layer.groups) text += (text.empty() ? "" : "+") + group.mixer;
    return text;
}

Json cost_json(const ArchitectureSpec& spec, std::int64_t context) {
    const ArchitectureCost total = cost(spec, builtin_mixers(), context);
    // "published" is there only where the paper prints another number than its formula gives.
    const auto params = [](std::int64_t paper, std::int64_t published, std::int64_t everything) {
        Json json = {{"paper", paper}, {"total", everything}};
        if (published > 0) json["published"] = published;
        return json;
    };
    Json all = params(total.paper_parameters, total.published_parameters, total.total_parameters);
    all["non_embedding"] = total.non_embedding_parameters;
    Json per_layer = Json::array();
    for (std::size_t i = 0; i < spec.layers.size(); ++i) {
        const LayerCost& layer = total.layers[i];
        per_layer.push_back(
            {{"mixer", mixer_text(spec.layers[i])},
             {"pattern", format_layer(spec.layers[i], spec, builtin_mixers())},
             {"params", params(layer.paper_parameters, layer.published_parameters, layer.total_parameters)},
             {"kv_bytes_per_token", layer.kv_bytes_per_token},
             {"kv_bytes", layer.kv_bytes},
             {"state_bytes", layer.state_bytes},
             {"flops_per_token", layer.training_flops_per_token}});
    }
    return {{"name", spec.name},
            {"pattern", format_pattern(spec.layers, spec, builtin_mixers())},
            {"hash", content_hash(spec, builtin_mixers())},
            {"context", context},
            {"vocab", spec.vocab},
            {"layers", spec.layers.size()},
            {"params", std::move(all)},
            {"per_layer", std::move(per_layer)},
            {"kv_bytes", total.kv_bytes},
            {"state_bytes", total.state_bytes},
            {"flops_per_token", total.training_flops_per_token},
            {"forward_flops_per_token", total.forward_flops_per_token},
            {"spec", to_json(spec)}};
}

Json diff_json(const ArchitectureDiff& diff) {
    const auto differences = [](const std::vector<Difference>& list) {
        Json json = Json::array();
        for (const Difference& difference : list)
            json.push_back({{"path", difference.path},
                            {"label", difference.label},
                            {"from", difference.from},
                            {"to", difference.to},
                            {"from_layers", difference.from_layers},
                            {"to_layers", difference.to_layers}});
        return json;
    };
    Json costs = Json::array();
    for (const CostDifference& cost : diff.costs)
        costs.push_back({{"key", cost.key}, {"label", cost.label}, {"from", cost.from}, {"to", cost.to}});
    Json alignment = Json::array();
    for (const LayerPair& pair : diff.alignment)
        alignment.push_back({{"from", pair.from ? Json(*pair.from) : Json(nullptr)},
                             {"to", pair.to ? Json(*pair.to) : Json(nullptr)},
                             {"equal", pair.equal}});
    return {{"same", diff.same()},
            {"dimensions", differences(diff.dimensions)},
            {"layers", differences(diff.layers)},
            {"alignment", std::move(alignment)},
            {"costs", std::move(costs)}};
}

}  // namespace braid::cli
