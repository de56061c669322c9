#include "core/analysis/scaling_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/parse_number.h"

namespace braid {
namespace {

constexpr std::string_view per_parameter = "tokens_per_parameter";
constexpr std::string_view line_number = "line";

std::string shown(const std::string& text) {
    return text.empty() ? "nothing" : "'" + text.substr(0, 40) + "'";
}

std::string titles_of(const CsvTable& table) {
    std::string text;
    for (const std::string& title : table.titles)
        if (!title.empty()) text += (text.empty() ? "" : ", ") + title;
    return text;
}

struct Columns {
    std::size_t parameters = 0, tokens = 0, loss = 0;
    std::optional<std::size_t> group = {};
};

class Builder {
public:
    Builder(CsvTable table, const ScalingTableOptions& options)
        : options_(options), out_{.table = std::move(table), .points = {}} {}

    Checked<ScalingTable> build() {
        if (!find_columns()) return tl::unexpected(std::move(problems_));
        if (out_.table.rows.empty())
            problems_.push_back(
                {.path = {}, .rule = "must have rows below the titles; there are none", .found = {}});
        for (const CsvRow& row : out_.table.rows) out_.points.push_back(place_of(row));
        apply(options_.excluded, PointUse::excluded, "--exclude");
        apply(options_.held_out, PointUse::held_out, "--held-out");
        for (std::size_t i = 0; i < out_.points.size(); ++i) check(out_.table.rows[i], out_.points[i]);
        check_duplicates();
        if (!problems_.empty()) return tl::unexpected(std::move(problems_));
        add_warnings();
        return std::move(out_);
    }

private:
    std::optional<std::size_t> find(const std::string& title, const char* what) {
        const std::optional<std::size_t> column = out_.table.column(title);
        if (!column)
            problems_.push_back({.path = fmt::format("column of the {}", what),
                                 .rule = "must be one of " + titles_of(out_.table),
                                 .found = shown(title)});
        return column;
    }

    bool find_columns() {
        const auto parameters = find(options_.parameters, "parameters");
        const auto tokens = find(options_.tokens, "tokens");
        const auto loss = find(options_.loss, "loss");
        if (!options_.group.empty()) columns_.group = find(options_.group, "groups");
        if (!problems_.empty()) return false;
        columns_.parameters = *parameters;
        columns_.tokens = *tokens;
        columns_.loss = *loss;
        return true;
    }

    static double number(const std::string& cell) {
        return parse_number(cell).value_or(std::numeric_limits<double>::quiet_NaN());
    }

    ScalingPoint place_of(const CsvRow& row) const {
        return {.parameters = number(row.cells[columns_.parameters]),
                .tokens = number(row.cells[columns_.tokens]),
                .loss = number(row.cells[columns_.loss]),
                .group = columns_.group ? row.cells[*columns_.group] : std::string(),
                .line = row.line};
    }

    std::optional<std::string> cell(std::size_t i, const std::string& column) const {
        if (const auto at = out_.table.column(column)) return out_.table.rows[i].cells[*at];
        const ScalingPoint& point = out_.points[i];
        if (column == per_parameter) return fmt::format("{}", point.tokens / point.parameters);
        if (column == line_number) return fmt::format("{}", point.line);
        // The names of the roles, whatever their columns are called.
        if (column == "parameters") return fmt::format("{}", point.parameters);
        if (column == "tokens") return fmt::format("{}", point.tokens);
        if (column == "loss") return fmt::format("{}", point.loss);
        return std::nullopt;
    }

    bool holds(const RowRule& rule, std::size_t i, const std::map<std::string, double>& largest) const {
        if (rule.largest) return out_.points[i].parameters == largest.at(out_.points[i].group);
        return braid::holds(rule, [&](const std::string& column) { return cell(i, column); });
    }

