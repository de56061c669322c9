// Plain sequences as a checkpoint reads them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/measure/mechanism/measurement.h"

namespace braid {

// At most `samples` sequences of `context` tokens: of the evaluation set of the task that the checkpoint's
// run was trained on, or the beginnings of validation documents of the corpus. Describes itself in
// measured.settings. Errors: invalid_input (no data; a context that does not suit the task; no document is
// long enough, with the length of the longest).
Result<std::vector<std::vector<std::int32_t>>> sample_texts(const MeasureInput& input, std::int64_t context,
                                                            std::int64_t samples, Measured& measured);

}  // namespace braid
