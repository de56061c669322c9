// Reads what scaling_record.cpp writes.
#include <algorithm>
#include <limits>

#include "core/analysis/scaling_record.h"
#include "core/base/json_reader.h"

namespace braid {
namespace {

// Reads values one by one and remembers every place that is wrong.
class RecordReader {
public:
    Diagnostics problems;

    double number(const Json& json, const std::string& path) {
        if (json.is_number()) return json.get<double>();
        if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
        if (json == "inf") return std::numeric_limits<double>::infinity();
        if (json == "-inf") return -std::numeric_limits<double>::infinity();
        report(path, "must be a number", json);
        return 0;
    }

    std::optional<double> optional_number(const Json& json, const std::string& path) {
        if (json.is_null()) return std::nullopt;
        return number(json, path);
    }

    std::vector<double> numbers(const Json& json, const std::string& path,
                                std::optional<std::size_t> count = {}) {
        std::vector<double> values;
        if (!json.is_array() || (count && json.size() != *count)) {
            report(path, "must be a list of " + (count ? std::to_string(*count) + " numbers" : "numbers"),
                   json);
            values.resize(count.value_or(0));
            return values;
        }
        for (std::size_t i = 0; i < json.size(); ++i) values.push_back(number(json[i], at(path, i)));
        return values;
    }

    ScalingCurve curve(const Json& json, const std::string& path) {
        const std::vector<double> values = numbers(json, path, 5);
        return {values[0], values[1], values[2], values[3], values[4]};
    }

    std::optional<Interval> interval(const Json& json, const std::string& path) {
        if (json.is_null()) return std::nullopt;
        const std::vector<double> ends = numbers(json, path, 2);
        return Interval{ends[0], ends[1]};
    }

    std::vector<std::string> texts(const Json& json, const std::string& path) {
        std::vector<std::string> all;
        each(json, path, [&](const Json& one, const std::string& place) {
            if (one.is_string())
                all.push_back(one.get<std::string>());
            else
                report(place, "must be a text", one);
        });
        return all;
    }

    template <class Read>
    void each(const Json& json, const std::string& path, const Read& read) {
        if (!json.is_array()) {
            report(path, "must be a list", json);
            return;
        }
        for (std::size_t i = 0; i < json.size(); ++i) read(json[i], at(path, i));
    }

    std::size_t count(JsonReader& reader, const std::string& key) {
        std::int64_t value = 0;
        reader.integer(key, value, 0);
        return static_cast<std::size_t>(value);
    }

    Sharing sharing(JsonReader& reader, const std::string& key) {
        std::string text;
        reader.text(key, text);
        for (const Sharing one : {Sharing::one_curve, Sharing::shared_exponents, Sharing::separate})
            if (to_text(one) == text) return one;
        reader.report(reader.place(key), "must be one curve, shared exponents or separate curves", text);
        return Sharing::separate;
    }

    void report(std::string path, std::string rule, const Json& found) {
        problems.push_back(
            {.path = std::move(path), .rule = std::move(rule), .found = found.dump().substr(0, 60)});
    }

