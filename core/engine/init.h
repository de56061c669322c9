// Initial weights: a pure function of the seed, the parameter's name and its shape, the same on every device.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/engine/parameter_store.h"

namespace braid {

// "fan_in": matrices U(+-1/sqrt(fan_in)), embedding N(0, 0.5); "normal": both N(0, 0.02). Norms are 1, sinks
// 0. The head counts as a matrix. Aborts on another scheme (TrainingSpec is validated before).
void initialise(ParameterStore& store, std::string_view scheme, std::uint64_t seed);

}  // namespace braid
