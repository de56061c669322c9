// Parameters and rules of copying; how it is drawn: core/data/copy.h.
#pragma once

#include "core/spec/task_kind.h"

namespace braid {

extern const TaskKind copy_task;

std::int64_t copy_symbols(const ParameterValues& values);
// Symbols to copy in a sequence.
std::int64_t copy_length(const ParameterValues& values, std::int64_t context);

}  // namespace braid
