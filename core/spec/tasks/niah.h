// Parameters and rules of the needle in a haystack; how it is drawn: core/data/niah.h.
#pragma once

#include "core/spec/task_kind.h"

namespace braid {

extern const TaskKind niah_task;

// Two tokens are signs (mark, ask); then keys, values, filler.
struct NiahParameters {
    static constexpr std::int64_t signs = 2;
    std::int64_t needles, asked, value_tokens, keys, values, filler, evaluation_sequences;
    std::int64_t needle_tokens() const { return 2 + value_tokens; }
    std::int64_t vocab() const { return signs + keys + values + filler; }
};

NiahParameters niah_parameters(const ParameterValues& values);

}  // namespace braid
