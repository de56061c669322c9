#include "core/spec/task_kind.h"

#include <array>

namespace braid {

#define BRAID_TASK(id) extern const TaskKind id##_task;
#include "core/spec/tasks.def"
#undef BRAID_TASK

namespace {

constexpr std::array all = {
#define BRAID_TASK(id) &id##_task,
#include "core/spec/tasks.def"
#undef BRAID_TASK
};

}  // namespace

std::span<const TaskKind* const> tasks() { return all; }

const TaskKind* find_task(std::string_view id) {
    for (const TaskKind* task : all)
        if (task->id == id) return task;
    return nullptr;
}

ParameterDescription count_parameter(const char* key, const char* label, const char* help, std::int64_t value,
                                     double minimum, double maximum) {
    return {.key = key,
            .label = label,
            .help = help,
            .default_value = value,
            .minimum = minimum,
            .maximum = maximum};
}

ParameterDescription evaluation_sequences_parameter() {
    return {.key = "evaluation_sequences",
            .label = "Evaluation sequences",
            .help = "Sequences of the evaluation set.",
            .default_value = std::int64_t{256},
            .minimum = 1,
            .maximum = 100'000};
}

}  // namespace braid
