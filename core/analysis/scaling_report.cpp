#include "core/analysis/scaling_report.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/number_format.h"

namespace braid {
namespace {

std::string cell(double value) { return std::isfinite(value) ? exact_number(value) : std::string(); }

}  // namespace

std::string_view to_text(Sharing sharing) {
    switch (sharing) {
        case Sharing::one_curve:
            return "one curve";
        case Sharing::shared_exponents:
            return "shared exponents";
        case Sharing::separate:
            return "separate curves";
    }
    return {};
}

void add_efficiency_gains(ScalingReport& report, const ScalingFit& baseline) {
    std::vector<double> budgets;
    for (const ScalingResidual& row : baseline.residuals)
        if (row.point.use == PointUse::fitted && row.point.parameters == baseline.range.parameters.high)
            budgets.push_back(row.point.tokens);
    std::sort(budgets.begin(), budgets.end());
    budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
    for (const ScalingFit& fit : report.fits) {
        if (fit.group == baseline.group) continue;
        for (const double tokens : budgets)
            report.gains.push_back(
                {fit.group, efficiency_gain(fit, baseline, baseline.range.parameters.high, tokens)});
    }
}

std::vector<std::string> warnings_of(const ScalingReport& report) {
    std::vector<std::string> all = report.table.warnings;
    for (const ScalingFit& fit : report.fits)
        for (const std::string& warning : fit.warnings)
            all.push_back(fit.group.empty() ? warning : fit.group + ": " + warning);
    return all;
}

std::string scaling_csv(const ScalingReport& report) {
    CsvTable table = report.table.table;
    for (const char* title : {"predicted", "log_residual", "use", "reason"}) {
        std::string free = title;
        while (table.column(free)) free.insert(0, "fit_");
        table.titles.push_back(free);
    }
    for (const ScalingFit& fit : report.fits)
        for (const ScalingResidual& row : fit.residuals)
            for (CsvRow& line : table.rows)
                if (line.line == row.point.line) {
                    line.cells.insert(line.cells.end(),
                                      {cell(row.predicted), cell(row.log_residual),
                                       std::string(to_text(row.point.use)), row.point.reason});
                    break;
                }
    return to_csv(table);
}

std::string coefficients_csv(const ScalingReport& report) {
    CsvTable table{.titles = {"group", "parameter", "value", "low", "high", "level", "note"}};
    for (const ScalingFit& fit : report.fits)
        for (const ScalingEstimate& estimate : fit.estimates) {
            const bool has_interval = estimate.interval && estimate.identified();
            table.rows.push_back(
                {.cells = {fit.group, estimate.name,
                           estimate.identified() ? cell(estimate.value) : std::string(),
                           has_interval ? cell(estimate.interval->low) : std::string(),
                           has_interval ? cell(estimate.interval->high) : std::string(), cell(fit.level),
                           estimate.fixed ? "given" : estimate.not_identified}});
        }
    return to_csv(table);
}

}  // namespace braid
