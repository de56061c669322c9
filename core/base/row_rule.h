// Which rows of a table, or points of a study, are meant: "scale=S4", "tokens<2e9", "architecture=Full,
// tokens_per_parameter<=100: too early".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace braid {

struct RowCondition {
    std::string column;
    std::string comparison;  // = != < <= > >=
    std::string value;
};

// Conditions that all hold; what stands behind ": " is the reason.
struct RowRule {
    std::string text = {};  // as it was given
    std::vector<RowCondition> conditions = {};
    std::string reason = {};
    bool largest = false;  // the word "largest": the most parameters (of each group)
};

// "largest", or conditions parted by commas. `path` names the option.
Checked<RowRule> parse_row_rule(std::string_view text, const std::string& path);

// Whether all its conditions hold of what cell(column) tells; a column that nothing is known of holds none.
// Not for `largest`.
bool holds(const RowRule& rule,
           const std::function<std::optional<std::string>(const std::string& column)>& cell);

// Two texts, compared as numbers where both are (equal: to a millionth), as text otherwise, where only = and
// != can hold.
bool compare_cells(const std::string& cell, const std::string& comparison, const std::string& value);

}  // namespace braid
