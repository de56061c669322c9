// What the JSON forms of scores and measurements share.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "core/base/json_reader.h"

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

}  // namespace braid
