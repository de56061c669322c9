// niah_*: sentences that give a key a value, hidden in a haystack; the values of some keys are asked for.
#pragma once

#include "core/measure/text_task.h"

namespace braid {

enum class Haystack { noise, essay, needles };
enum class NeedlePart { words, number, uuid };

struct NeedleVariant {
    Haystack haystack = Haystack::noise;
    NeedlePart key = NeedlePart::words;
    NeedlePart value = NeedlePart::number;
    std::int64_t keys = 1;     // that have needles,
    std::int64_t values = 1;   // so many each,
    std::int64_t queries = 1;  // of which so many are asked for
};

TextTask needle_task(std::string id, std::string title, const NeedleVariant& variant);

// The first `words` words of a text, which is repeated as needed, cut into sentences: at . ! ? and their full
// width forms, and after 40 words. What has no blanks for 64 bytes counts as several words.
std::vector<std::string> essay_sentences(const std::string& essay, std::int64_t words);

}  // namespace braid
