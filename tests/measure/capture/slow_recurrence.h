// The matrix that the recurrence of a head of the first layer implies, from the recurrence itself: it reads
// one value vector a token, and they are chosen as the unit vectors of as many dimensions as there are
// tokens.
#pragma once

#include "tests/measure/mechanism/slow_model.h"

namespace braid::test {

// [head][t][s] of the layer, which is Lightning, Mamba-2 or Gated DeltaNet without convolutions.
std::vector<Matrix> slow_implied(const Model& model, const std::vector<std::int32_t>& tokens);

}  // namespace braid::test
