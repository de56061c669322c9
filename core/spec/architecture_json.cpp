#include <algorithm>

#include "core/base/json_reader.h"
#include "core/spec/architecture.h"
#include "core/spec/mixer_kind.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

// A file of another kind must not give a million lines.
constexpr std::size_t enough_problems = 1000;
constexpr std::size_t max_groups = 512;

// Mixer, heads and, of the other keys, the parameters. `wanted` says that heads must be there: inside a list
// of groups there is nothing to follow.
HeadGroup read_group(JsonReader& reader, const Json& json, const ArchitectureSpec& model, bool wanted,
                     const Diagnostics& problems) {
    HeadGroup group{.heads = model.heads, .kv_heads = model.kv_heads};
    if (reader.require("mixer")) reader.text("mixer", group.mixer);
    for (const auto& [key, field] :
         {std::pair{"heads", &HeadGroup::heads}, std::pair{"kv_heads", &HeadGroup::kv_heads}}) {
        if (wanted && !reader.require(key)) continue;
        reader.integer(key, group.*field);
    }
    for (const auto& [key, value] : json.items()) {
        if (key == "mixer" || key == "heads" || key == "kv_heads" || key == "id" || key == "groups") continue;
        if (problems.size() >= enough_problems) break;
        reader.find(key);  // whether the mixer has it is a rule: validate()
        if (auto read = parameter_from_json(value, "")) {
            group.parameters.set(key, *std::move(read));
        } else {
            reader.add(key, std::move(read.error()));
        }
    }
    return group;
}

LayerSpec read_layer(const Json& json, const std::string& path, const ArchitectureSpec& model,
                     Diagnostics& problems) {
    LayerSpec layer;
    JsonReader reader(json, path, problems);
    if (!reader.is_object()) return layer;
    reader.integer("id", layer.id.value);
    const Json* groups = reader.find("groups");
    if (!groups) {
        layer.groups.push_back(read_group(reader, json, model, false, problems));
    } else if (!groups->is_array() || groups->size() > max_groups) {
        reader.report(reader.place("groups"), "must be a list of at most 512 groups", *groups);
    } else {
        for (std::size_t i = 0; i < groups->size(); ++i) {
            JsonReader inside((*groups)[i], path + ".groups[" + std::to_string(i) + "]", problems);
            if (inside.is_object())
                layer.groups.push_back(read_group(inside, (*groups)[i], model, true, problems));
            inside.refuse_unknown_keys();
        }
    }
    reader.refuse_unknown_keys();
    return layer;
}

Json group_to_json(const HeadGroup& group) {
    Json json = Json::object();
    for (const auto& [key, value] : group.parameters) json[key] = to_json(value);
    json["mixer"] = group.mixer;
    return json;
}

}  // namespace

Json to_json(const ArchitectureSpec& spec) {
    Json json = Json::object();
    json["schema_version"] = architecture_schema_version;
    json["name"] = spec.name;
    for (const ParameterDescription& each : dimension_parameters())
        json[each.key] = dimension(spec, each.key);
    for (const auto& [key, value] : spec.parameters) json[key] = to_json(value);
    json["layers"] = Json::array();
    for (const LayerSpec& layer : spec.layers) {
        Json entry = Json::object();
        if (layer.groups.size() == 1) {
            const HeadGroup& group = layer.groups.front();
            entry = group_to_json(group);
            if (group.heads != spec.heads) entry["heads"] = group.heads;
            if (group.kv_heads != spec.kv_heads) entry["kv_heads"] = group.kv_heads;
        } else {
            entry["groups"] = Json::array();
            for (const HeadGroup& group : layer.groups) {
                Json inner = group_to_json(group);
                inner["heads"] = group.heads;
                inner["kv_heads"] = group.kv_heads;
                entry["groups"].push_back(std::move(inner));
            }
        }
        entry["id"] = layer.id.value;
        json["layers"].push_back(std::move(entry));
    }
    return json;
}

Checked<ArchitectureSpec> architecture_from_json(const Json& json) {
    Diagnostics problems;
    ArchitectureSpec spec;
    JsonReader reader(json, "", problems);
    if (!reader.is_object() || !reader.schema_version(architecture_schema_version))
        return tl::unexpected(std::move(problems));
    reader.text("name", spec.name);
    for (const ParameterDescription& each : dimension_parameters()) {
        std::int64_t value = 0;
        if (reader.require(each.key)) reader.integer(each.key, value);
        set_dimension(spec, each.key, value);
    }
    for (const ParameterDescription& each : model_parameters()) {
        const Json* value = reader.find(each.key);
        if (!value) continue;
        if (auto read = parameter_from_json(*value, ""))
            spec.parameters.set(each.key, *std::move(read));  // whether it may be so is a rule: validate()
        else
            reader.add(each.key, std::move(read.error()));
    }
    std::vector<std::size_t> without_id;
    if (const Json* layers = reader.require("layers");
        layers && (!layers->is_array() || layers->size() > static_cast<std::size_t>(max_layers))) {
        reader.report("layers", "must be a list of at most 10000 layers", *layers);
    } else if (layers) {
        for (std::size_t i = 0; i < layers->size() && problems.size() < enough_problems; ++i) {
            const Json& layer = (*layers)[i];
            if (layer.is_object() && !layer.contains("id")) without_id.push_back(i);
            spec.layers.push_back(read_layer(layer, layer_path(i), spec, problems));
        }
    }
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    std::int64_t last = 0;
    for (const LayerSpec& layer : spec.layers)
        if (layer.id.value < INT64_MAX / 2) last = std::max(last, layer.id.value);
    for (const std::size_t i : without_id) spec.layers[i].id = LayerId(++last);
    return spec;
}

std::string content_hash(const ArchitectureSpec& spec, const MixerCatalog& catalog) {
    Json json = to_json(normalised(spec, catalog));
    json.erase("schema_version");  // a newer schema does not change what is trained
    json.erase("name");
    for (Json& layer : json["layers"]) layer.erase("id");
    return content_hash(json);
}

}  // namespace braid
