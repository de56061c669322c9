// In what numbers a model computes: scores of the same weights differ by it.
#pragma once

#include <string>

#include "core/engine/model.h"
#include "core/engine/ops.h"

namespace braid::cli {

inline std::string compute_type_of(const Model& model) {
    return model.ops().compute_type() == at::kBFloat16 ? "bfloat16" : "float32";
}

}  // namespace braid::cli
