// The parameters of an architecture beside the tensors of transformers that hold them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/spec/architecture.h"

namespace braid {

struct HfTensor {
    std::string own;                        // "model.layers.0.self_attn.in_proj.weight"
    std::vector<std::int64_t> own_shape;    // as the parameter store has it
    std::string theirs;                     // "model.layers.0.mamba.in_proj.weight"
    std::vector<std::int64_t> their_shape;  // the same elements in the same order
};

// In the order of the parameter store. model_type "": names and shapes of Braid on both sides.
Result<std::vector<HfTensor>> hf_tensors(const ArchitectureSpec& spec, std::string_view model_type);

}  // namespace braid
