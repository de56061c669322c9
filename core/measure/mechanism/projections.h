// The weights of a layer by the names of its projections.
#pragma once

#include <string_view>

#include "core/measure/mechanism/head_looks.h"

namespace braid {

// Rows of a group's input projection ("q_proj") in master_type(), [R, D]; undefined where it has none of this
// name.
at::Tensor input_projection(const Model& model, std::int64_t layer, std::int64_t group,
                            std::string_view name);
// The rows of W_Q and W_K that a head reads with; undefined where its mixer has no q_proj and k_proj.
struct QueryKey {
    at::Tensor query_KD, key_KD;
};
QueryKey query_key(const Model& model, const HeadPlace& head);

// |a - b|_F / |b|_F; NaN where b is 0.
double relative_distance(const at::Tensor& a, const at::Tensor& b);

// Another checkpoint that a parameter names, opened and found to have the same parameters. Errors: those of
// finding it; invalid_input (another architecture, with the first parameter that differs).
Result<std::unique_ptr<Model>> open_other(const MeasureInput& input, const Model& model,
                                          const std::string& folder, const std::string& place);

}  // namespace braid
