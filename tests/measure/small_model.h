// A model of a few thousand weights.
#pragma once

#include <memory>
#include <string>

#include "core/engine/device.h"
#include "core/engine/init.h"
#include "core/engine/model.h"
#include "core/mixers/builtin.h"
#include "core/spec/shorthand.h"

namespace braid::testing {

inline std::unique_ptr<Model> small_model(std::int64_t vocab, const std::string& pattern = "FS[w=4] x1") {
    Scale scale = *find_scale("tiny");
    scale.d_model = 32;
    scale.ffn_width = 48;
    scale.head_dim = 16;
    scale.vocab = vocab;
    auto model = Model::create(instantiate(parse_pattern(pattern, builtin_mixers()).value(), scale),
                               open_device("cpu", 1).value());
    initialise((*model)->parameters(), "fan_in", 7);
    return std::move(*model);
}

}  // namespace braid::testing
