#include "core/spec/parameter.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/spec/number_text.h"

namespace braid {
namespace {

[[noreturn]] void abort_with(std::string_view what, std::string_view key) {
    std::fprintf(stderr, "braid: parameter '%.*s': %.*s\n", static_cast<int>(key.size()), key.data(),
                 static_cast<int>(what.size()), what.data());
    std::abort();
}

constexpr std::size_t longest_found = 60;

std::string in_quotes(std::string_view text) { return "\"" + shortened(text, longest_found) + "\""; }

std::string found_text(const ParameterValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return in_quotes(*text);
    return to_text(value);
}

std::string joined(const std::vector<std::string>& words, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? std::string(last) : ", ";
        text += words[i];
    }
    return text;
}

std::string limit_text(const ParameterDescription& description, double limit) {
    if (std::holds_alternative<std::int64_t>(description.default_value))
        return std::to_string(static_cast<std::int64_t>(limit));
    return shortest(limit);
}

}  // namespace

std::string to_text(const ParameterValue& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value)) return shortest(*real);
    return std::get<std::string>(value);
}

const ParameterDescription* find_parameter(const std::vector<ParameterDescription>& descriptions,
                                           std::string_view key) {
    const auto at = std::find_if(descriptions.begin(), descriptions.end(),
                                 [&](const ParameterDescription& each) { return each.key == key; });
    return at == descriptions.end() ? nullptr : &*at;
}

std::string_view type_name(const ParameterValue& value) {
    static constexpr std::string_view names[] = {"true or false", "a whole number", "a number", "text"};
    return names[value.index()];
}

Checked<ParameterValue> read_parameter(const ParameterDescription& description, std::string_view text,
                                       const std::string& path) {
    const std::string_view word = trimmed(text);
    std::optional<ParameterValue> value;
    if (std::holds_alternative<bool>(description.default_value)) {
        for (const std::string_view yes : {"true", "on", "yes", "1"})
            if (word == yes) value = true;
        for (const std::string_view no : {"false", "off", "no", "0"})
            if (word == no) value = false;
    } else if (std::holds_alternative<std::int64_t>(description.default_value)) {
        if (const auto integer = read_integer(word)) value = *integer;
    } else if (std::holds_alternative<double>(description.default_value)) {
        if (const auto real = read_real(word)) value = *real;
    } else {
        value = std::string(word);
    }
    if (!value)
        return tl::unexpected(Diagnostics{
            {path, "must be " + std::string(type_name(description.default_value)), in_quotes(word)}});
    return *std::move(value);
}

Checked<ParameterValue> parse_parameter(const ParameterDescription& description, std::string_view text,
                                        const std::string& path) {
    auto value = read_parameter(description, text, path);
    if (!value) return value;
    if (auto broken = check_parameter(description, *value, path))
        return tl::unexpected(Diagnostics{std::move(*broken)});
    return value;
}

std::string found_in(const Json& json) {
    return shortened(json.dump(-1, ' ', false, Json::error_handler_t::replace), longest_found);
}

