// A parameter is described once; JSON, the inspector form, the diff, --set and the documentation follow from
// it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace braid {

using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

// "1,024" is for people; to_text gives "1024", "1e5", "true", "rope": what the shorthand and --set accept.
std::string to_text(const ParameterValue& value);

struct ParameterDescription {
    std::string key;                        // "window": JSON key, --set key, shorthand key
    std::string label;                      // "Window"
    std::string unit = {};                  // "tokens"; shown outside the field
    std::string help = {};                  // one sentence
    ParameterValue default_value;           // its alternative is the type of the parameter
    double minimum = 0;                     // inclusive; for integer and real
    double maximum = 0;                     // inclusive
    std::vector<std::string> choices = {};  // for text: the values allowed; empty: any text
    std::string only_if = {};               // "position=rope": shown and used only when that holds
};

// Text to a value of the description's type and range; the diagnostic's path is `path`.
Checked<ParameterValue> parse_parameter(const ParameterDescription& description, std::string_view text,
                                        const std::string& path);
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
    bool operator==(const ParameterValues&) const = default;

    // The value, or the default in `descriptions`. Aborts on a key that is not described (programmer error).
    const ParameterValue& get(std::string_view key,
                              const std::vector<ParameterDescription>& descriptions) const;

private:
    std::map<std::string, ParameterValue, std::less<>> values_;
};

}  // namespace braid
