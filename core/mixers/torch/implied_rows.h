// The matrix with which attention through a state (core/mixers/torch/linear_attention.h) weighs the values, a
// few rows at a time: o = W v. With b the cumulative log-decay,
//
//   W_ts = scale exp(b_t - b_s) (q_t.k_s) beta_s + [t = s] skip
//
// and for the delta rule W = R (I + A)^-1 diag(beta), R_ts = scale exp(b_t - b_s) (q_t.k_s), s <= t, and
// A_ts = beta_t exp(b_t - b_s) (k_t.k_s), s < t.
#pragma once

#include "core/mixers/torch/linear_attention.h"
#include "core/mixers/torch/mixer.h"

namespace braid {

// Rows [first, first + count) of output head `head`, in float64 (decays of a long text cancel), given in
// `type`. output_BrV is left undefined. The input has no initial state and no document starts.
AttentionRows implied_rows(const LinearRule& rule, const LinearInput& input, std::int64_t head,
                           std::int64_t first, std::int64_t count, at::ScalarType type);

// The same as factors, computed in float64, given in `type`. Not of the delta rule.
AttentionFactors implied_factors(const LinearRule& rule, const LinearInput& input, std::int64_t head,
                                 at::ScalarType type);

}  // namespace braid
