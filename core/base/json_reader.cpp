#include "core/base/json_reader.h"

namespace braid {

JsonReader::JsonReader(const Json& json, std::string path, Diagnostics& problems)
    : json_(json), path_(std::move(path)), problems_(problems), is_object_(json.is_object()) {
    if (!is_object_) report(path_, "must be an object", json);
}

const Json* JsonReader::find(const std::string& key) {
    known_.insert(key);
    if (!is_object_) return nullptr;
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
}

const Json* JsonReader::require(const std::string& key) {
    const Json* found = find(key);
    if (found == nullptr && is_object_) report(place(key), "must be given");
    return found;
}

void JsonReader::text(const std::string& key, std::string& value) {
    const Json* json = find(key);
    if (json == nullptr) return;
    if (json->is_string())
        value = json->get<std::string>();
    else
        report(place(key), "must be a text", *json);
}

void JsonReader::number(const std::string& key, double& value) {
    const Json* json = find(key);
    if (json == nullptr) return;
    if (json->is_number())
        value = json->get<double>();
    else
        report(place(key), "must be a number", *json);
}

void JsonReader::flag(const std::string& key, bool& value) {
    const Json* json = find(key);
    if (json == nullptr) return;
    if (json->is_boolean())
        value = json->get<bool>();
    else
        report(place(key), "must be true or false", *json);
}

void JsonReader::integer(const std::string& key, std::int64_t& value, std::int64_t minimum,
                         std::int64_t maximum) {
    const Json* json = find(key);
    if (json == nullptr) return;
    const bool fits =
        json->is_number_integer() &&
        (!json->is_number_unsigned() ||
         json->get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    if (!fits)
        report(place(key), "must be an integer", *json);
    else if (json->get<std::int64_t>() < minimum)
        report(place(key), "must be at least " + std::to_string(minimum), *json);
    else if (json->get<std::int64_t>() > maximum)
        report(place(key), "must be at most " + std::to_string(maximum), *json);
    else
        value = json->get<std::int64_t>();
}

bool JsonReader::schema_version(int known) {
    const std::size_t before = problems_.size();
    std::int64_t version = 0;
    if (require("schema_version") != nullptr) integer("schema_version", version, 1);
    if (problems_.size() != before || version <= known) return true;
    report(place("schema_version"),
           "must be at most " + std::to_string(known) +
               ": a newer Braid wrote this, install it to open the file",
           version);
    return false;
}

void JsonReader::refuse_unknown_keys() {
    if (!is_object_) return;
    for (const auto& [key, value] : json_.items())
        if (!known_.contains(key)) report(place(key), "is not a known key", value);
}

void JsonReader::report(std::string path, std::string rule, const Json& found) {
    std::string text = found.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    problems_.push_back({.path = std::move(path), .rule = std::move(rule), .found = std::move(text)});
}

void JsonReader::report(std::string path, std::string rule) {
    problems_.push_back({.path = std::move(path), .rule = std::move(rule), .found = {}});
}

void JsonReader::add(const std::string& key, Diagnostics problems) {
    for (Diagnostic& problem : problems) {
        if (problem.path.empty())
            problem.path = place(key);
        else
            problem.path = place(key) + (problem.path.front() == '[' ? "" : ".") + problem.path;
        problems_.push_back(std::move(problem));
    }
}

}  // namespace braid
