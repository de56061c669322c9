// What the JSON forms of scores and measurements share.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_reader.h"
#include "core/record/run_plan.h"

namespace braid {

// JSON has no NaN: it is written as null and read as absent.
inline Json finite_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
inline Json finite_json(const std::optional<double>& value) {
    return value ? finite_json(*value) : Json(nullptr);
}

inline void read_optional(JsonReader& reader, const std::string& key, std::optional<double>& value) {
    const Json* json = reader.find(key);
    if (json == nullptr || json->is_null()) return;
    double read = 0;
    reader.number(key, read);
    if (json->is_number()) value = read;
}

// f(item, place) for each item of the list at `key`, if there is one; `place` as the reader gives it.
template <class F>
void each_item(JsonReader& reader, const std::string& key, F&& f) {
    const Json* list = reader.find(key);
    if (list == nullptr) return;
    if (!list->is_array()) {
        reader.report(reader.place(key), "must be a list", *list);
        return;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
        std::string place = reader.place(key);
        place.append("[").append(std::to_string(i)).append("]");
        f((*list)[i], place);
    }
}

// A list of numbers; NaN in the vector is null in the file.
inline Json numbers_json(const std::vector<double>& values) {
    Json json = Json::array();
    for (const double value : values) json.push_back(finite_json(value));
    return json;
}
inline void read_numbers(JsonReader& reader, const std::string& key, std::vector<double>& values) {
    each_item(reader, key, [&](const Json& value, const std::string& place) {
        if (value.is_number())
            values.push_back(value.get<double>());
        else if (value.is_null())
            values.push_back(std::numeric_limits<double>::quiet_NaN());
        else
            reader.report(place, "must be a number or null", value);
    });
}

inline void read_texts(JsonReader& reader, const std::string& key, std::vector<std::string>& texts) {
    each_item(reader, key, [&](const Json& text, const std::string& place) {
        if (text.is_string())
            texts.push_back(text.get<std::string>());
        else
            reader.report(place, "must be a text", text);
    });
}

// What every record begins with: of which checkpoint it is, how it was made, and when.
template <class Record>
Json head_json(int version, const Record& record) {
    return {{"schema_version", version},
            {"kind", record.kind},
            {"created", record.created},
            {"command", record.command},
            {"checkpoint", to_json(record.checkpoint)},
            {"settings", record.settings}};
}

// `ids`: of the kinds that there are.
template <class Record>
void read_head(JsonReader& reader, const std::vector<std::string_view>& ids, Record& record) {
    if (reader.require("kind") != nullptr) reader.text("kind", record.kind);
    std::string list;
    bool known = record.kind.empty();
    for (const std::string_view id : ids) {
        list.append(list.empty() ? "" : ", ").append(id);
        known = known || id == record.kind;
    }
    if (!known) reader.report("kind", "must be one of " + list, record.kind);
    reader.text("created", record.created);
    reader.text("command", record.command);
    if (const Json* checkpoint = reader.require("checkpoint"))
        reader.take("checkpoint", origin_from_json(*checkpoint), record.checkpoint);
    if (const Json* settings = reader.require("settings")) {
        if (settings->is_object())
            record.settings = *settings;
        else
            reader.report("settings", "must be an object", *settings);
    }
}

}  // namespace braid
