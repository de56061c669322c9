#include "core/data/task.h"

#include <array>

#include "core/data/recall.h"

namespace braid {
namespace {

// Every task; the order is that of lists and help.
constexpr std::array<const TaskKind*, 1> all = {
    &recall_task,
};

}  // namespace

std::span<const TaskKind* const> tasks() { return all; }

const TaskKind* find_task(std::string_view id) {
    for (const TaskKind* task : all)
        if (task->id == id) return task;
    return nullptr;
}

}  // namespace braid
