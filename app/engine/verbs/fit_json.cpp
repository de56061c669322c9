// fit --json
#include <cmath>

#include "app/engine/verbs/fit_output.h"

namespace braid::cli {
namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }
Json interval(const std::optional<Interval>& value) {
    return value ? Json::array({number(value->low), number(value->high)}) : Json(nullptr);
}

Json curve_json(const ScalingCurve& curve) {
    return {{"a", number(curve.a())},
            {"alpha", curve.alpha},
            {"b", number(curve.b())},
            {"beta", curve.beta},
            {"E", curve.irreducible}};
}

Json one_fit(const ScalingFit& fit) {
    Json json = {{"form", to_text(fit.form)},
                 {"formula", formula(fit.form)},
                 {"E", 0.0},
                 {"intervals", Json::object()},
                 {"level", fit.level},
                 {"not_identified", Json::object()},
                 {"curve", curve_json(fit.curve)},
                 {"r2_train", number(fit.r2_train)},
                 {"r2_heldout", number(fit.r2_heldout)},
                 {"points", fit.fitted},
                 {"held_out", fit.held_out},
                 {"excluded", Json::array()},
                 {"objective", fit.objective},
                 {"median_log_error", number(fit.typical_error)},
                 {"condition", number(fit.condition)},
                 {"minima", Json::array()},
                 {"resamples", fit.resampled.size()},
                 {"seed", fit.seed},
                 {"range",
                  {{"parameters", {fit.range.parameters.low, fit.range.parameters.high}},
                   {"tokens", {fit.range.tokens.low, fit.range.tokens.high}}}},
                 {"residuals", Json::array()},
                 {"warnings", fit.warnings}};
    for (const ScalingEstimate& estimate : fit.estimates) {
        json[estimate.name] = estimate.identified() ? number(estimate.value) : Json(nullptr);
        json["intervals"][estimate.name] = interval(estimate.interval);
        if (estimate.fixed) json["fixed"].push_back(estimate.name);
        if (!estimate.identified()) json["not_identified"][estimate.name] = estimate.not_identified;
    }
    for (std::size_t i = 0; i < fit.minima.size(); ++i) {
        Json minimum = curve_json(fit.minima[i]);
        minimum["objective"] = fit.minima_values[i];
        json["minima"].push_back(std::move(minimum));
    }
    for (const ScalingResidual& row : fit.residuals) {
        const Json place = {{"line", row.point.line},
                            {"parameters", number(row.point.parameters)},
                            {"tokens", number(row.point.tokens)},
                            {"loss", number(row.point.loss)}};
        if (row.point.use == PointUse::excluded) {
            json["excluded"].push_back(place);
            json["excluded"].back()["reason"] = row.point.reason;
            continue;
        }
        json["residuals"].push_back(place);
        json["residuals"].back().update({{"predicted", row.predicted},
                                         {"log_residual", row.log_residual},
                                         {"use", to_text(row.point.use)},
                                         {"extrapolated", row.extrapolated}});
    }
    return json;
}

Json comparison_json(const ScalingComparison& comparison) {
    Json json = {{"answer", comparison.answer},
                 {"preferred", to_text(comparison.preferred)},
                 {"preferred_by_aic", to_text(comparison.preferred_by_aic)},
                 {"models", Json::array()},
                 {"tests", Json::array()},
                 {"shared_exponents", Json::array()}};
    for (const SharedModel& model : comparison.models)
        json["models"].push_back({{"model", to_text(model.sharing)},
                                  {"parameters", model.parameters},
                                  {"objective", model.objective},
                                  {"log_likelihood", model.log_likelihood},
                                  {"aic", model.aic}});
    for (const LikelihoodRatioTest& test : comparison.tests)
        json["tests"].push_back({{"null", to_text(test.null)},
                                 {"alternative", to_text(test.alternative)},
                                 {"statistic", test.statistic},
                                 {"degrees", test.degrees},
                                 {"p", number(test.p)},
                                 {"p_chi_square", test.p_chi_square}});
    for (const ScalingFit& fit : comparison.shared_exponents) {
        Json shared = one_fit(fit);
        shared["group"] = fit.group;
        shared.erase("residuals");
        json["shared_exponents"].push_back(std::move(shared));
    }
    return json;
}

}  // namespace

Json fit_json(const ScalingReport& report) {
    Json json;
    if (report.group_column.empty()) {
        json = one_fit(report.fits.front());
    } else {
        json = {{"form", to_text(report.options.form)},
                {"group_column", report.group_column},
                {"groups", Json::array()}};
        for (const ScalingFit& fit : report.fits) {
            Json one = one_fit(fit);
            one["group"] = fit.group;
            json["groups"].push_back(std::move(one));
        }
        json["comparison"] = report.comparison ? comparison_json(*report.comparison) : Json(nullptr);
    }
    json["units"] = {{"parameters", "parameters, without embeddings"},
                     {"tokens", "training tokens"},
                     {"loss", "nats a token"}};
    json["huber_delta"] = report.options.delta;
    json["seconds"] = report.seconds;
    json["warnings"] = warnings_of(report);
    for (const NamedPrediction& named : report.predictions) {
        const ScalingPrediction& one = named.prediction;
        json["predictions"].push_back({{"group", named.group},
                                       {"parameters", one.parameters},
                                       {"tokens", one.tokens},
                                       {"loss", number(one.loss)},
                                       {"interval", interval(one.interval)},
                                       {"warning", one.warning}});
    }
    for (const NamedPlan& named : report.plans) {
        Json plan = {{"group", named.group}, {"flops", named.flops}, {"parameters", nullptr}};
        if (named.plan)
            plan.update({{"parameters", named.plan->optimum.parameters},
                         {"tokens", named.plan->optimum.tokens},
                         {"loss", named.plan->optimum.loss},
                         {"parameters_interval", interval(named.plan->parameters)},
                         {"tokens_interval", interval(named.plan->tokens)},
                         {"loss_interval", interval(named.plan->loss)},
                         {"warning", named.plan->warning}});
        json["compute_optimal"].push_back(std::move(plan));
    }
    for (const NamedGain& named : report.gains)
        json["efficiency"].push_back({{"group", named.group},
                                      {"baseline", report.baseline},
                                      {"parameters", named.gain.parameters},
                                      {"baseline_tokens", named.gain.baseline_tokens},
                                      {"loss", number(named.gain.loss)},
                                      {"tokens", number(named.gain.tokens)},
                                      {"gain", number(named.gain.gain)},
                                      {"interval", interval(named.gain.interval)},
                                      {"reached", named.gain.reached},
                                      {"warning", named.gain.warning}});
    return json;
}

}  // namespace braid::cli
