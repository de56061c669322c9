#include "core/spec/study.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "core/base/json_reader.h"

namespace braid {
namespace {

constexpr std::size_t max_seeds = 1000;
constexpr std::size_t max_variants = 1000;
constexpr std::size_t max_name = 100;

// A study's own list of seeds takes the place of the training's.
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
        json["scale"] = variant.scale;
    }
    for (const auto& [key, value] : variant.overrides) json["overrides"][key] = to_json(value);
    return json;
}

bool is_name(std::string_view text) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_' || c == '.';
    };
    return !text.empty() && text.size() <= max_name && text.front() != '.' && text.front() != '-' &&
           std::all_of(text.begin(), text.end(), allowed);
}

}  // namespace

Json to_json(const StudySpec& spec) {
    Json json = {{"schema_version", study_schema_version}, {"name", spec.name}, {"title", spec.title}};
    if (!spec.description.empty()) json["description"] = spec.description;
    json["training"] = to_json(spec.training);
    json["training"].erase("seed");
    json["data"] = to_json(spec.data);
    json["seeds"] = spec.seeds;
    json["measure"] = {{"metric", spec.measure.metric}, {"threshold", spec.measure.threshold}};
    json["variants"] = Json::array();
    for (const StudyVariant& variant : spec.variants) json["variants"].push_back(variant_to_json(variant));
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
    if (const Json* variants = reader.find("variants")) {
        if (!variants->is_array())
            reader.report("variants", "must be a list", *variants);
        else if (variants->size() > max_variants)
            reader.report("variants", "must be at most 1,000", variants->size());
        else
            for (std::size_t i = 0; i < variants->size(); ++i)
                spec.variants.push_back(
                    read_variant((*variants)[i], "variants[" + std::to_string(i) + "]", problems));
    }
    if (const Json* seeds = reader.find("seeds")) {
        spec.seeds.clear();
        if (!seeds->is_array())
            reader.report("seeds", "must be a list of integers from 0", *seeds);
        else
            for (std::size_t i = 0; i < seeds->size(); ++i) {
                const Json& seed = (*seeds)[i];
                if (seed.is_number_unsigned() || (seed.is_number_integer() && seed.get<std::int64_t>() >= 0))
                    spec.seeds.push_back(seed.get<std::uint64_t>());
                else
                    reader.report("seeds[" + std::to_string(i) + "]", "must be an integer from 0", seed);
            }
    }
    if (const Json* measure = reader.find("measure")) {
        JsonReader inner(*measure, "measure", problems);
        inner.text("metric", spec.measure.metric);
        inner.number("threshold", spec.measure.threshold);
        inner.refuse_unknown_keys();
    }
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected<Diagnostics>(std::move(problems));
    return spec;
}

Diagnostics validate(const StudySpec& spec) {
    Diagnostics problems;
    const auto report = [&problems](std::string path, std::string rule, std::string found) {
        problems.push_back({.path = std::move(path), .rule = std::move(rule), .found = std::move(found)});
    };
    if (!is_name(spec.name))
        report("name", "must be 1 to 100 letters, digits, '-', '_' or '.', and begin with a letter or digit",
               spec.name.substr(0, 60));
    for (Diagnostic problem : validate(spec.training)) {
        problem.path = "training." + problem.path;
        problems.push_back(std::move(problem));
    }
    if (spec.variants.empty()) report("variants", "must have at least one", "0");
    std::set<std::string> keys;
    for (std::size_t i = 0; i < spec.variants.size(); ++i) {
        const StudyVariant& variant = spec.variants[i];
        const std::string path = "variants[" + std::to_string(i) + "]";
        if (variant.label.empty())
            report(path + ".label", "must not be empty", "");
        else if (slug(variant.label).empty())
            report(path + ".label", "must have a letter or a digit", variant.label);
        else if (!keys.insert(slug(variant.label)).second)
            report(path + ".label", "must differ from the other labels", variant.label);
        if (variant.architecture.empty()) {
            if (variant.pattern.empty()) report(path + ".pattern", "must not be empty", "");
            if (variant.scale.empty()) report(path + ".scale", "must not be empty", "");
        } else if (!variant.pattern.empty() || !variant.scale.empty()) {
            report(path, "must have either an architecture or a pattern and a scale", variant.architecture);
        }
        if (variant.overrides.empty()) continue;
        const StudyPoint point{.variant = i, .seed = spec.training.seed};
        for (Diagnostic problem : validate(training_of(spec, point))) {
            problem.path = path + ".overrides." + problem.path;
            problems.push_back(std::move(problem));
        }
    }
    if (spec.seeds.empty()) report("seeds", "must have at least one", "0");
    if (spec.seeds.size() > max_seeds)
        report("seeds", "must be at most 1,000", std::to_string(spec.seeds.size()));
    if (std::set<std::uint64_t>(spec.seeds.begin(), spec.seeds.end()).size() != spec.seeds.size())
        report("seeds", "must differ from each other", "");
    if (spec.measure.metric.empty()) report("measure.metric", "must not be empty", "");
    if (!std::isfinite(spec.measure.threshold))
        report("measure.threshold", "must be finite", std::to_string(spec.measure.threshold));
    return problems;
}

std::vector<StudyPoint> study_points(const StudySpec& spec) {
    std::vector<StudyPoint> points;
    for (const std::uint64_t seed : spec.seeds)
        for (std::size_t i = 0; i < spec.variants.size(); ++i)
            points.push_back({.variant = i,
                              .seed = seed,
                              .key = slug(spec.variants[i].label) + "/seed-" + std::to_string(seed)});
    return points;
}

TrainingSpec training_of(const StudySpec& spec, const StudyPoint& point) {
    TrainingSpec training = spec.training;
    for (const auto& [key, value] : spec.variants.at(point.variant).overrides)
        set_training_value(training, key, value);
    training.seed = point.seed;
    return training;
}

Checked<std::vector<std::uint64_t>> parse_seeds(std::string_view text) {
    std::vector<std::uint64_t> seeds;
    Diagnostics problems;
    const auto number = [](std::string_view part) -> std::optional<std::uint64_t> {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (part.empty() || error != std::errc{} || end != part.data() + part.size()) return std::nullopt;
        return value;
    };
    const auto add = [&](std::uint64_t seed) {
        if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) seeds.push_back(seed);
    };
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::string_view part = text.substr(begin, comma - begin);
        const std::size_t dash = part.find('-');
        const auto first = number(part.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
        if (!first || !last || *last < *first || *last - *first >= max_seeds)
            problems.push_back({.path = "seeds",
                                .rule = "must be integers and ranges such as 1,2,5-8 (at most 1,000)",
                                .found = std::string(part.substr(0, 60)),
                                .span = TextSpan{begin, comma}});
        else
            for (std::uint64_t seed = *first; seeds.size() < max_seeds; ++seed) {
                add(seed);
                if (seed == *last) break;
            }
        begin = comma + 1;
    }
    if (!problems.empty()) return tl::unexpected<Diagnostics>(std::move(problems));
    return seeds;
}

std::string slug(std::string_view label) {
    std::string text;
    bool gap = false;
    for (const char c : label) {
        const bool upper = c >= 'A' && c <= 'Z';
        if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
            static_cast<unsigned char>(c) >= 0x80) {
            if (gap && !text.empty()) text += '-';
            gap = false;
            text += upper ? static_cast<char>(c - 'A' + 'a') : c;
        } else {
            gap = true;
        }
    }
    return text;
}

}  // namespace braid
