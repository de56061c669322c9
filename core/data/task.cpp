#include "core/data/task.h"

#include <array>

#include "core/data/babi.h"
#include "core/data/copy.h"
#include "core/data/induction.h"
#include "core/data/mqar.h"
#include "core/data/niah.h"
#include "core/data/recall.h"

namespace braid {
namespace {

// Every task; the order is that of lists and help.
constexpr std::array<const TaskKind*, 6> all = {
    &recall_task, &mqar_task, &niah_task, &copy_task, &induction_task, &babi_task,
};

}  // namespace

std::span<const TaskKind* const> tasks() { return all; }

const TaskKind* find_task(std::string_view id) {
    for (const TaskKind* task : all)
        if (task->id == id) return task;
    return nullptr;
}

}  // namespace braid
