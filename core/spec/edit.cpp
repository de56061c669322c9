#include "core/spec/edit.h"

#include <algorithm>
#include <unordered_set>

#include "core/spec/diff.h"

namespace braid {
namespace {

using Ids = std::unordered_set<LayerId>;

Ids set_of(std::span<const LayerId> ids) { return {ids.begin(), ids.end()}; }

// The groups of the layers with these ids.
template <class Change>
void for_each_group(ArchitectureSpec& spec, std::span<const LayerId> ids, Change change) {
    const Ids wanted = set_of(ids);
    for (LayerSpec& layer : spec.layers)
        if (wanted.contains(layer.id))
            for (HeadGroup& group : layer.groups) change(group);
}

void set_on(HeadGroup& group, std::string_view key, const ParameterValue& value,
            const MixerCatalog& catalog) {
    const MixerKind* kind = catalog.find(group.mixer);
    if (!kind) return;
    const auto& descriptions = kind->description().parameters;
    const ParameterDescription* description = find_parameter(descriptions, key);
    if (!description) return;
    group.parameters.set(description->key, coerced(*description, value));
    group.parameters = normalised(group.parameters, descriptions);
}

// All parts by new / old, where old is their sum and every result is whole.
void rescale(std::vector<HeadGroup>& groups, std::int64_t HeadGroup::*field, std::int64_t from,
             std::int64_t to) {
    std::int64_t sum = 0;
    for (const HeadGroup& group : groups) {
        const bool sane = group.*field >= 1 && group.*field <= 1'000'000;
        if (!sane || to < 1 || to > 1'000'000 || from < 1 || group.*field * to % from != 0) return;
        sum += group.*field;
    }
    if (sum != from) return;
    for (HeadGroup& group : groups) group.*field = group.*field * to / from;
}

}  // namespace

LayerId next_layer_id(const ArchitectureSpec& spec) {
    std::int64_t last = 0;
    for (const LayerSpec& layer : spec.layers)
        if (layer.id.value < INT64_MAX / 2) last = std::max(last, layer.id.value);
    return LayerId(last + 1);
}

std::optional<std::size_t> find_layer(const ArchitectureSpec& spec, LayerId id) {
    for (std::size_t i = 0; i < spec.layers.size(); ++i)
        if (spec.layers[i].id == id) return i;
    return std::nullopt;
}

LayerSpec uniform_layer(const ArchitectureSpec& spec, std::string mixer) {
    return {.groups = {{.mixer = std::move(mixer), .heads = spec.heads, .kv_heads = spec.kv_heads}}};
}

ArchitectureSpec insert_layers(ArchitectureSpec spec, std::size_t at, std::vector<LayerSpec> layers) {
    LayerId id = next_layer_id(spec);
    for (LayerSpec& layer : layers) {
        layer.id = id;
        ++id.value;
    }
    const auto place = spec.layers.begin() + static_cast<std::ptrdiff_t>(std::min(at, spec.layers.size()));
    spec.layers.insert(place, std::make_move_iterator(layers.begin()), std::make_move_iterator(layers.end()));
    return spec;
}

ArchitectureSpec remove_layers(ArchitectureSpec spec, std::span<const LayerId> ids) {
    std::erase_if(spec.layers,
                  [wanted = set_of(ids)](const LayerSpec& layer) { return wanted.contains(layer.id); });
    return spec;
}

ArchitectureSpec move_layers(ArchitectureSpec spec, std::span<const LayerId> ids, std::size_t at) {
    const Ids wanted = set_of(ids);
    const auto stays = [&](const LayerSpec& layer) { return !wanted.contains(layer.id); };
    const auto place = spec.layers.begin() + static_cast<std::ptrdiff_t>(std::min(at, spec.layers.size()));
    std::stable_partition(spec.layers.begin(), place, stays);
    std::stable_partition(place, spec.layers.end(), [&](const LayerSpec& layer) { return !stays(layer); });
    return spec;
}

ArchitectureSpec duplicate_layers(ArchitectureSpec spec, std::span<const LayerId> ids) {
    const Ids wanted = set_of(ids);
    std::vector<LayerSpec> copies;
    std::size_t behind = 0;
    for (std::size_t i = 0; i < spec.layers.size(); ++i)
        if (wanted.contains(spec.layers[i].id)) {
            copies.push_back(spec.layers[i]);
            behind = i + 1;
        }
    return insert_layers(std::move(spec), behind, std::move(copies));
}

ArchitectureSpec set_parameter(ArchitectureSpec spec, std::span<const LayerId> ids, std::string_view key,
                               const ParameterValue& value, const MixerCatalog& catalog) {
    for_each_group(spec, ids, [&](HeadGroup& group) { set_on(group, key, value, catalog); });
    return spec;
}

ArchitectureSpec set_parameter(ArchitectureSpec spec, LayerId id, std::size_t group, std::string_view key,
                               const ParameterValue& value, const MixerCatalog& catalog) {
    if (const auto layer = find_layer(spec, id); layer && group < spec.layers[*layer].groups.size())
        set_on(spec.layers[*layer].groups[group], key, value, catalog);
    return spec;
}

ArchitectureSpec replace_mixer(ArchitectureSpec spec, std::span<const LayerId> ids, std::string_view mixer,
                               const MixerCatalog& catalog) {
    const MixerKind* kind = catalog.find(mixer);
    if (!kind) return spec;
    const auto& descriptions = kind->description().parameters;
    const Ids wanted = set_of(ids);
    for (LayerSpec& layer : spec.layers) {
        if (!wanted.contains(layer.id)) continue;
        HeadGroup group = uniform_layer(spec, std::string(mixer)).groups.front();
        if (!layer.groups.empty())
            for (const auto& [key, value] : layer.groups.front().parameters)
                if (const ParameterDescription* each = find_parameter(descriptions, key);
                    each && !check_parameter(*each, value, ""))
                    group.parameters.set(key, value);
        group.parameters = normalised(group.parameters, descriptions);
        layer.groups = {std::move(group)};
    }
    return spec;
}

ArchitectureSpec set_groups(ArchitectureSpec spec, std::span<const LayerId> ids,
                            const std::vector<HeadGroup>& groups) {
    const Ids wanted = set_of(ids);
    for (LayerSpec& layer : spec.layers)
        if (wanted.contains(layer.id)) layer.groups = groups;
    return spec;
}

ArchitectureSpec change_dimension(ArchitectureSpec spec, std::string_view key, std::int64_t value) {
    const std::int64_t before = dimension(spec, key);
    set_dimension(spec, key, value);
    std::int64_t HeadGroup::*field = key == "heads"      ? &HeadGroup::heads
                                     : key == "kv_heads" ? &HeadGroup::kv_heads
                                                         : nullptr;
    if (!field) return spec;
    for (LayerSpec& layer : spec.layers) {
        if (layer.groups.size() != 1)
            rescale(layer.groups, field, before, value);
        else if (layer.groups.front().*field == before)
            layer.groups.front().*field = value;
    }
    return spec;
}

ArchitectureSpec set_model_parameter(ArchitectureSpec spec, std::string_view key,
                                     const ParameterValue& value) {
    if (const ParameterDescription* description = find_parameter(model_parameters(), key)) {
        spec.parameters.set(description->key, coerced(*description, value));
        spec.parameters = normalised(spec.parameters, model_parameters());
    }
    return spec;
}

ArchitectureSpec respec_from_pattern(const ArchitectureSpec& old, const Pattern& pattern,
                                     const MixerCatalog& catalog) {
    const std::size_t depth = old.layers.empty() ? pattern.layers.size() : old.layers.size();
    ArchitectureSpec spec = instantiate(pattern, old, depth);
    LayerId fresh = next_layer_id(old);
    for (const LayerPair& pair : align_layers(normalised(old, catalog).layers, spec.layers)) {
        if (!pair.to) continue;
        spec.layers[*pair.to].id = pair.from ? old.layers[*pair.from].id : fresh;
        if (!pair.from) ++fresh.value;
    }
    return spec;
}

}  // namespace braid
