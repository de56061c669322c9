// Files of questions over paragraphs, as their authors publish them.
#pragma once

#include <string>

#include "core/measure/text_task.h"

namespace braid {

struct QaFile {
    QaSet set = {};
    bool multi_hop = false;  // HotpotQA's form, else SQuAD's
};

// SQuAD: {"data": [{"paragraphs": [{"context", "qas": [{"question", "answers": [{"text"}]}]}]}]}; questions
// without an answer are left out. HotpotQA: [{"question", "answer", "context": [[title, [sentence, ..]], ..],
// "supporting_facts": [[title, ..], ..]}]; all of its context belongs to a question. The form is known by its
// content. Errors: corrupt, with the place; invalid_input where there is no question.
Result<QaFile> read_qa_file(const std::string& file);

}  // namespace braid
