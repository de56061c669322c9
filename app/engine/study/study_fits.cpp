#include "app/engine/study/study_fits.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/clock.h"
#include "core/base/parse_number.h"
#include "core/record/study_table.h"

namespace braid::cli {
namespace {

std::string at(const CsvTable& table, const CsvRow& row, const char* title) {
    const auto column = table.column(title);
    return column ? row.cells[*column] : std::string();
}

// Why a point cannot be fitted; empty: it can. An excluded one may hold any loss.
std::string unusable(const CsvTable& table, const CsvRow& row, const std::string& metric) {
    const std::string state = at(table, row, "state");
    if (state != to_text(RunState::finished)) return "is " + state;
    const std::string cell = at(table, row, metric.c_str());
    if (cell.empty()) return "has no " + metric;
    const double value = parse_number(cell).value_or(std::nan(""));
    if (!std::isfinite(value) || value <= 0) return "has " + metric + " " + cell;
    return {};
}

bool holds_in(const RowRule& rule, const CsvTable& table, const CsvRow& row) {
    return !rule.largest && holds(rule, [&](const std::string& title) -> std::optional<std::string> {
        const auto column = table.column(title);
        return column ? std::optional(row.cells[*column]) : std::nullopt;
    });
}

// Rules that fit a row that is left out, and no other, say nothing yet; those that fit none at all are a
// fault, which scaling_table() reports.
std::vector<RowRule> rules_in_use(const std::vector<RowRule>& rules, const CsvTable& all,
                                  const CsvTable& used) {
    std::vector<RowRule> kept;
    for (const RowRule& rule : rules) {
        const auto in = [&](const CsvTable& table) {
            return std::any_of(table.rows.begin(), table.rows.end(),
                               [&](const CsvRow& row) { return holds_in(rule, table, row); });
        };
        if (rule.largest || in(used) || !in(all)) kept.push_back(rule);
    }
    return kept;
}

// Rows of curves with too few points go, as long as one is left.
void leave_out_short_curves(CsvTable& table, const ScalingTable& points, const ScalingFitOptions& options,
                            std::vector<std::string>& left_out) {
    std::map<std::string, std::string> problems;
    const std::vector<std::string> groups = groups_of(points.points);
    for (const std::string& group : groups) {
        const Diagnostics found = check_points(points_of(points.points, group), options.form,
                                               options.alpha.has_value(), options.beta.has_value());
        if (!found.empty()) problems[group] = found.front().message();
    }
    if (problems.size() == groups.size()) return;  // the fit names them all
    for (const auto& [group, problem] : problems) left_out.push_back(group + " has no curve: " + problem);
    const std::size_t column = *table.column("curve");
    std::erase_if(table.rows, [&](const CsvRow& row) { return problems.contains(row.cells[column]); });
}

}  // namespace

std::vector<std::string> fitted_metrics(const StudySpec& spec) {
    return spec.fit.metrics.empty() ? std::vector<std::string>{spec.measure.metric} : spec.fit.metrics;
}

Result<ScalingRecord> fit_study(const OpenedStudy& study, const StudyFitRequest& request,
                                const FitWatch& watch, const std::function<void(const std::string&)>& stage) {
    ScalingTableOptions options{.loss = request.metric, .group = "curve"};
    Diagnostics problems;
    const auto read_rules = [&](const std::vector<std::string>& texts, const std::string& path) {
        std::vector<RowRule> rules;
        for (const std::string& text : texts) {
            Checked<RowRule> rule = parse_row_rule(text, path);
            if (rule)
                rules.push_back(*std::move(rule));
            else
                problems.insert(problems.end(), rule.error().begin(), rule.error().end());
        }
        return rules;
    };
    const auto both = [](std::vector<std::string> own, const std::vector<std::string>& more) {
        own.insert(own.end(), more.begin(), more.end());
        return own;
    };
    const std::vector<RowRule> held_out =
        read_rules(both(study.spec.fit.held_out, request.held_out), "--held-out");
    const std::vector<RowRule> excluded =
        read_rules(both(study.spec.fit.excluded, request.excluded), "--exclude");
    if (!problems.empty()) return fail(to_error(problems, study.file));

    const StudyState state = state_of(study);
    const CsvTable all = study_table(study.spec, state);
    ScalingRecord record{
        .study = study.spec.name, .metric = request.metric, .created = utc_now(), .command = request.command};
    CsvTable used{.titles = all.titles};
    for (std::size_t i = 0; i < all.rows.size(); ++i) {
        const CsvRow& row = all.rows[i];
        const std::string why = unusable(all, row, request.metric);
        const bool is_excluded = std::any_of(excluded.begin(), excluded.end(),
                                             [&](const RowRule& rule) { return holds_in(rule, all, row); });
        const bool has_value = !at(all, row, request.metric.c_str()).empty();
        if (why.empty() || (is_excluded && has_value))
            used.rows.push_back(row);
        else
            record.left_out.push_back(name_of(state.points[i].planned.point) + " " + why);
    }
    if (used.rows.empty())
        return fail(
            ErrorKind::not_found,
            "no point of the study has finished with a value of \"" + request.metric + "\"" +
                (record.left_out.empty() ? "" : ": " + record.left_out.front()) +
                (record.left_out.size() > 1 ? " (and " + std::to_string(record.left_out.size() - 1) + " more)"
                                            : ""),
            study.file, "braid-engine study run " + study.spec.name);
    options.held_out = rules_in_use(held_out, all, used);
    options.excluded = rules_in_use(excluded, all, used);
    Checked<ScalingTable> table = scaling_table(used, options);
    if (!table) return fail(to_error(table.error(), study.file));
    const std::size_t before = used.rows.size();
    leave_out_short_curves(used, *table, request.report.fit, record.left_out);
    if (used.rows.size() != before) {
        options.held_out = rules_in_use(held_out, all, used);
        options.excluded = rules_in_use(excluded, all, used);
        table = scaling_table(std::move(used), options);
        if (!table) return fail(to_error(table.error(), study.file));
    }

    ScalingReportOptions wanted = request.report;
    wanted.group = "curve";
    const std::vector<std::string> groups = groups_of(table->points);
    if (wanted.baseline.empty() && groups.size() > 1) wanted.baseline = groups.front();
    Result<ScalingReport> report = make_scaling_report(*std::move(table), wanted, watch, stage);
    if (!report) {
        Error error = report.error();
        if (error.kind == ErrorKind::invalid_input) error.path = study.file;
        return fail(std::move(error));
    }
    record.report = *std::move(report);
    return record;
}

}  // namespace braid::cli
