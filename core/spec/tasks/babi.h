// Parameters and rules of facts and questions; how they are drawn: core/data/babi.h.
#pragma once

#include "core/spec/task_kind.h"

namespace braid {

extern const TaskKind babi_task;

// Words that every story has come first among the tokens, then people, places, objects.
struct BabiParameters {
    static constexpr std::int64_t words = 9;
    std::int64_t people, places, objects;
    double questions;
    std::int64_t evaluation_sequences;
    std::int64_t vocab() const { return words + people + places + objects; }
    std::int32_t person(std::int64_t i) const { return static_cast<std::int32_t>(words + i); }
    std::int32_t place(std::int64_t i) const { return static_cast<std::int32_t>(words + people + i); }
    std::int32_t object(std::int64_t i) const {
        return static_cast<std::int32_t>(words + people + places + i);
    }
};

BabiParameters babi_parameters(const ParameterValues& values);

}  // namespace braid
