// Parameters and rules of recency-skewed recall; how it is drawn: core/data/recall.h.
#pragma once

#include "core/spec/task_kind.h"

namespace braid {

extern const TaskKind recall_task;

struct RecallParameters {
    std::int64_t keys = 32;
    std::int64_t values = 32;
    double new_key = 0.3;
    std::int64_t near = 16;
    std::int64_t asked = 6;
    std::int64_t evaluation_sequences = 256;
};

RecallParameters recall_parameters(const ParameterValues& values);

}  // namespace braid
