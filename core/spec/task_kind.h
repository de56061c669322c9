// Synthetic tasks as values: what they are called, their parameters and rules. How sequences are drawn is in
// core/data. A new task is its kind in core/spec/tasks/ID.cpp, its generator in core/data/ID.cpp and one line
// in core/spec/tasks.def.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/parameter.h"

namespace braid {

struct TaskKind {
    std::string id;        // "recall": DataSpec::kind, --data
    std::string title;     // "Recency-skewed recall"
    std::string help;      // what is asked, in one or two sentences
    std::string citation;  // where it comes from
    std::vector<ParameterDescription> parameters;
    // Smallest vocabulary of a model for these values.
    std::int64_t (*vocab)(const ParameterValues& values);
    // Rules between parameters and with the context; ranges and types are checked before. Paths start with
    // "data" or "training".
    Diagnostics (*check)(const ParameterValues& values, std::int64_t context);
};

// In the order of lists and help.
std::span<const TaskKind* const> tasks();
const TaskKind* find_task(std::string_view id);  // null: no such task

// A whole number of things of a task.
ParameterDescription count_parameter(const char* key, const char* label, const char* help, std::int64_t value,
                                     double minimum, double maximum);
// The parameter that all of them have.
ParameterDescription evaluation_sequences_parameter();

}  // namespace braid