    static std::string at(const std::string& path, std::size_t i) {
        return path + "[" + std::to_string(i) + "]";
    }
};

// A key that must be there; null where it is not.
const Json& part(JsonReader& reader, const std::string& key) {
    static const Json nothing;
    const Json* found = reader.is_object() ? reader.require(key) : nullptr;
    return found == nullptr ? nothing : *found;
}

ScalingFit read_fit(RecordReader& in, const Json& json, const std::string& path, ScalingForm form,
                    double level, std::uint64_t seed) {
    ScalingFit fit{.form = form, .level = level, .seed = seed};
    JsonReader reader(json, path, in.problems);
    reader.text("group", fit.group);
    fit.curve = in.curve(part(reader, "curve"), reader.place("curve"));
    in.each(part(reader, "estimates"), reader.place("estimates"),
            [&](const Json& one, const std::string& place) {
                JsonReader inner(one, place, in.problems);
                ScalingEstimate& estimate = fit.estimates.emplace_back();
                inner.text("name", estimate.name);
                estimate.value = in.number(part(inner, "value"), inner.place("value"));
                estimate.interval = in.interval(part(inner, "interval"), inner.place("interval"));
                inner.flag("fixed", estimate.fixed);
                inner.text("not_identified", estimate.not_identified);
                inner.refuse_unknown_keys();
            });
    in.each(part(reader, "residuals"), reader.place("residuals"),
            [&](const Json& one, const std::string& place) {
                JsonReader inner(one, place, in.problems);
                ScalingResidual& row = fit.residuals.emplace_back();
                row.point.group = fit.group;
                row.point.parameters = in.number(part(inner, "parameters"), inner.place("parameters"));
                row.point.tokens = in.number(part(inner, "tokens"), inner.place("tokens"));
                row.point.loss = in.number(part(inner, "loss"), inner.place("loss"));
                std::string use;
                inner.text("use", use);
                bool known = false;
                for (const PointUse one_use : {PointUse::fitted, PointUse::held_out, PointUse::excluded})
                    if (to_text(one_use) == use) {
                        row.point.use = one_use;
                        known = true;
                    }
                if (!known) inner.report(inner.place("use"), "must be a use of a point", use);
                inner.text("reason", row.point.reason);
                row.point.line = in.count(inner, "line");
                row.predicted = in.number(part(inner, "predicted"), inner.place("predicted"));
                row.log_residual = in.number(part(inner, "log_residual"), inner.place("log_residual"));
                inner.flag("extrapolated", row.extrapolated);
                inner.refuse_unknown_keys();
            });
    fit.fitted = in.count(reader, "fitted");
    fit.held_out = in.count(reader, "held_out");
    fit.excluded = in.count(reader, "excluded");
    fit.r2_train = in.optional_number(part(reader, "r2_train"), reader.place("r2_train"));
    fit.r2_heldout = in.optional_number(part(reader, "r2_heldout"), reader.place("r2_heldout"));
    fit.typical_error = in.number(part(reader, "typical_error"), reader.place("typical_error"));
    fit.objective = in.number(part(reader, "objective"), reader.place("objective"));
    const std::vector<double> range = in.numbers(part(reader, "range"), reader.place("range"), 4);
    fit.range = {{range[0], range[1]}, {range[2], range[3]}};
    fit.condition = in.number(part(reader, "condition"), reader.place("condition"));
    fit.undetermined = in.texts(part(reader, "undetermined"), reader.place("undetermined"));
    fit.starts = in.count(reader, "starts");
    in.each(part(reader, "minima"), reader.place("minima"),
            [&](const Json& one, const std::string& place) { fit.minima.push_back(in.curve(one, place)); });
    fit.minima_values = in.numbers(part(reader, "minima_values"), reader.place("minima_values"));
    in.each(
        part(reader, "resampled"), reader.place("resampled"),
        [&](const Json& one, const std::string& place) { fit.resampled.push_back(in.curve(one, place)); });
    fit.warnings = in.texts(part(reader, "warnings"), reader.place("warnings"));
    reader.refuse_unknown_keys();
    return fit;
}

ScalingComparison read_comparison(RecordReader& in, const Json& json, const ScalingFitOptions& options) {
    ScalingComparison comparison;
    JsonReader reader(json, "comparison", in.problems);
    comparison.groups = in.texts(part(reader, "groups"), reader.place("groups"));
    reader.text("answer", comparison.answer);
    comparison.preferred = in.sharing(reader, "preferred");
    comparison.preferred_by_aic = in.sharing(reader, "preferred_by_aic");
    std::size_t count = 0;
    in.each(part(reader, "models"), reader.place("models"), [&](const Json& one, const std::string& place) {
        JsonReader inner(one, place, in.problems);
        SharedModel model{.sharing = in.sharing(inner, "sharing")};
        model.parameters = static_cast<int>(in.count(inner, "parameters"));
        model.objective = in.number(part(inner, "objective"), inner.place("objective"));
        model.log_likelihood = in.number(part(inner, "log_likelihood"), inner.place("log_likelihood"));
        model.aic = in.number(part(inner, "aic"), inner.place("aic"));
        in.each(part(inner, "curves"), inner.place("curves"), [&](const Json& curve, const std::string& at) {
            model.curves.push_back(in.curve(curve, at));
        });
        inner.refuse_unknown_keys();
        if (count < comparison.models.size()) comparison.models[count] = std::move(model);
        ++count;
    });
    if (count != comparison.models.size()) reader.report("comparison.models", "must be three", count);
    count = 0;
    in.each(part(reader, "tests"), reader.place("tests"), [&](const Json& one, const std::string& place) {
        JsonReader inner(one, place, in.problems);
        LikelihoodRatioTest test{.null = in.sharing(inner, "null"),
                                 .alternative = in.sharing(inner, "alternative")};
        test.statistic = in.number(part(inner, "statistic"), inner.place("statistic"));
        test.degrees = static_cast<int>(in.count(inner, "degrees"));
        test.p_chi_square = in.number(part(inner, "p_chi_square"), inner.place("p_chi_square"));
        test.p = in.optional_number(part(inner, "p"), inner.place("p"));
        inner.refuse_unknown_keys();
        if (count < comparison.tests.size()) comparison.tests[count] = test;
        ++count;
    });
    if (count != comparison.tests.size()) reader.report("comparison.tests", "must be three", count);
    in.each(part(reader, "shared_exponents"), reader.place("shared_exponents"),
            [&](const Json& one, const std::string& place) {
                comparison.shared_exponents.push_back(
                    read_fit(in, one, place, options.form, options.level, options.seed));
            });
    reader.refuse_unknown_keys();
    return comparison;
}

CsvTable read_table(RecordReader& in, const Json& json) {
    CsvTable table;
    JsonReader reader(json, "table", in.problems);
    table.titles = in.texts(part(reader, "titles"), reader.place("titles"));
    in.each(part(reader, "rows"), reader.place("rows"), [&](const Json& one, const std::string& place) {
        CsvRow row{.line = table.rows.size() + 2, .cells = in.texts(one, place)};
        if (row.cells.size() != table.titles.size())
            in.report(place, "must have as many cells as there are titles", row.cells.size());
        table.rows.push_back(std::move(row));
    });
    reader.refuse_unknown_keys();
    return table;
}

ScalingFitOptions read_options(RecordReader& in, const Json& json) {
    ScalingFitOptions options;
    JsonReader reader(json, "options", in.problems);
    std::string form;
    reader.text("form", form);
    if (const auto known = scaling_form(form))
        options.form = *known;
    else
        reader.report(reader.place("form"), "must be power2 or chinchilla", form);
    options.alpha = in.optional_number(part(reader, "alpha"), reader.place("alpha"));
    options.beta = in.optional_number(part(reader, "beta"), reader.place("beta"));
    options.delta = in.number(part(reader, "delta"), reader.place("delta"));
    options.resamples = static_cast<int>(in.count(reader, "resamples"));
    options.level = in.number(part(reader, "level"), reader.place("level"));
    const Json& seed = part(reader, "seed");
    if (seed.is_number_integer())
        options.seed = seed.get<std::uint64_t>();
    else
        in.report(reader.place("seed"), "must be an integer from 0", seed);
    reader.refuse_unknown_keys();
    return options;
}

}  // namespace

Checked<ScalingRecord> scaling_record_from_json(const Json& json) {
    RecordReader in;
    ScalingRecord record;
    JsonReader reader(json, "", in.problems);
    if (!reader.is_object() || !reader.schema_version(scaling_record_version))
        return tl::unexpected(std::move(in.problems));
    reader.text("study", record.study);
    reader.text("metric", record.metric);
    reader.text("created", record.created);
    reader.text("command", record.command);
    record.left_out = in.texts(part(reader, "left_out"), "left_out");
    ScalingReport& report = record.report;
    report.options = read_options(in, part(reader, "options"));
    report.table.table = read_table(in, part(reader, "table"));
    report.table.warnings = in.texts(part(reader, "table_warnings"), "table_warnings");
    reader.text("group_column", report.group_column);
    reader.text("baseline", report.baseline);
    in.each(part(reader, "fits"), "fits", [&](const Json& one, const std::string& place) {
        report.fits.push_back(
            read_fit(in, one, place, report.options.form, report.options.level, report.options.seed));
    });
    if (const Json& comparison = part(reader, "comparison"); !comparison.is_null())
        report.comparison = read_comparison(in, comparison, report.options);
    in.each(part(reader, "profiles"), "profiles", [&](const Json& one, const std::string& place) {
        JsonReader inner(one, place, in.problems);
        ScalingProfile& profile = report.profiles.emplace_back();
        inner.text("group", profile.group);
        inner.text("exponent", profile.exponent);
        profile.values = in.numbers(part(inner, "values"), inner.place("values"));
        profile.deviance = in.numbers(part(inner, "deviance"), inner.place("deviance"));
        if (profile.values.size() != profile.deviance.size())
            inner.report(inner.place("deviance"), "must have as many numbers as values",
                         profile.deviance.size());
        inner.refuse_unknown_keys();
    });
    reader.number("seconds", report.seconds);
    reader.refuse_unknown_keys();
    for (const ScalingFit& fit : report.fits)
        for (const ScalingResidual& row : fit.residuals) report.table.points.push_back(row.point);
    std::stable_sort(report.table.points.begin(), report.table.points.end(),
                     [](const ScalingPoint& a, const ScalingPoint& b) { return a.line < b.line; });
    if (report.fits.empty() && in.problems.empty()) reader.report("fits", "must have at least one");
    if (!in.problems.empty()) return tl::unexpected(std::move(in.problems));
    for (const ScalingFit& baseline : report.fits)
        if (!report.baseline.empty() && baseline.group == report.baseline)
            add_efficiency_gains(report, baseline);
    return record;
}

}  // namespace braid
