#include "core/spec/cost.h"

#include <algorithm>

#include "core/spec/scale.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

// Only for a whole layer with the mixer's own defaults at one of the published scales.
std::int64_t published(const ArchitectureSpec& spec, const LayerSpec& layer, const MixerCatalog& catalog) {
    if (layer.groups.size() != 1) return 0;
    const MixerKind* kind = catalog.find(layer.groups[0].mixer);
    if (!kind || kind->description().published.empty()) return 0;
    const MixerDescription& mixer = kind->description();
    if (!normalised(layer.groups[0].parameters, mixer.parameters).empty()) return 0;
    for (const PublishedCount& count : mixer.published)
        if (const Scale* scale = find_scale(count.scale))
            if (spec.d_model == scale->d_model && spec.ffn_width == scale->ffn_width &&
                spec.heads == scale->heads && spec.kv_heads == scale->kv_heads &&
                spec.head_dim == scale->head_dim)
                return count.parameters;
    return 0;
}

LayerCost layer_cost(const ArchitectureSpec& spec, std::size_t index, const MixerCatalog& catalog,
                     std::int64_t context) {
    const LayerSpec& layer = spec.layers[index];
    const MixerContext place = mixer_context(spec, index);
    const std::int64_t ffn = 3 * spec.d_model * ffn_width(spec, index, catalog);
    LayerCost result{.paper_parameters = ffn, .total_parameters = ffn + 2 * spec.d_model};
    result.published_parameters = published(spec, layer, catalog);
    std::int64_t matrices = ffn;
    double scores = 0;  // multiply-adds of q.k and of p.v count 2 FLOPs each: 4 x keys x K a head
    double own = 0;
    for (const HeadGroup& group : layer.groups) {
        const MixerKind* kind = catalog.find(group.mixer);
        if (!kind) continue;
        const MixerCost part = kind->cost(group, place);
        matrices += part.matrix_parameters;
        result.paper_parameters += part.paper_parameters;
        result.total_parameters += part.total_parameters;
        result.kv_bytes_per_token += part.kv_bytes_per_token;
        result.kv_bytes +=
            part.kv_bytes_per_token * (part.kv_window == 0 ? context : std::min(context, part.kv_window));
        result.state_bytes += part.state_bytes;
        scores += 4 * kind->mean_visible_keys(group, context) * static_cast<double>(spec.head_dim) *
                  static_cast<double>(group.heads);
        own += kind->own_forward_flops(group, place);
    }
    result.forward_flops_per_token = 2.0 * static_cast<double>(matrices) + scores + own;
    result.training_flops_per_token = 6.0 * static_cast<double>(matrices) + 3.5 * scores + 3.0 * own;
    return result;
}

}  // namespace

ArchitectureCost cost(const ArchitectureSpec& spec, const MixerCatalog& catalog, std::int64_t context) {
    context = std::clamp<std::int64_t>(context, 1, max_context);
    const std::int64_t table = spec.vocab * spec.d_model;  // embedding; the head is as large
    const std::int64_t tables = is_tied(spec) ? table : 2 * table;
    ArchitectureCost total{.paper_parameters = tables,
                           .total_parameters = tables + spec.d_model,
                           .forward_flops_per_token = 2.0 * static_cast<double>(table),
                           .training_flops_per_token = 6.0 * static_cast<double>(table)};
    total.layers.reserve(spec.layers.size());
    bool differs = false;
    std::int64_t published_difference = 0;
    for (std::size_t i = 0; i < spec.layers.size(); ++i) {
        const LayerCost& layer = total.layers.emplace_back(layer_cost(spec, i, catalog, context));
        total.paper_parameters += layer.paper_parameters;
        total.total_parameters += layer.total_parameters;
        if (layer.published_parameters > 0) {
            differs = true;
            published_difference += layer.published_parameters - layer.paper_parameters;
        }
        total.non_embedding_parameters += layer.paper_parameters;
        total.kv_bytes_per_token += layer.kv_bytes_per_token;
        total.kv_bytes += layer.kv_bytes;
        total.state_bytes += layer.state_bytes;
        total.forward_flops_per_token += layer.forward_flops_per_token;
        total.training_flops_per_token += layer.training_flops_per_token;
    }
    if (differs) total.published_parameters = total.paper_parameters + published_difference;
    return total;
}

}  // namespace braid
