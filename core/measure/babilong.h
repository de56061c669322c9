// BABILong-type questions (Kuratov et al., 2024, arXiv:2406.10149): facts of people who move and carry
// objects stand in order at random gaps of background text; the question asks for a place.
#pragma once

#include <vector>

#include "core/measure/text_task.h"

namespace braid {

// qa1: one supporting fact (where is a person?); qa2: two (where is an object?). The background is the essay
// of the sources, or noise where there is none. Sizes are words of background. An answer is right iff the
// labels in it (up to the first full stop or line break) that are not in the question are the target.
const std::vector<TextTask>& babilong_tasks();

double mark_labels(const std::string& answer, const TextQuestion& question);

}  // namespace braid
