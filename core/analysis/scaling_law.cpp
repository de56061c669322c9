#include "core/analysis/scaling_law.h"

#include <array>
#include <utility>

namespace braid {
namespace {

struct FormText {
    ScalingForm form;
    std::string_view name;
    std::string_view formula;
    int parameters;
};
constexpr std::array forms = {
    FormText{ScalingForm::power2, "power2", "L(N, D) = a N^-alpha + b D^-beta", 4},
    FormText{ScalingForm::chinchilla, "chinchilla", "L(N, D) = E + a N^-alpha + b D^-beta", 5},
};

const FormText& text_of(ScalingForm form) { return forms[form == ScalingForm::power2 ? 0 : 1]; }

}  // namespace

std::string_view to_text(ScalingForm form) { return text_of(form).name; }

std::optional<ScalingForm> scaling_form(std::string_view text) {
    for (const FormText& form : forms)
        if (form.name == text) return form.form;
    return std::nullopt;
}

std::string_view formula(ScalingForm form) { return text_of(form).formula; }

int parameter_count(ScalingForm form, bool alpha_fixed, bool beta_fixed) {
    return text_of(form).parameters - (alpha_fixed ? 1 : 0) - (beta_fixed ? 1 : 0);
}

std::optional<double> tokens_for_loss(const ScalingCurve& curve, double parameters, double loss) {
    const double left = loss - curve.irreducible - std::exp(curve.log_a - curve.alpha * std::log(parameters));
    if (!(left > 0) || curve.beta == 0) return std::nullopt;
    const double tokens = std::exp((curve.log_b - std::log(left)) / curve.beta);
    if (!std::isfinite(tokens) || tokens <= 0) return std::nullopt;
    return tokens;
}

std::optional<ComputeOptimum> compute_optimum(const ScalingCurve& curve, double flops) {
    if (!(curve.alpha > 0) || !(curve.beta > 0) || !(flops > 0)) return std::nullopt;
    // d/dN of a N^-alpha + b (C / 6N)^-beta is 0 where alpha a N^-alpha = beta b D^-beta.
    const double log_budget = std::log(flops / 6);
    const double log_n =
        (std::log(curve.alpha / curve.beta) + curve.log_a - curve.log_b + curve.beta * log_budget) /
        (curve.alpha + curve.beta);
    ComputeOptimum optimum{
        .flops = flops, .parameters = std::exp(log_n), .tokens = std::exp(log_budget - log_n)};
    if (!std::isfinite(optimum.parameters) || !std::isfinite(optimum.tokens)) return std::nullopt;
    optimum.loss = curve.loss(optimum.parameters, optimum.tokens);
    return optimum;
}

}  // namespace braid
