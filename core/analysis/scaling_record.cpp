#include "core/analysis/scaling_record.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/json.h"

namespace braid {
namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 28;

// JSON has no infinities and no NaN; both are losses that a table may hold.
Json number(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

Json interval_json(const std::optional<Interval>& interval) {
    return interval ? Json::array({number(interval->low), number(interval->high)}) : Json(nullptr);
}

Json curve_json(const ScalingCurve& curve) {
    return {number(curve.log_a), number(curve.alpha), number(curve.log_b), number(curve.beta),
            number(curve.irreducible)};
}

Json curves_json(const std::vector<ScalingCurve>& curves) {
    Json json = Json::array();
    for (const ScalingCurve& curve : curves) json.push_back(curve_json(curve));
    return json;
}

Json numbers_json(const std::vector<double>& values) {
    Json json = Json::array();
    for (const double value : values) json.push_back(number(value));
    return json;
}

Json optional_json(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json fit_json(const ScalingFit& fit) {
    Json json = {{"group", fit.group},
                 {"curve", curve_json(fit.curve)},
                 {"estimates", Json::array()},
                 {"residuals", Json::array()},
                 {"fitted", fit.fitted},
                 {"held_out", fit.held_out},
                 {"excluded", fit.excluded},
                 {"r2_train", optional_json(fit.r2_train)},
                 {"r2_heldout", optional_json(fit.r2_heldout)},
                 {"typical_error", number(fit.typical_error)},
                 {"objective", number(fit.objective)},
                 {"range",
                  {number(fit.range.parameters.low), number(fit.range.parameters.high),
                   number(fit.range.tokens.low), number(fit.range.tokens.high)}},
                 {"condition", number(fit.condition)},
                 {"undetermined", fit.undetermined},
                 {"starts", fit.starts},
                 {"minima", curves_json(fit.minima)},
                 {"minima_values", numbers_json(fit.minima_values)},
                 {"resampled", curves_json(fit.resampled)},
                 {"warnings", fit.warnings}};
    for (const ScalingEstimate& estimate : fit.estimates)
        json["estimates"].push_back({{"name", estimate.name},
                                     {"value", number(estimate.value)},
                                     {"interval", interval_json(estimate.interval)},
                                     {"fixed", estimate.fixed},
                                     {"not_identified", estimate.not_identified}});
    for (const ScalingResidual& row : fit.residuals)
        json["residuals"].push_back({{"parameters", number(row.point.parameters)},
                                     {"tokens", number(row.point.tokens)},
                                     {"loss", number(row.point.loss)},
                                     {"use", to_text(row.point.use)},
                                     {"reason", row.point.reason},
                                     {"line", row.point.line},
                                     {"predicted", number(row.predicted)},
                                     {"log_residual", number(row.log_residual)},
                                     {"extrapolated", row.extrapolated}});
    return json;
}

Json comparison_json(const ScalingComparison& comparison) {
    Json json = {{"groups", comparison.groups},
                 {"answer", comparison.answer},
                 {"preferred", to_text(comparison.preferred)},
                 {"preferred_by_aic", to_text(comparison.preferred_by_aic)},
                 {"models", Json::array()},
                 {"tests", Json::array()},
                 {"shared_exponents", Json::array()}};
    for (const SharedModel& model : comparison.models)
        json["models"].push_back({{"sharing", to_text(model.sharing)},
                                  {"parameters", model.parameters},
                                  {"objective", number(model.objective)},
                                  {"log_likelihood", number(model.log_likelihood)},
                                  {"aic", number(model.aic)},
                                  {"curves", curves_json(model.curves)}});
    for (const LikelihoodRatioTest& test : comparison.tests)
        json["tests"].push_back({{"null", to_text(test.null)},
                                 {"alternative", to_text(test.alternative)},
                                 {"statistic", number(test.statistic)},
                                 {"degrees", test.degrees},
                                 {"p_chi_square", number(test.p_chi_square)},
                                 {"p", optional_json(test.p)}});
    for (const ScalingFit& fit : comparison.shared_exponents)
        json["shared_exponents"].push_back(fit_json(fit));
    return json;
}

}  // namespace

Json to_json(const ScalingRecord& record) {
    const ScalingReport& report = record.report;
    Json rows = Json::array();
    for (const CsvRow& row : report.table.table.rows) rows.push_back(row.cells);
    Json fits = Json::array(), profiles = Json::array();
    for (const ScalingFit& fit : report.fits) fits.push_back(fit_json(fit));
    for (const ScalingProfile& profile : report.profiles)
        profiles.push_back({{"group", profile.group},
                            {"exponent", profile.exponent},
                            {"values", numbers_json(profile.values)},
                            {"deviance", numbers_json(profile.deviance)}});
    return {{"schema_version", scaling_record_version},
            {"study", record.study},
            {"metric", record.metric},
            {"created", record.created},
            {"command", record.command},
            {"left_out", record.left_out},
            {"options",
             {{"form", to_text(report.options.form)},
              {"alpha", optional_json(report.options.alpha)},
              {"beta", optional_json(report.options.beta)},
              {"delta", report.options.delta},
              {"resamples", report.options.resamples},
              {"level", report.options.level},
              {"seed", report.options.seed}}},
            {"table", {{"titles", report.table.table.titles}, {"rows", std::move(rows)}}},
            {"table_warnings", report.table.warnings},
            {"group_column", report.group_column},
            {"baseline", report.baseline},
            {"fits", std::move(fits)},
            {"comparison", report.comparison ? comparison_json(*report.comparison) : Json(nullptr)},
            {"profiles", std::move(profiles)},
            {"seconds", report.seconds}};
}

std::string scaling_record_file(std::string_view project_folder, std::string_view study,
                                std::string_view metric) {
    std::string name(metric);
    std::replace(name.begin(), name.end(), '/', '-');
    return std::string(project_folder) + "/fits/" + std::string(study) + "/" + name + ".json";
}

Result<ScalingRecord> read_scaling_record(const std::string& file) {
    const Result<std::string> text = read_file(file, max_bytes);
    if (!text) return fail(text.error());
    const Result<Json> json = parse_json(*text, file);
    if (!json) return fail(json.error());
    Checked<ScalingRecord> record = scaling_record_from_json(*json);
    if (!record) return fail(to_error(record.error(), file));
    return *std::move(record);
}

Result<void> write_scaling_record(const std::string& file, const ScalingRecord& record) {
    if (Result<void> made = make_folder(std::filesystem::path(file).parent_path().string()); !made)
        return made;
    return write_file_atomically(file, to_json(record).dump() + "\n");
}

std::vector<ScalingRecord> scaling_records(std::string_view project_folder, std::string_view study) {
    std::vector<std::string> files;
    std::error_code ignored;
    const std::string folder = std::string(project_folder) + "/fits/" + std::string(study);
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".json") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    std::vector<ScalingRecord> records;
    for (const std::string& file : files)
        if (Result<ScalingRecord> record = read_scaling_record(file); record)
            records.push_back(*std::move(record));
    return records;
}

}  // namespace braid
