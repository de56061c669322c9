// A parameter is described once; JSON, the inspector form, the diff, --set, the shorthand and the
// documentation follow from it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace braid {

using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

// Shortest text that parses back to the value: "1024", "1e5", "true", "rope". What the shorthand, --set and
// JSON messages show; grouping digits ("1,024") is left to views.
std::string to_text(const ParameterValue& value);

// A single word of the shorthand that sets a parameter: "nope" for position=nope.
struct ParameterWord {
    std::string word;
    ParameterValue value;
};

struct ParameterDescription {
    std::string key;                        // "window": JSON key, --set key, shorthand key
    std::string label;                      // "Window"
    std::string unit = {};                  // "tokens"; shown outside the field
    std::string help = {};                  // one sentence
    ParameterValue default_value = {};      // its alternative is the type of the parameter
    double minimum = 0;                     // inclusive; for integer and real
    double maximum = 0;                     // inclusive
    std::vector<std::string> choices = {};  // for text: the values allowed; empty: any text
    // "position=rope", "rope_scaling=yarn|llama3": shown and used only when that holds and the parameter it
    // names is in use itself.
    std::string only_if = {};
    std::string short_key = {};  // "w": accepted in the shorthand beside the key, and written there
    std::vector<ParameterWord> words = {};  // "nope", "nosink"
};

const ParameterDescription* find_parameter(const std::vector<ParameterDescription>& descriptions,
                                           std::string_view key);

// "a whole number", "a number", "true or false", "text": for messages.
std::string_view type_name(const ParameterValue& value);

// Text to a value of the description's type; the diagnostic's path is `path`. Whole numbers may be written
// "1e6", flags "true/false", "on/off", "yes/no", "1/0".
Checked<ParameterValue> read_parameter(const ParameterDescription& description, std::string_view text,
                                       const std::string& path);
// The same, and the value is one that the description allows.
Checked<ParameterValue> parse_parameter(const ParameterDescription& description, std::string_view text,
                                        const std::string& path);
// A JSON number, text, true or false; anything else is a diagnostic. The type is not yet the described one.
Checked<ParameterValue> parameter_from_json(const Json& json, const std::string& path);
Json to_json(const ParameterValue& value);
// What a diagnostic shows of a JSON value: at most 60 characters of its text.
std::string found_in(const Json& json);

// A JSON file has 100000 for a real and 16.0 for a whole number: the value in the described type where that
// loses nothing, else unchanged (check_parameter then names the rule).
ParameterValue coerced(const ParameterDescription& description, ParameterValue value);

// The rule that the value breaks, if any.
std::optional<Diagnostic> check_parameter(const ParameterDescription& description,
                                          const ParameterValue& value, const std::string& path);

// Values by key. A key that is absent has its description's default.
class ParameterValues {
public:
    ParameterValues() = default;
    const ParameterValue* find(std::string_view key) const;
    void set(const std::string& key, ParameterValue value) { values_[key] = std::move(value); }
    void reset(const std::string& key) { values_.erase(key); }
    auto begin() const { return values_.begin(); }
    auto end() const { return values_.end(); }
    bool empty() const { return values_.empty(); }
    std::size_t size() const { return values_.size(); }
    bool operator==(const ParameterValues&) const = default;

    // The value in its described type, or the default. Aborts on a key that is not described (programmer
    // error).
    ParameterValue get(std::string_view key, const std::vector<ParameterDescription>& descriptions) const;
    // The same where the type is known: of a validated spec. Aborts on another type.
    bool flag(std::string_view key, const std::vector<ParameterDescription>& descriptions) const;
    std::int64_t integer(std::string_view key, const std::vector<ParameterDescription>& descriptions) const;
    double real(std::string_view key, const std::vector<ParameterDescription>& descriptions) const;
    std::string text(std::string_view key, const std::vector<ParameterDescription>& descriptions) const;

private:
    std::map<std::string, ParameterValue, std::less<>> values_;
};

// Whether `only_if` holds, so that the parameter has an effect.
bool is_active(const ParameterDescription& description, const ParameterValues& values,
               const std::vector<ParameterDescription>& descriptions);

// "rope_scaling=yarn" of "rope_scaling=yarn|llama3": a setting under which the parameter is in use.
std::string first_condition(const ParameterDescription& description);

// Without values that equal their default or have no effect, the rest in the described types: two equal
// results mean the same. Keys that are not described stay.
ParameterValues normalised(const ParameterValues& values,
                           const std::vector<ParameterDescription>& descriptions);

// "unknown parameter of Sliding window (window, position, ...)", and every value that breaks its rule. Paths
// are `path` + "." + key.
Diagnostics check_parameters(const ParameterValues& values,
                             const std::vector<ParameterDescription>& descriptions, const std::string& owner,
                             const std::string& path);

}  // namespace braid
