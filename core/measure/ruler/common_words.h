// cwe: the ten most common words of a numbered list; one example is given.
#pragma once

#include "core/measure/text_task.h"

namespace braid {

TextTask common_words_task(std::string id, std::string title);

}  // namespace braid
