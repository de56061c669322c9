// Rotary settings of a config.json: rope_theta and rope_scaling, or rope_parameters (transformers 5).
#pragma once

#include <string>

#include "core/engine/hf/hf_reader.h"
#include "core/spec/parameter.h"

namespace braid {

// What a family takes for keys that a file leaves out.
struct HfRopeDefaults {
    double share = 1;             // partial_rotary_factor
    std::int64_t context = 2048;  // max_position_embeddings
};

// The parameters of a softmax mixer (core/mixers/softmax) that follow; "rope_base" and "rotary" are always
// set. Without a problem, equal to what transformers computes. Where both rope_scaling and rope_parameters
// are given, rope_scaling is followed, as by transformers; rope_theta and partial_rotary_factor are those of
// the followed one, else of the file, else of the other. RoPE by kind of layer is a problem: no family that
// Braid reads has it.
ParameterValues rope_from_hf(HfReader& config, const HfRopeDefaults& family);

// rope_theta, rope_scaling and partial_rotary_factor (transformers 4) and rope_parameters (5) for parameters
// of a softmax mixer, into a config.json; partial_rotary_factor where `say_share`. The static NTK factor goes
// into the base; the original context of dynamic scaling is max_position_embeddings.
void rope_to_hf(const ParameterValues& parameters, const std::vector<ParameterDescription>& described,
                std::int64_t head_dim, bool say_share, Json& config);

}  // namespace braid
