// Synthetic tasks. A new one is a file with its TaskKind and one line in task.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/batch.h"
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
    // Rules between parameters and with the context; ranges and types are checked before.
    Diagnostics (*check)(const ParameterValues& values, std::int64_t context);
    std::unique_ptr<DataSource> (*make)(const ParameterValues& values, std::int64_t context,
                                        std::uint64_t seed);
};

std::span<const TaskKind* const> tasks();
const TaskKind* find_task(std::string_view id);

}  // namespace braid
