#include "core/engine/parallel/gradient_buckets.h"

#include <algorithm>

namespace braid {
namespace {

struct Place {
    std::int64_t offset;
    std::int64_t stage;
};

// Where each operand begins and when its gradient is complete: the head and the final norm first, then the
// layers from the last to the first, the embedding at the end.
std::vector<Place> places_of(const ParameterLayout& layout) {
    std::vector<Place> places;
    const auto layers = static_cast<std::int64_t>(layout.layers.size());
    const auto add = [&places](const Operand& operand, std::int64_t stage) {
        places.push_back({.offset = operand.offset, .stage = stage});
    };
    for (std::int64_t l = 0; l < layers; ++l) {
        const LayerParameters& layer = layout.layers[static_cast<std::size_t>(l)];
        for (const Operand* operand : {&layer.mixer_norm, &layer.input_projection, &layer.output_projection,
                                       &layer.ffn_norm, &layer.gate_up, &layer.down})
            add(*operand, layers - l);
        for (const LayerParameters::Group& group : layer.groups) {
            for (const Operand& operand : group.vectors) add(operand, layers - l);
            for (const Operand& operand : group.matrices) add(operand, layers - l);
        }
    }
    add(layout.embedding, layers + 1);
    if (layout.head.offset != layout.embedding.offset) add(layout.head, 0);
    add(layout.final_norm, 0);
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.offset < b.offset; });
    return places;
}

}  // namespace

std::vector<GradientBucket> gradient_buckets(const ParameterLayout& layout, std::int64_t most_elements) {
    const std::vector<Place> places = places_of(layout);
    std::vector<GradientBucket> buckets;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::int64_t begin = i == 0 ? 0 : places[i].offset;
        const std::int64_t end = i + 1 < places.size() ? places[i + 1].offset : layout.elements;
        if (!buckets.empty() && end - buckets.back().begin <= most_elements) {
            buckets.back().end = end;
            buckets.back().stage = std::max(buckets.back().stage, places[i].stage);
        } else {
            buckets.push_back({.begin = begin, .end = end, .stage = places[i].stage});
        }
    }
    std::stable_sort(buckets.begin(), buckets.end(),
                     [](const GradientBucket& a, const GradientBucket& b) { return a.stage < b.stage; });
    return buckets;
}

}  // namespace braid
