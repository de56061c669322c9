// Studies as files.
#include <algorithm>
#include <optional>

#include "core/base/json_reader.h"
#include "core/spec/study.h"

namespace braid {
namespace {

constexpr std::size_t max_entries = 1000;  // of any list

// A study's own lists of seeds and budgets take the place of the training's.
void read_overrides(const Json& json, const std::string& path, ParameterValues& overrides,
                    Diagnostics& problems) {
    JsonReader reader(json, path, problems);
    if (!json.is_object()) return;
    for (const auto& [key, value] : json.items()) {
        const ParameterDescription* description = find_parameter(training_parameters(), key);
        if (description == nullptr || key == "seed") {
            reader.report(reader.place(key),
                          key == "seed" ? "is given by the study's seeds" : "is no training setting", value);
            continue;
        }
        Checked<ParameterValue> read = parameter_from_json(value, reader.place(key));
        if (!read) {
            problems.insert(problems.end(), read.error().begin(), read.error().end());
            continue;
        }
        const ParameterValue typed = coerced(*description, *std::move(read));
        if (typed.index() != description->default_value.index())
            reader.report(reader.place(key), "must be " + std::string(type_name(description->default_value)),
                          value);
        else if (std::optional<Diagnostic> broken = check_parameter(*description, typed, reader.place(key)))
            problems.push_back(*std::move(broken));
        else
            overrides.set(key, typed);
    }
}

Json overrides_to_json(const ParameterValues& overrides) {
    Json json = Json::object();
    for (const auto& [key, value] : overrides) json[key] = to_json(value);
    return json;
}

// Calls read(entry, path) for each of a list.
template <class Read>
void read_list(JsonReader& reader, const std::string& key, const Read& read) {
    const Json* list = reader.find(key);
    if (list == nullptr) return;
    if (!list->is_array())
        reader.report(reader.place(key), "must be a list", *list);
    else if (list->size() > max_entries)
        reader.report(reader.place(key), "must have at most 1,000 entries", list->size());
    else
        for (std::size_t i = 0; i < list->size(); ++i)
            read((*list)[i], reader.place(key) + "[" + std::to_string(i) + "]");
}

void read_texts(JsonReader& reader, const std::string& key, std::vector<std::string>& texts) {
    read_list(reader, key, [&](const Json& entry, const std::string& path) {
        if (entry.is_string())
            texts.push_back(entry.get<std::string>());
        else
            reader.report(path, "must be a text", entry);
    });
}

StudyVariant read_variant(const Json& json, const std::string& path, Diagnostics& problems) {
    StudyVariant variant;
    JsonReader reader(json, path, problems);
    reader.text("label", variant.label);
    reader.text("architecture", variant.architecture);
    reader.text("pattern", variant.pattern);
    reader.text("scale", variant.scale);
    if (const Json* overrides = reader.find("overrides"))
        read_overrides(*overrides, reader.place("overrides"), variant.overrides, problems);
    reader.refuse_unknown_keys();
    return variant;
}

Json variant_to_json(const StudyVariant& variant) {
    Json json = {{"label", variant.label}};
    if (!variant.architecture.empty()) {
        json["architecture"] = variant.architecture;
    } else {
        json["pattern"] = variant.pattern;
        if (!variant.scale.empty()) json["scale"] = variant.scale;
    }
    if (!variant.overrides.empty()) json["overrides"] = overrides_to_json(variant.overrides);
    return json;
}

// The dimensions of a scale by their keys.
constexpr std::pair<const char*, std::int64_t Scale::*> dimensions[] = {
    {"layers", &Scale::layers}, {"d_model", &Scale::d_model},   {"ffn_width", &Scale::ffn_width},
    {"heads", &Scale::heads},   {"kv_heads", &Scale::kv_heads}, {"head_dim", &Scale::head_dim},
    {"vocab", &Scale::vocab}};

StudyScale read_scale(const Json& json, const std::string& path, Diagnostics& problems) {
    StudyScale scale;
    if (json.is_string()) {
        scale.name = json.get<std::string>();
        return scale;
    }
    JsonReader reader(json, path, problems);
    reader.text("name", scale.name);
    if (const Json* sizes = reader.find("sizes")) {
        JsonReader inner(*sizes, reader.place("sizes"), problems);
        scale.sizes.emplace().name = scale.name;
        for (const auto& [key, member] : dimensions) {
            if (inner.is_object()) inner.require(key);
            inner.integer(key, (*scale.sizes).*member, 1, std::int64_t{1} << 24);
        }
        inner.refuse_unknown_keys();
    }
    if (const Json* training = reader.find("training"))
        read_overrides(*training, reader.place("training"), scale.overrides, problems);
    reader.refuse_unknown_keys();
    return scale;
}

Json scale_to_json(const StudyScale& scale) {
    if (!scale.sizes && scale.overrides.empty()) return scale.name;
    Json json = {{"name", scale.name}};
    if (scale.sizes)
        for (const auto& [key, member] : dimensions) json["sizes"][key] = (*scale.sizes).*member;
    if (!scale.overrides.empty()) json["training"] = overrides_to_json(scale.overrides);
    return json;
}

StudyAxis read_axis(const Json& json, const std::string& path, Diagnostics& problems) {
    StudyAxis axis;
    JsonReader reader(json, path, problems);
    reader.text("key", axis.key);
    read_list(reader, "values", [&](const Json& entry, const std::string& place) {
        Checked<ParameterValue> value = parameter_from_json(entry, place);
        if (value)
            axis.values.push_back(*std::move(value));
        else
            problems.insert(problems.end(), value.error().begin(), value.error().end());
    });
    reader.refuse_unknown_keys();
    return axis;
}

Json axis_to_json(const StudyAxis& axis) {
    Json values = Json::array();
    for (const ParameterValue& value : axis.values) values.push_back(to_json(value));
    return {{"key", axis.key}, {"values", std::move(values)}};
}

void read_seeds(JsonReader& reader, std::vector<std::uint64_t>& seeds) {
    const Json* json = reader.find("seeds");
    if (json == nullptr) return;
    seeds.clear();
    if (!json->is_array()) {
        reader.report("seeds", "must be a list of integers from 0", *json);
        return;
    }
    for (std::size_t i = 0; i < json->size(); ++i) {
        const Json& seed = (*json)[i];
        if (seed.is_number_unsigned() || (seed.is_number_integer() && seed.get<std::int64_t>() >= 0))
            seeds.push_back(seed.get<std::uint64_t>());
        else
            reader.report("seeds[" + std::to_string(i) + "]", "must be an integer from 0", seed);
    }
}

void read_fit(const Json& json, StudyFit& fit, Diagnostics& problems) {
    JsonReader reader(json, "fit", problems);
    read_texts(reader, "metrics", fit.metrics);
    reader.text("form", fit.form);
    read_texts(reader, "held_out", fit.held_out);
    read_texts(reader, "excluded", fit.excluded);
    reader.refuse_unknown_keys();
}

Json fit_to_json(const StudyFit& fit) {
    Json json = {{"form", fit.form}};
    if (!fit.metrics.empty()) json["metrics"] = fit.metrics;
    if (!fit.held_out.empty()) json["held_out"] = fit.held_out;
    if (!fit.excluded.empty()) json["excluded"] = fit.excluded;
    return json;
}

}  // namespace

Json to_json(const StudySpec& spec) {
    Json json = {{"schema_version", study_schema_version}, {"name", spec.name}, {"title", spec.title}};
    if (!spec.description.empty()) json["description"] = spec.description;
    json["training"] = to_json(spec.training);
    json["training"].erase("seed");
    json["data"] = to_json(spec.data);
    json["variants"] = Json::array();
    for (const StudyVariant& variant : spec.variants) json["variants"].push_back(variant_to_json(variant));
    for (const StudyScale& scale : spec.scales) json["scales"].push_back(scale_to_json(scale));
    if (!spec.budgets.empty()) json["budgets"] = spec.budgets;
    for (const StudyAxis& axis : spec.axes) json["axes"].push_back(axis_to_json(axis));
    json["seeds"] = spec.seeds;
    if (!spec.excluded.empty()) json["excluded"] = spec.excluded;
    if (!spec.branching) json["branching"] = false;
    if (!spec.evaluations.empty()) json["evaluations"] = spec.evaluations;
    json["measure"] = {{"metric", spec.measure.metric}, {"threshold", spec.measure.threshold}};
    if (!(spec.fit == StudyFit{})) json["fit"] = fit_to_json(spec.fit);
    return json;
}

Checked<StudySpec> study_from_json(const Json& json) {
    StudySpec spec;
    Diagnostics problems;
    JsonReader reader(json, "", problems);
    if (!reader.schema_version(study_schema_version)) return tl::unexpected<Diagnostics>(std::move(problems));
    reader.text("name", spec.name);
    reader.text("title", spec.title);
    reader.text("description", spec.description);
    if (const Json* training = reader.find("training"))
        reader.take("training", training_from_json(*training), spec.training);
    if (const Json* data = reader.find("data")) reader.take("data", data_from_json(*data), spec.data);
    read_list(reader, "variants", [&](const Json& entry, const std::string& path) {
        spec.variants.push_back(read_variant(entry, path, problems));
    });
    read_list(reader, "scales", [&](const Json& entry, const std::string& path) {
        spec.scales.push_back(read_scale(entry, path, problems));
    });
    read_list(reader, "budgets", [&](const Json& entry, const std::string& path) {
        if (entry.is_number())
            spec.budgets.push_back(entry.get<double>());
        else
            reader.report(path, "must be a number: tokens per parameter", entry);
    });
    read_list(reader, "axes", [&](const Json& entry, const std::string& path) {
        spec.axes.push_back(read_axis(entry, path, problems));
    });
    read_seeds(reader, spec.seeds);
    read_texts(reader, "excluded", spec.excluded);
    reader.flag("branching", spec.branching);
    read_texts(reader, "evaluations", spec.evaluations);
    if (const Json* measure = reader.find("measure")) {
        JsonReader inner(*measure, "measure", problems);
        inner.text("metric", spec.measure.metric);
        inner.number("threshold", spec.measure.threshold);
        inner.refuse_unknown_keys();
    }
    if (const Json* fit = reader.find("fit")) read_fit(*fit, spec.fit, problems);
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected<Diagnostics>(std::move(problems));
    return spec;
}

}  // namespace braid
