// The scaling law as a function: L(N, D) = E + a N^-alpha + b D^-beta (paper Eq. 6, where E is 0).
// N: parameters without embeddings, D: training tokens, L: a loss or log perplexity in nats a token.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace braid {

// power2: E is 0. chinchilla: E is fitted.
enum class ScalingForm { power2, chinchilla };

std::string_view to_text(ScalingForm form);
std::optional<ScalingForm> scaling_form(std::string_view text);
std::string_view formula(ScalingForm form);  // "L = E + a N^-alpha + b D^-beta"
// a, alpha, b, beta and E, less what is fixed.
int parameter_count(ScalingForm form, bool alpha_fixed = false, bool beta_fixed = false);

// One curve. The coefficients are kept as logarithms: a = e^40 is no rarity where alpha is large.
struct ScalingCurve {
    double log_a = 0;
    double alpha = 0;
    double log_b = 0;
    double beta = 0;
    double irreducible = 0;  // E

    double a() const { return std::exp(log_a); }
    double b() const { return std::exp(log_b); }
    double loss(double parameters, double tokens) const {
        return irreducible + std::exp(log_a - alpha * std::log(parameters)) +
               std::exp(log_b - beta * std::log(tokens));
    }
    bool operator==(const ScalingCurve&) const = default;
};

// Tokens with which a model of this size reaches the loss; none where no number of tokens does.
std::optional<double> tokens_for_loss(const ScalingCurve& curve, double parameters, double loss);

// The best split of a budget of C = 6 N D floating-point operations.
struct ComputeOptimum {
    double flops = 0;
    double parameters = 0;
    double tokens = 0;
    double loss = 0;
};
// None where an exponent is not positive: then more of one of them never helps, and there is no optimum.
std::optional<ComputeOptimum> compute_optimum(const ScalingCurve& curve, double flops);

}  // namespace braid
