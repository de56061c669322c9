// RULER's tasks (Hsieh et al., 2024, arXiv:2404.06654). The structure of the tasks is RULER's; the wording is
// Braid's own (ruler_template_id): scores compare between models scored with Braid, and with published
// numbers but for the wording.
//
// A new task is a file with a function that makes its TextTask, and one line in tasks.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "core/measure/text_task.h"

namespace braid {

inline constexpr std::string_view ruler_template_id = "braid-ruler-2";

// In the order of the paper's table.
const std::vector<TextTask>& ruler_tasks();
const TextTask* find_ruler_task(std::string_view id);

}  // namespace braid
