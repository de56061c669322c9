// Initial weights: a pure function of the seed, the parameter's name and its shape, the same on every device.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/engine/parameter_store.h"

namespace braid {

// "fan_in": matrices U(+-1/sqrt(fan_in)), embedding N(0, 0.5); "normal": both N(0, 0.02). The head counts as
// a matrix, and so does an embedding that is the head. What AdamW does not decay follows its own Init in
// either: norms 1, sinks 0, decays by their papers. Aborts on another scheme (TrainingSpec is validated
// before).
void initialise(ParameterStore& store, std::string_view scheme, std::uint64_t seed);

}  // namespace braid
