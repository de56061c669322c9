// Keys of a config.json with all that is wrong with them. null counts as absent but for the few keys of which
// transformers takes null for a value of its own: is_null().
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/spec/parameter.h"

namespace braid {

class HfReader {
public:
    HfReader(const Json& json, std::string path, Diagnostics& problems)
        : json_(json), path_(std::move(path)), problems_(problems) {}

    const Json* find(const std::string& key) {
        known_.insert(key);
        const auto found = json_.find(key);
        return found == json_.end() || found->is_null() ? nullptr : &*found;
    }
    // Written as null; false where it is absent.
    bool is_null(const std::string& key) {
        known_.insert(key);
        const auto found = json_.find(key);
        return found != json_.end() && found->is_null();
    }
    // 0 and a problem where it is not there.
    std::int64_t require_integer(const std::string& key) {
        if (!find(key)) {
            report(key, "must be given");
            return 0;
        }
        return integer(key, 0);
    }
    std::int64_t integer(const std::string& key, std::int64_t usual) {
        const Json* value = find(key);
        if (!value) return usual;
        if (value->is_number_integer() &&
            !(value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{1} << 53))
            return value->get<std::int64_t>();
        report(key, "must be a whole number", *value);
        return usual;
    }
    double real(const std::string& key, double usual) {
        const Json* value = find(key);
        if (!value) return usual;
        if (value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
        report(key, "must be a number", *value);
        return usual;
    }
    bool flag(const std::string& key, bool usual) {
        const Json* value = find(key);
        if (!value) return usual;
        if (value->is_boolean()) return value->get<bool>();
        report(key, "must be true or false", *value);
        return usual;
    }
    std::string text(const std::string& key, const std::string& usual) {
        const Json* value = find(key);
        if (!value) return usual;
        if (value->is_string()) return value->get<std::string>();
        report(key, "must be text", *value);
        return usual;
    }
    // A setting that Braid has only one value for.
    void refuse_unless(bool fine, const std::string& key, const std::string& rule) {
        const Json* value = find(key);
        if (!fine && value) report(key, rule, *value);
    }

    std::string place(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
    void report(const std::string& key, std::string rule, const Json& found) {
        add({.path = place(key), .rule = std::move(rule), .found = found_in(found)});
    }
    void report(const std::string& key, std::string rule) {
        add({.path = place(key), .rule = std::move(rule), .found = ""});
    }
    void add(const Diagnostic& problem) {
        // Settings that several layers share are read for each of them.
        if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end())
            problems_.push_back(problem);
    }
    bool knows(const std::string& key) const { return known_.contains(key); }
    const Json& json() const { return json_; }

private:
    const Json& json_;
    std::string path_;
    Diagnostics& problems_;
    std::set<std::string> known_;
};

}  // namespace braid
