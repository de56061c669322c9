// Rotary frequencies: channel pair i of a head turns by the angle position * frequency_i (RoFormer, Su et
// al., 2021; linear scaling: Chen et al., 2023; NTK-aware: bloc97, 2023; YaRN: Peng et al., 2023; "llama3":
// Llama 3.1).
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace braid {

enum class RopeScaling {
    none,
    linear,   // f / factor
    dynamic,  // of a text longer than `context`, base * (factor * length / context - (factor - 1))^(d / (d -
              // 2))
    yarn,     // f / factor for pairs that turn less than `low` times in `context`, f for more than `high`;
              // between them by a ramp over pairs, whose ends are whole pairs; cos and sin times `attention`
    llama3,   // the same ends; between them by a ramp over turns
};

struct RopeRule {
    double base = 1e5;
    std::int64_t rotary_dim = 0;  // d: channels that are turned, the first of a head; even
    RopeScaling scaling = RopeScaling::none;
    double factor = 1;
    std::int64_t context = 0;  // tokens that the frequencies were trained for
    double low = 1;
    double high = 32;
    double attention = 1;
    auto operator<=>(const RopeRule&) const = default;
};

// Whole pairs of `share` of the channels, at least one.
std::int64_t rotary_dim(std::int64_t head_dim, double share);
// base * factor^(d / (d - 2))
double ntk_base(double base, double factor, std::int64_t rotary_dim);
// 0.1 ln(factor) + 1 (YaRN, Eq. 22)
double yarn_attention(double factor);

// The rule for a text that comes to `length` tokens: without RopeScaling::dynamic.
RopeRule resolved(const RopeRule& rule, std::int64_t length);
// Radians a token of each pair, [d / 2]; the rule must be resolved.
std::vector<double> rope_frequencies(const RopeRule& rule);

}  // namespace braid
