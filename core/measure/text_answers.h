// Answers in text: when one has ended, and what of it counts.
#pragma once

#include <string>

#include "core/data/tokenizer/tokenizer.h"
#include "core/measure/question_run.h"

namespace braid {

enum class StopAt { end_of_document, end_of_line };

// Special tokens end an answer and are no part of it. With end_of_line the first line break after something
// was said ends it, too: line breaks at its beginning are skipped, and the answer is the text up to the next
// one, whatever share of a token that is. The tokenizer must outlive it.
QuestionOptions text_answers(const Tokenizer& tokenizer, StopAt stop);

}  // namespace braid
