// Full and sliding-window attention models written out in loops, in float64: what measurements are compared
// with. Nothing is shared with the engine but the names of the weights.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/engine/model.h"

namespace braid::test {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

struct SlowChanges {
    std::map<std::int64_t, std::int64_t> horizon = {};            // layer: earlier tokens that a token sees
    std::set<std::pair<std::int64_t, std::int64_t>> zeroed = {};  // (layer, head)
    // (layer, head): what the head gives in place of its output, [K]
    std::map<std::pair<std::int64_t, std::int64_t>, Vector> replaced = {};
    std::function<void(std::size_t position, Vector& embedding)> shift = {};
};

struct SlowPass {
    std::vector<std::vector<Matrix>> attention;  // [layer][head][t][s], s <= t, and the sink's share last
    std::vector<std::vector<Matrix>> heads;      // [layer][head][t][K]: outputs
    std::vector<Matrix> hidden;                  // [layer][t][D]: behind each layer
    Matrix logits;                               // [t][V]
};

SlowPass slow_pass(const Model& model, const std::vector<std::int32_t>& tokens,
                   const SlowChanges& changes = {});

double log_sum_exp(const Vector& x);

}  // namespace braid::test
