// Generators of the synthetic tasks of core/spec/tasks.def.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/data/batch.h"
#include "core/spec/task_kind.h"

namespace braid {

// Sequences of a task; `values` and context have passed validate(). Null: no such task.
std::unique_ptr<DataSource> make_task(std::string_view id, const ParameterValues& values,
                                      std::int64_t context, std::uint64_t seed);

#define BRAID_TASK(id)                                                                                \
    std::unique_ptr<DataSource> make_##id##_task(const ParameterValues& values, std::int64_t context, \
                                                 std::uint64_t seed);
#include "core/spec/tasks.def"
#undef BRAID_TASK

}  // namespace braid
