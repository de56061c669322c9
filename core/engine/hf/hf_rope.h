// Rotary settings of a config.json: rope_theta and rope_scaling, or rope_parameters (transformers 5), which
// may differ by kind of layer.
#pragma once

#include <string>

#include "core/engine/hf/hf_reader.h"
#include "core/spec/parameter.h"

namespace braid {

// The parameters of a softmax mixer (core/mixers/softmax) that follow. layer_type: "full_attention" or
// "sliding_attention". Without a problem, equal to what transformers computes.
ParameterValues rope_from_hf(HfReader& config, const std::string& layer_type, double usual_share);

// rope_theta, rope_scaling and partial_rotary_factor (transformers 4) and rope_parameters (5) for parameters
// of a softmax mixer, into a config.json. The static NTK factor goes into the base; the original context of
// dynamic scaling is max_position_embeddings.
void rope_to_hf(const ParameterValues& parameters, const std::vector<ParameterDescription>& described,
                std::int64_t head_dim, Json& config);

}  // namespace braid
