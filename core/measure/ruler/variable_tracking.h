// vt: variables of a chain of assignments, hidden in noise, that hold a value; one example is given.
#pragma once

#include "core/measure/text_task.h"

namespace braid {

TextTask variable_tracking_task(std::string id, std::string title);

}  // namespace braid
