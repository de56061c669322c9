#include <algorithm>
#include <array>

#include "core/spec/architecture.h"
#include "core/spec/mixer_kind.h"

namespace braid {
namespace {

constexpr std::array<std::string_view, 5> layer_keys = {"id", "mixer", "heads", "kv_heads", "groups"};

bool is_layer_key(std::string_view key) {
    return std::find(layer_keys.begin(), layer_keys.end(), key) != layer_keys.end();
}

// Collects every problem; reading goes on with what is there.
class Reader {
public:
    Diagnostics problems;

    void refuse(std::string path, std::string rule, std::string found = "") {
        // A file of another kind must not give a million lines.
        if (problems.size() < 1000) problems.push_back({std::move(path), std::move(rule), std::move(found)});
    }

    std::optional<std::int64_t> integer(const Json& object, const std::string& key, const std::string& path) {
        const Json& value = object.at(key);
        if (value.is_number_integer() &&
            !(value.is_number_unsigned() &&
              value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)))
            return value.get<std::int64_t>();
        refuse(path, "must be a whole number", found_in(value));
        return std::nullopt;
    }

    std::string text(const Json& object, const std::string& key, const std::string& path) {
        const Json& value = object.at(key);
        if (value.is_string()) return value.get<std::string>();
        refuse(path, "must be text", found_in(value));
        return {};
    }

    HeadGroup group(const Json& json, const std::string& path, bool inside_groups,
                    const ArchitectureSpec& model) {
        HeadGroup result{.heads = model.heads, .kv_heads = model.kv_heads};
        if (json.contains("mixer"))
            result.mixer = text(json, "mixer", path + ".mixer");
        else
            refuse(path + ".mixer", "is missing");
        for (const auto& [key, field] :
             {std::pair{"heads", &HeadGroup::heads}, std::pair{"kv_heads", &HeadGroup::kv_heads}}) {
            if (json.contains(key))
                result.*field = integer(json, key, path + "." + key).value_or(0);
            else if (inside_groups)
                refuse(path + "." + key, "is missing");
        }
        for (const auto& [key, value] : json.items()) {
            if (key == "mixer" || key == "heads" || key == "kv_heads") continue;
            if (is_layer_key(key)) {
                if (inside_groups) refuse(path + "." + key, "belongs to the layer, not to a group of it");
                continue;
            }
            auto parameter = parameter_from_json(value, path + "." + key);
            if (parameter)
                result.parameters.set(key, *std::move(parameter));
            else
                for (Diagnostic& each : parameter.error())
                    refuse(std::move(each.path), std::move(each.rule), std::move(each.found));
        }
        return result;
    }

    LayerSpec layer(const Json& json, const std::string& path, const ArchitectureSpec& model) {
        LayerSpec result;
        if (!json.is_object()) {
            refuse(path, "must be an object such as {\"mixer\": \"full\"}", found_in(json));
            return result;
        }
        if (json.contains("id")) result.id = LayerId(integer(json, "id", path + ".id").value_or(0));
        if (!json.contains("groups")) {
            result.groups.push_back(group(json, path, false, model));
            return result;
        }
        for (const auto& [key, value] : json.items())
            if (key != "id" && key != "groups")
                refuse(path + "." + key, "must be inside the groups of a layer that has groups");
        const Json& groups = json.at("groups");
        if (!groups.is_array()) {
            refuse(path + ".groups", "must be a list", found_in(groups));
            return result;
        }
        // The only group of a layer has no index in paths: group_path().
        for (std::size_t i = 0; i < groups.size(); ++i) {
            const std::string place = path + ".groups[" + std::to_string(i) + "]";
            if (groups[i].is_object())
                result.groups.push_back(group(groups[i], place, true, model));
            else
                refuse(place,
                       "must be an object such as {\"mixer\": \"full\", \"heads\": 2, \"kv_heads\": 1}",
                       found_in(groups[i]));
        }
        return result;
    }
};

Json group_to_json(const HeadGroup& group) {
    Json json = Json::object();
    for (const auto& [key, value] : group.parameters) json[key] = to_json(value);
    json["mixer"] = group.mixer;
    return json;
}

void give_fresh_ids(ArchitectureSpec& spec, const std::vector<bool>& has_id) {
    std::int64_t next = 1;
    for (const LayerSpec& layer : spec.layers)
        if (layer.id.value < INT64_MAX) next = std::max(next, layer.id.value + 1);
    for (std::size_t i = 0; i < spec.layers.size(); ++i)
        if (!has_id[i]) spec.layers[i].id = LayerId(next++);
}

}  // namespace

Json to_json(const ArchitectureSpec& spec) {
    Json json = Json::object();
    json["schema_version"] = architecture_schema_version;
    json["name"] = spec.name;
    for (const ParameterDescription& each : dimension_parameters())
        json[each.key] = dimension(spec, each.key);
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
    Reader reader;
    if (!json.is_object())
        return tl::unexpected(Diagnostics{{"", "an architecture must be a JSON object", found_in(json)}});
    ArchitectureSpec spec;
    if (!json.contains("schema_version")) {
        reader.refuse("schema_version", "is missing (" + std::to_string(architecture_schema_version) + ")");
    } else if (const auto version = reader.integer(json, "schema_version", "schema_version");
               version && (*version < 1 || *version > architecture_schema_version)) {
        // Keys of a newer schema would all be reported as unknown: say the one thing that matters.
        return tl::unexpected(
            Diagnostics{{"schema_version",
                         *version < 1 ? "must be at least 1"
                                      : "was written by a newer Braid; this one reads versions up to " +
                                            std::to_string(architecture_schema_version),
                         std::to_string(*version)}});
    }
    if (json.contains("name")) spec.name = reader.text(json, "name", "name");
    for (const ParameterDescription& each : dimension_parameters()) {
        if (!json.contains(each.key))
            reader.refuse(each.key, "is missing");
        else if (const auto value = reader.integer(json, each.key, each.key))
            set_dimension(spec, each.key, *value);
    }
    for (const auto& [key, value] : json.items())
        if (key != "schema_version" && key != "name" && key != "layers" &&
            !find_parameter(dimension_parameters(), key))
            reader.refuse(key, "is no key of an architecture");
    if (!json.contains("layers")) {
        reader.refuse("layers", "is missing");
    } else if (const Json& layers = json.at("layers"); !layers.is_array()) {
        reader.refuse("layers", "must be a list", found_in(layers));
    } else {
        std::vector<bool> has_id;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            spec.layers.push_back(reader.layer(layers[i], layer_path(i), spec));
            has_id.push_back(layers[i].is_object() && layers[i].contains("id"));
        }
        give_fresh_ids(spec, has_id);
    }
    if (!reader.problems.empty()) return tl::unexpected(std::move(reader.problems));
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