    void apply(const std::vector<RowRule>& rules, PointUse use, const char* option) {
        std::map<std::string, double> largest;
        for (const ScalingPoint& point : out_.points) {
            if (point.use == PointUse::excluded) continue;
            double& most = largest.try_emplace(point.group, 0.0).first->second;
            most = std::max(most, std::isfinite(point.parameters) ? point.parameters : 0.0);
        }
        for (const RowRule& rule : rules) {
            bool known = true;
            for (const RowCondition& condition : rule.conditions)
                if (!out_.points.empty() && !cell(0, condition.column)) {
                    problems_.push_back(
                        {.path = option,
                         .rule = fmt::format("must ask for one of {}, {}, {}", titles_of(out_.table),
                                             per_parameter, line_number),
                         .found = shown(condition.column)});
                    known = false;
                }
            std::size_t met = 0;
            for (std::size_t i = 0; known && i < out_.points.size(); ++i) {
                ScalingPoint& point = out_.points[i];
                if (point.use == PointUse::excluded || !holds(rule, i, largest)) continue;
                point.use = use;
                if (use == PointUse::excluded) point.reason = rule.reason.empty() ? rule.text : rule.reason;
                ++met;
            }
            if (known && met == 0)
                problems_.push_back({.path = option, .rule = "must match a row", .found = shown(rule.text)});
        }
    }

    void check(const CsvRow& row, const ScalingPoint& point) {
        const auto positive = [&](std::size_t column, double value) {
            const std::string& text = row.cells[column];
            if (std::isfinite(value) && value > 0) return;
            const bool is_number = parse_number(text).has_value();
            problems_.push_back({.path = fmt::format("line {}, {}", row.line, out_.table.titles[column]),
                                 .rule = !is_number ? "must be a number such as 15000000 or 1.5e7"
                                         : !std::isfinite(value) ? "must be finite"
                                                                 : "must be above 0",
                                 .found = is_number ? text.substr(0, 40) : shown(text)});
        };
        if (columns_.group && point.group.empty())
            problems_.push_back(
                {.path = fmt::format("line {}, {}", row.line, out_.table.titles[*columns_.group]),
                 .rule = "must name a group",
                 .found = "nothing"});
        if (point.use == PointUse::excluded) return;
        positive(columns_.parameters, point.parameters);
        positive(columns_.tokens, point.tokens);
        positive(columns_.loss, point.loss);
    }

    void check_duplicates() {
        std::map<std::vector<std::string>, std::size_t> seen;
        for (const CsvRow& row : out_.table.rows) {
            const auto [first, is_new] = seen.try_emplace(row.cells, row.line);
            if (!is_new)
                problems_.push_back(
                    {.path = fmt::format("line {}", row.line),
                     .rule = fmt::format("must be there once: it repeats line {} in every column (tell seeds "
                                         "apart by a column)",
                                         first->second),
                     .found = {}});
        }
    }

    void add_warnings() {
        std::map<std::tuple<std::string, double, double>, std::size_t> places;
        std::vector<double> sizes, budgets;
        for (const ScalingPoint& point : out_.points) {
            if (point.use == PointUse::excluded) continue;
            ++places[{point.group, point.parameters, point.tokens}];
            sizes.push_back(point.parameters);
            budgets.push_back(point.tokens);
        }
        if (sizes.empty()) return;
        std::size_t repeated = 0;
        for (const auto& [place, count] : places) repeated += count > 1 ? count : 0;
        if (repeated > 0)
            out_.warnings.push_back(fmt::format(
                "{} rows share parameters and tokens with another one{}: they count as repeats (seeds) of "
                "the "
                "same point{}",
                repeated, columns_.group ? " of their group" : "",
                columns_.group ? "" : "; where they are of several architectures, give --group COLUMN"));
        // Millions and billions are the usual slip: it moves a and b by orders of magnitude.
        const auto middle = [](std::vector<double>& values) {
            std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                             values.end());
            return values[values.size() / 2];
        };
        const double size = middle(sizes), budget = middle(budgets);
        if (size < 1e4)
            out_.warnings.push_back(
                fmt::format("parameters are about {:.3g}: they are taken as numbers of "
                            "parameters, not millions",
                            size));
        if (budget < 1e5)
            out_.warnings.push_back(fmt::format(
                "tokens are about {:.3g}: they are taken as numbers of tokens, not millions", budget));
    }

    const ScalingTableOptions& options_;
    ScalingTable out_;
    Columns columns_;
    Diagnostics problems_;
};

}  // namespace

Checked<ScalingTable> scaling_table(CsvTable table, const ScalingTableOptions& options) {
    return Builder(std::move(table), options).build();
}

}  // namespace braid
