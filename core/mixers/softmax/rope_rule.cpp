#include "core/mixers/softmax/rope_rule.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>

namespace braid {
namespace {

constexpr double full_turn = 2 * std::numbers::pi;

// The pair, in fractions, that turns `turns` times in `context` tokens.
double pair_of(const RopeRule& rule, double turns) {
    return static_cast<double>(rule.rotary_dim) *
           std::log(static_cast<double>(rule.context) / (turns * full_turn)) / (2 * std::log(rule.base));
}

// 1: divided by the factor; 0: as it is.
double yarn_share(const RopeRule& rule, std::int64_t pair) {
    const auto last = static_cast<double>(rule.rotary_dim - 1);
    const double low = std::max(std::floor(pair_of(rule, rule.high)), 0.0);
    double high = std::min(std::ceil(pair_of(rule, rule.low)), last);
    if (low == high) high += 0.001;  // as the paper's code has it
    return std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
}

double llama3_share(const RopeRule& rule, double frequency) {
    const double turns = static_cast<double>(rule.context) * frequency / full_turn;
    return 1 - std::clamp((turns - rule.low) / (rule.high - rule.low), 0.0, 1.0);
}

}  // namespace

std::int64_t rotary_dim(std::int64_t head_dim, double share) {
    const auto pairs = static_cast<std::int64_t>(static_cast<double>(head_dim) * share / 2);
    return 2 * std::max<std::int64_t>(pairs, 1);
}

double ntk_base(double base, double factor, std::int64_t rotary_dim) {
    const auto d = static_cast<double>(rotary_dim);
    return rotary_dim > 2 ? base * std::pow(factor, d / (d - 2)) : base;
}

double yarn_attention(double factor) { return 0.1 * std::log(std::max(factor, 1.0)) + 1; }

RopeRule resolved(const RopeRule& rule, std::int64_t length) {
    if (rule.scaling != RopeScaling::dynamic) return rule;
    RopeRule fixed{.base = rule.base, .rotary_dim = rule.rotary_dim};
    const double times = static_cast<double>(length) / static_cast<double>(rule.context);
    if (times > 1) fixed.base = ntk_base(rule.base, rule.factor * times - (rule.factor - 1), rule.rotary_dim);
    return fixed;
}

std::vector<double> rope_frequencies(const RopeRule& rule) {
    if (rule.scaling == RopeScaling::dynamic) {
        std::fprintf(stderr, "rope_frequencies: the text's length is not known\n");
        std::abort();
    }
    std::vector<double> frequencies;
    for (std::int64_t pair = 0; pair < rule.rotary_dim / 2; ++pair) {
        const double f =
            std::pow(rule.base, -2 * static_cast<double>(pair) / static_cast<double>(rule.rotary_dim));
        double share = 0;
        if (rule.scaling == RopeScaling::linear) share = 1;
        if (rule.scaling == RopeScaling::yarn) share = yarn_share(rule, pair);
        if (rule.scaling == RopeScaling::llama3) share = llama3_share(rule, f);
        frequencies.push_back(share == 0 ? f : (1 - share) * f + share * f / rule.factor);
    }
    return frequencies;
}

}  // namespace braid
