// Parameters and rules of induction heads; how they are drawn: core/data/induction.h.
#pragma once

#include "core/spec/task_kind.h"

namespace braid {

extern const TaskKind induction_task;

std::int64_t induction_symbols(const ParameterValues& values);

}  // namespace braid
