#include "core/measure/ruler/tasks.h"

#include <algorithm>

#include "core/measure/ruler/common_words.h"
#include "core/measure/ruler/frequent_words.h"
#include "core/measure/ruler/needles.h"
#include "core/measure/ruler/question_answering.h"
#include "core/measure/ruler/variable_tracking.h"

namespace braid {

const std::vector<TextTask>& ruler_tasks() {
    using enum Haystack;
    using enum NeedlePart;
    static const std::vector<TextTask> tasks = {
        needle_task("niah_single_1", "One needle in noise", {.haystack = noise}),
        needle_task("niah_single_2", "One needle in an essay", {.haystack = essay}),
        needle_task("niah_single_3", "One UUID in an essay", {.haystack = essay, .value = uuid}),
        needle_task("niah_multikey_1", "One of four needles", {.haystack = essay, .keys = 4}),
        needle_task("niah_multikey_2", "One needle among needles", {.haystack = needles}),
        needle_task("niah_multikey_3", "One UUID among UUIDs",
                    {.haystack = needles, .key = uuid, .value = uuid}),
        needle_task("niah_multivalue", "All values of a key", {.haystack = essay, .values = 4}),
        needle_task("niah_multiquery", "Values of four keys", {.haystack = essay, .keys = 4, .queries = 4}),
        variable_tracking_task("vt", "Variables of a chain"),
        common_words_task("cwe", "Ten most common words"),
        frequent_words_task("fwe", "Three most frequent code words"),
        question_answering_task("qa_1", "Question over one paragraph", &TextSources::single_hop),
        question_answering_task("qa_2", "Question over several paragraphs", &TextSources::multi_hop),
    };
    return tasks;
}

const TextTask* find_ruler_task(std::string_view id) {
    const auto& tasks = ruler_tasks();
    const auto found =
        std::find_if(tasks.begin(), tasks.end(), [&](const TextTask& task) { return task.id == id; });
    return found == tasks.end() ? nullptr : &*found;
}

}  // namespace braid