Checked<ParameterValue> parameter_from_json(const Json& json, const std::string& path) {
    const auto refuse = [&](std::string rule) {
        return tl::unexpected(Diagnostics{{path, std::move(rule), found_in(json)}});
    };
    switch (json.type()) {
        case Json::value_t::boolean:
            return ParameterValue(json.get<bool>());
        case Json::value_t::number_unsigned:
            if (json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
                return refuse("must be at most 9223372036854775807");
            return ParameterValue(json.get<std::int64_t>());
        case Json::value_t::number_integer:
            return ParameterValue(json.get<std::int64_t>());
        case Json::value_t::number_float:
            return ParameterValue(json.get<double>());
        case Json::value_t::string:
            return ParameterValue(json.get<std::string>());
        default:
            return refuse("must be a number, text, true or false");
    }
}

Json to_json(const ParameterValue& value) {
    return std::visit([](const auto& each) { return Json(each); }, value);
}

ParameterValue coerced(const ParameterDescription& description, ParameterValue value) {
    constexpr double exact = 9007199254740992.0;  // 2^53: doubles hold every whole number up to it
    if (std::holds_alternative<double>(description.default_value)) {
        if (const auto* integer = std::get_if<std::int64_t>(&value);
            integer && std::abs(static_cast<double>(*integer)) <= exact)
            return static_cast<double>(*integer);
    } else if (std::holds_alternative<std::int64_t>(description.default_value)) {
        if (const auto* real = std::get_if<double>(&value);
            real && std::abs(*real) <= exact && std::nearbyint(*real) == *real)
            return static_cast<std::int64_t>(*real);
    }
    return value;
}

std::optional<Diagnostic> check_parameter(const ParameterDescription& description,
                                          const ParameterValue& given, const std::string& path) {
    const ParameterValue value = coerced(description, given);
    const auto broken = [&](std::string rule) {
        return Diagnostic{path, std::move(rule), found_text(value)};
    };
    if (value.index() != description.default_value.index())
        return broken("must be " + std::string(type_name(description.default_value)));
    if (const auto* text = std::get_if<std::string>(&value)) {
        if (!description.choices.empty() && std::find(description.choices.begin(), description.choices.end(),
                                                      *text) == description.choices.end())
            return broken("must be " + joined(description.choices, " or "));
        return std::nullopt;
    }
    double number = 0;
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        number = static_cast<double>(*integer);
    else if (const auto* real = std::get_if<double>(&value))
        number = *real;
    else
        return std::nullopt;
    if (!(number >= description.minimum))  // also NaN
        return broken("must be at least " + limit_text(description, description.minimum));
    if (number > description.maximum)
        return broken("must be at most " + limit_text(description, description.maximum));
    return std::nullopt;
}

const ParameterValue* ParameterValues::find(std::string_view key) const {
    const auto at = values_.find(key);
    return at == values_.end() ? nullptr : &at->second;
}

ParameterValue ParameterValues::get(std::string_view key,
                                    const std::vector<ParameterDescription>& descriptions) const {
    const ParameterDescription* description = find_parameter(descriptions, key);
    if (!description) abort_with("is not described", key);
    const ParameterValue* value = find(key);
    return value ? coerced(*description, *value) : description->default_value;
}

namespace {

template <class T>
T typed(ParameterValue value, std::string_view key) {
    if (auto* held = std::get_if<T>(&value)) return std::move(*held);
    abort_with("holds another type; validate the spec before it is used", key);
}

}  // namespace

bool ParameterValues::flag(std::string_view key,
                           const std::vector<ParameterDescription>& descriptions) const {
    return typed<bool>(get(key, descriptions), key);
}

std::int64_t ParameterValues::integer(std::string_view key,
                                      const std::vector<ParameterDescription>& descriptions) const {
    return typed<std::int64_t>(get(key, descriptions), key);
}

double ParameterValues::real(std::string_view key,
                             const std::vector<ParameterDescription>& descriptions) const {
    return typed<double>(get(key, descriptions), key);
}

std::string ParameterValues::text(std::string_view key,
                                  const std::vector<ParameterDescription>& descriptions) const {
    return typed<std::string>(get(key, descriptions), key);
}

bool is_active(const ParameterDescription& description, const ParameterValues& values,
               const std::vector<ParameterDescription>& descriptions) {
    if (description.only_if.empty()) return true;
    const std::string_view condition = description.only_if;
    const auto equals = condition.find('=');
    if (equals == std::string_view::npos) abort_with("only_if has no '='", description.key);
    const std::string_view owner = condition.substr(0, equals);
    const std::string value = to_text(values.get(owner, descriptions));
    if (!is_active(*find_parameter(descriptions, owner), values, descriptions)) return false;
    for (std::string_view wanted = condition.substr(equals + 1);;) {
        const auto end = wanted.find('|');
        if (value == wanted.substr(0, end)) return true;
        if (end == std::string_view::npos) return false;
        wanted.remove_prefix(end + 1);
    }
}

std::string first_condition(const ParameterDescription& description) {
    return description.only_if.substr(0, description.only_if.find('|'));
}

ParameterValues normalised(const ParameterValues& values,
                           const std::vector<ParameterDescription>& descriptions) {
    ParameterValues result;
    for (const auto& [key, value] : values) {
        const ParameterDescription* description = find_parameter(descriptions, key);
        if (!description) {
            result.set(key, value);
            continue;
        }
        ParameterValue typed_value = coerced(*description, value);
        if (typed_value != description->default_value && is_active(*description, values, descriptions))
            result.set(key, std::move(typed_value));
    }
    return result;
}

Diagnostics check_parameters(const ParameterValues& values,
                             const std::vector<ParameterDescription>& descriptions, const std::string& owner,
                             const std::string& path) {
    Diagnostics problems;
    for (const auto& [key, value] : values) {
        const std::string place = path.empty() ? key : path + "." + key;
        const ParameterDescription* description = find_parameter(descriptions, key);
        if (!description) {
            std::vector<std::string> keys;
            for (const ParameterDescription& each : descriptions) keys.push_back(each.key);
            std::string rule = "is no parameter of " + owner;
            if (!keys.empty()) rule += " (" + joined(keys, ", ") + ")";
            problems.push_back({place, std::move(rule), ""});
        } else if (auto broken = check_parameter(*description, value, place)) {
            problems.push_back(*std::move(broken));
        }
    }
    return problems;
}

}  // namespace braid
