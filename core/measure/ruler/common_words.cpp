#include "core/measure/ruler/common_words.h"

#include "core/measure/ruler/words.h"

namespace braid {
namespace {

constexpr std::int64_t new_tokens = 120;
constexpr std::int64_t common = 10;
constexpr std::int64_t long_context = 4'096;  // from here on words are repeated more often

struct Repeats {
    std::int64_t common = 0, uncommon = 0, example_words = 0, example_common = 0, example_uncommon = 0;
};

Repeats repeats_at(std::int64_t length) {
    if (length < long_context) return {6, 1, 20, 3, 1};
    return {30, 3, 40, 10, 3};
}

struct List {
    std::string text = {};
    std::vector<std::string> common = {};
};

List draw_list(Random& random, std::int64_t words, std::int64_t of_common, std::int64_t of_uncommon) {
    const std::vector<std::string> stock = distinct_words(random, words);
    std::vector<const std::string*> order;
    List list;
    for (std::size_t i = 0; i < stock.size(); ++i) {
        const bool is_common = i < static_cast<std::size_t>(common);
        if (is_common) list.common.push_back(stock[i]);
        order.insert(order.end(), static_cast<std::size_t>(is_common ? of_common : of_uncommon), &stock[i]);
    }
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
        std::swap(order[i], order[i + random.below(order.size() - i)]);
    for (std::size_t i = 0; i < order.size(); ++i)
        list.text.append(i == 0 ? "" : " ").append(std::to_string(i + 1)).append(". ").append(*order[i]);
    return list;
}

constexpr const char* question_text = "Which ten words are the most common in the list?";

std::string task_text(const List& list) {
    std::string text = "Below is a numbered list of words, some of which come up more often than others.\n";
    return text.append(list.text)
        .append("\n")
        .append(question_text)
        .append(" The ten most common words are:");
}

}  // namespace

TextTask common_words_task(std::string id, std::string title) {
    return {.id = std::move(id),
            .title = std::move(title),
            .new_tokens = new_tokens,
            .missing = [](const TextSources&) { return std::string(); },
            .make =
                [](const TextRequest& request, std::int64_t size) {
                    const Repeats repeats = repeats_at(request.length);
                    Random example_random = request.random("cwe/example");
                    Random random = request.random("cwe");
                    const List example = draw_list(example_random, repeats.example_words,
                                                   repeats.example_common, repeats.example_uncommon);
                    const List list = draw_list(random, common + size, repeats.common, repeats.uncommon);
                    TextQuestion question{
                        .prompt = task_text(example), .expected = list.common, .question = question_text};
                    for (std::size_t i = 0; i < example.common.size(); ++i)
                        question.prompt.append(" ")
                            .append(std::to_string(i + 1))
                            .append(". ")
                            .append(example.common[i]);
                    question.prompt.append("\n\n").append(task_text(list));
                    return question;
                },
            .mark = mark_share_found};
}

}  // namespace braid
