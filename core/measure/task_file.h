// JSONL files of tasks that users bring: one question a line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/measure/answer_metrics.h"

namespace braid {

// {"context", "choices": [..], "answer"}: the answer is the number of the choice from 0, or its text.
struct ChoiceItem {
    std::string context = {};
    std::vector<std::string> choices = {};
    std::int64_t answer = 0;
};

// {"context", "input", "answers": [..], "all_classes": [..]}: LongBench's form; "input" and "all_classes" may
// be absent or null.
struct ReadingItem {
    std::string context = {};
    std::string input = {};
    References references = {};
};

// Other keys of a line are let pass: such files carry more than is needed. Errors: invalid_input with every
// line that is wrong (the first twenty), or where there is no line.
Result<std::vector<ChoiceItem>> read_choice_file(const std::string& file);
Result<std::vector<ReadingItem>> read_reading_file(const std::string& file);

// "arc_easy" of "data/arc_easy.jsonl": what a file's score is called.
std::string task_name(const std::string& file);
// Two files whose scores would be called the same are refused (invalid_input), with both.
Result<void> check_task_names(std::span<const std::string> files);

}  // namespace braid
