// Parameters and rules of multi-query associative recall; how it is drawn: core/data/mqar.h.
#pragma once

#include "core/spec/task_kind.h"

namespace braid {

extern const TaskKind mqar_task;

struct MqarParameters {
    std::int64_t keys, values, pairs;
    double power;
    std::int64_t evaluation_sequences;
};

MqarParameters mqar_parameters(const ParameterValues& values);

}  // namespace braid
