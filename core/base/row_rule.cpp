#include "core/base/row_rule.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/parse_number.h"

namespace braid {
namespace {

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

}  // namespace

Checked<RowRule> parse_row_rule(std::string_view text, const std::string& path) {
    RowRule rule{.text = std::string(text)};
    std::string_view conditions = text;
    if (const std::size_t colon = text.find(": "); colon != std::string_view::npos) {
        conditions = text.substr(0, colon);
        rule.reason = trimmed(text.substr(colon + 2));
    }
    if (trimmed(conditions) == "largest") {
        rule.largest = true;
        return rule;
    }
    Diagnostics problems;
    for (;;) {
        const std::size_t comma = conditions.find(',');
        const std::string_view part = conditions.substr(0, comma);
        const std::size_t at = part.find_first_of("=!<>");
        RowCondition condition;
        if (at != std::string_view::npos) {
            constexpr std::array<std::string_view, 6> comparisons = {"<=", ">=", "!=", "=", "<", ">"};
            for (const std::string_view comparison : comparisons)
                if (part.substr(at, comparison.size()) == comparison) {
                    condition = {trimmed(part.substr(0, at)), std::string(comparison),
                                 trimmed(part.substr(at + comparison.size()))};
                    break;
                }
        }
        if (condition.column.empty() || condition.comparison.empty() || condition.value.empty())
            problems.push_back({.path = path,
                                .rule = "must be largest, or COLUMN=VALUE with one of = != < <= > >=",
                                .found = trimmed(part)});
        rule.conditions.push_back(std::move(condition));
        if (comma == std::string_view::npos) break;
        conditions.remove_prefix(comma + 1);
    }
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return rule;
}

bool holds(const RowRule& rule,
           const std::function<std::optional<std::string>(const std::string& column)>& cell) {
    return std::all_of(rule.conditions.begin(), rule.conditions.end(), [&](const RowCondition& condition) {
        const std::optional<std::string> found = cell(condition.column);
        return found && compare_cells(*found, condition.comparison, condition.value);
    });
}

bool compare_cells(const std::string& cell, const std::string& comparison, const std::string& value) {
    const std::optional<double> a = parse_number(cell), b = parse_number(value);
    if (!a || !b) return comparison == "=" ? cell == value : comparison == "!=" && cell != value;
    const bool equal = *a == *b || std::abs(*a - *b) <= 1e-6 * std::abs(*b);
    if (comparison == "=") return equal;
    if (comparison == "!=") return !equal;
    if (comparison == "<") return *a < *b && !equal;
    if (comparison == "<=") return *a < *b || equal;
    if (comparison == ">") return *a > *b && !equal;
    return *a > *b || equal;
}

}  // namespace braid
