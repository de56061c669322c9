// fit for people: plain tables.
#include <array>
#include <cmath>
#include <cstdio>

#include "app/engine/cli/output.h"
#include "app/engine/verbs/fit_output.h"

namespace braid::cli {
namespace {

std::string digits(double value, const char* format = "%.4g") {
    if (!std::isfinite(value)) return "-";
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

std::string range_text(const std::optional<Interval>& interval, const char* format = "%.3g") {
    if (!interval) return "";
    return "[" + digits(interval->low, format) + ", " + digits(interval->high, format) + "]";
}

std::string optional_text(const std::optional<double>& value) {
    return value ? real_text(*value, 4) : std::string();
}

std::string percent(double share) { return digits(100 * share, "%.4g") + " %"; }

Table parameter_table(const std::vector<ScalingFit>& fits, double level) {
    Table table({{"CURVE"}, {"PARAMETER"}, {"VALUE", true}, {percent(level) + " INTERVAL"}});
    for (const ScalingFit& fit : fits) {
        const std::string name = fit.group.empty() ? "all" : fit.group;
        for (const ScalingEstimate& estimate : fit.estimates)
            table.add({name, estimate.name, estimate.identified() ? digits(estimate.value) : "not identified",
                       estimate.fixed          ? "given"
                       : estimate.identified() ? range_text(estimate.interval)
                                               : estimate.not_identified});
    }
    return table;
}

Table quality_table(const std::vector<ScalingFit>& fits) {
    Table table({{"CURVE"},
                 {"FITTED", true},
                 {"HELD OUT", true},
                 {"EXCLUDED", true},
                 {"R2", true},
                 {"R2 HELD OUT", true},
                 {"MEDIAN ERROR", true},
                 {"CONDITION", true}});
    for (const ScalingFit& fit : fits)
        table.add({fit.group.empty() ? "all" : fit.group, std::to_string(fit.fitted),
                   std::to_string(fit.held_out), std::to_string(fit.excluded), optional_text(fit.r2_train),
                   optional_text(fit.r2_heldout), digits(100 * fit.typical_error, "%.2g") + " %",
                   digits(fit.condition, "%.2g")});
    return table;
}

std::string comparison_text(const ScalingComparison& comparison) {
    Table models({{"MODEL"}, {"PARAMETERS", true}, {"SUM", true}, {"LOG LIKELIHOOD", true}, {"AIC", true}});
    for (const SharedModel& model : comparison.models)
        models.add({std::string(to_text(model.sharing)), std::to_string(model.parameters),
                    digits(model.objective), real_text(model.log_likelihood, 2), real_text(model.aic, 2)});
    Table tests({{"NULL"}, {"AGAINST"}, {"LR", true}, {"DF", true}, {"P", true}, {"P CHI-SQUARE", true}});
    for (const LikelihoodRatioTest& test : comparison.tests)
        tests.add({std::string(to_text(test.null)), std::string(to_text(test.alternative)),
                   real_text(test.statistic, 2), std::to_string(test.degrees),
                   test.p ? digits(*test.p, "%.3g") : std::string(), digits(test.p_chi_square, "%.3g")});
    return models.text() + "\n" + tests.text() + "\n" + comparison.answer + "\n";
}

std::string uses_text(const ScalingReport& report) {
    std::string text;
    const auto name = [](const std::string& group) { return group.empty() ? std::string("all") : group; };
    if (!report.predictions.empty()) {
        Table table(
            {{"CURVE"}, {"PARAMETERS", true}, {"TOKENS", true}, {"LOSS", true}, {"INTERVAL"}, {"NOTE"}});
        for (const auto& [group, one] : report.predictions)
            table.add({name(group), digits(one.parameters), digits(one.tokens), real_text(one.loss, 4),
                       range_text(one.interval, "%.4f"), one.warning});
        text += "\n" + table.text();
    }
    if (!report.plans.empty()) {
        Table table({{"CURVE"},
                     {"FLOP", true},
                     {"BEST PARAMETERS", true},
                     {"INTERVAL"},
                     {"TOKENS", true},
                     {"INTERVAL"},
                     {"LOSS", true},
                     {"NOTE"}});
        for (const auto& [group, flops, plan] : report.plans)
            if (plan)
                table.add({name(group), digits(flops), digits(plan->optimum.parameters),
                           range_text(plan->parameters), digits(plan->optimum.tokens),
                           range_text(plan->tokens), real_text(plan->optimum.loss, 4), plan->warning});
            else
                table.add({name(group), digits(flops), "", "", "", "", "",
                           "no optimum: an exponent is not positive"});
        text += "\n" + table.text();
    }
    if (!report.gains.empty()) {
        Table table({{"CURVE"},
                     {"PARAMETERS", true},
                     {"TOKENS OF " + report.baseline, true},
                     {"LOSS", true},
                     {"TOKENS NEEDED", true},
                     {"GAIN", true},
                     {"INTERVAL"},
                     {"NOTE"}});
        for (const auto& [group, gain] : report.gains)
            table.add({group, digits(gain.parameters), digits(gain.baseline_tokens), real_text(gain.loss, 4),
                       gain.tokens ? digits(*gain.tokens) : "never",
                       gain.gain ? digits(*gain.gain, "%.3g") : "", range_text(gain.interval), gain.warning});
        text += "\n" + table.text();
    }
    return text;
}

}  // namespace

std::string fit_text(const ScalingReport& report) {
    const ScalingFit& first = report.fits.front();
    std::string text(formula(first.form));
    text += "\nN: parameters, D: training tokens, L: nats a token; Huber " + digits(report.options.delta) +
            " on log L, " + std::to_string(first.starts) + " starts, ";
    text += first.resampled.empty() ? "no resamples"
                                    : with_commas(static_cast<std::int64_t>(first.resampled.size())) +
                                          " resamples, seed " + std::to_string(first.seed);
    text += ", " + real_text(report.seconds, 1) + " s\n\n";
    text +=
        parameter_table(report.fits, report.options.level).text() + "\n" + quality_table(report.fits).text();
    for (const ScalingFit& fit : report.fits)
        for (const ScalingResidual& row : fit.residuals)
            if (row.point.use == PointUse::excluded)
                text += "excluded: line " + std::to_string(row.point.line) +
                        (fit.group.empty() ? "" : " (" + fit.group + ")") + ", " + row.point.reason + "\n";
    if (report.comparison)
        text += "\nDo they share one curve?\n" + comparison_text(*report.comparison) +
                "\nWith shared exponents\n" +
                parameter_table(report.comparison->shared_exponents, report.options.level).text();
    return text + uses_text(report);
}

}  // namespace braid::cli
