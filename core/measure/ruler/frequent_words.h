// fwe: the three most frequent words of a coded text whose frequencies follow Zipf's law.
#pragma once

#include "core/measure/text_task.h"

namespace braid {

TextTask frequent_words_task(std::string id, std::string title);

}  // namespace braid
