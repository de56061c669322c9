#include "widgets/design/design_cost.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace braid::ui {

namespace {

struct Usable {
    bool known = false;
    std::vector<std::size_t> layers;
    std::vector<std::size_t> left_out;
};

Usable usable_layers(const ArchitectureSpec& spec, const Diagnostics& problems) {
    std::vector<bool> broken(spec.layers.size(), false);
    Usable usable;
    for (const Diagnostic& problem : problems) {
        const auto layer = layer_of_path(problem.path);
        if (!layer || *layer >= broken.size()) {
            return usable;  // the model itself: nothing can be said about any layer
        }
        broken[*layer] = true;
    }
    for (std::size_t i = 0; i < broken.size(); ++i) {
        (broken[i] ? usable.left_out : usable.layers).push_back(i);
    }
    usable.known = !usable.layers.empty();
    return usable;
}

ArchitectureSpec without_layers(const ArchitectureSpec& spec) {
    return {.name = {},
            .d_model = spec.d_model,
            .heads = spec.heads,
            .kv_heads = spec.kv_heads,
            .head_dim = spec.head_dim,
            .ffn_width = spec.ffn_width,
            .vocab = spec.vocab,
            .parameters = spec.parameters,
            .layers = {}};
}

}  // namespace

std::optional<std::size_t> layer_of_path(std::string_view path) {
    constexpr std::string_view start = "layers[";
    if (!path.starts_with(start)) {
        return std::nullopt;
    }
    path.remove_prefix(start.size());
    std::size_t layer = 0;
    const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), layer);
    if (error != std::errc{} || end == path.data() + path.size() || *end != ']') {
        return std::nullopt;
    }
    return layer;
}

DesignCost design_cost(const ArchitectureSpec& spec, const Diagnostics& problems, const MixerCatalog& catalog,
                       std::int64_t context) {
    DesignCost result;
    result.total.layers.resize(spec.layers.size());
    Usable usable = usable_layers(spec, problems);
    result.left_out = std::move(usable.left_out);
    if (!usable.known) {
        return result;
    }
    result.known = true;
    if (result.left_out.empty()) {
        result.total = cost(spec, catalog, context);
        return result;
    }
    ArchitectureSpec rest = without_layers(spec);
    rest.layers.reserve(usable.layers.size());
    for (const std::size_t i : usable.layers) {
        rest.layers.push_back(spec.layers[i]);
    }
    ArchitectureCost partial = cost(rest, catalog, context);
    std::vector<LayerCost> spread(spec.layers.size());
    for (std::size_t i = 0; i < usable.layers.size(); ++i) {
        spread[usable.layers[i]] = partial.layers[i];
    }
    partial.layers = std::move(spread);
    result.total = std::move(partial);
    return result;
}

std::vector<ContextCost> context_curve(const ArchitectureSpec& spec, const Diagnostics& problems,
                                       const MixerCatalog& catalog) {
    const Usable usable = usable_layers(spec, problems);
    std::vector<ContextCost> curve;
    if (!usable.known) {
        return curve;
    }
    ArchitectureSpec kinds = without_layers(spec);
    std::vector<double> times;
    for (const std::size_t i : usable.layers) {
        const auto same = [&](const LayerSpec& kind) { return kind.groups == spec.layers[i].groups; };
        const auto found = std::find_if(kinds.layers.begin(), kinds.layers.end(), same);
        if (found == kinds.layers.end()) {
            kinds.layers.push_back(spec.layers[i]);
            times.push_back(1);
        } else {
            times[static_cast<std::size_t>(found - kinds.layers.begin())] += 1;
        }
    }
    constexpr int first_octave = 10;
    constexpr int last_octave = 20;
    constexpr int points_an_octave = 4;
    for (int i = 0; i <= (last_octave - first_octave) * points_an_octave; ++i) {
        const double exponent = first_octave + static_cast<double>(i) / points_an_octave;
        ContextCost point{.context = std::llround(std::exp2(exponent))};
        const ArchitectureCost once = cost(kinds, catalog, point.context);
        point.forward_flops_per_token = once.forward_flops_per_token;  // with the head, which counts once
        for (std::size_t kind = 0; kind < times.size(); ++kind) {
            const LayerCost& layer = once.layers[kind];
            point.kv_bytes += times[kind] * static_cast<double>(layer.kv_bytes);
            point.forward_flops_per_token += (times[kind] - 1) * layer.forward_flops_per_token;
        }
        curve.push_back(point);
    }
    return curve;
}

}  // namespace braid::ui
