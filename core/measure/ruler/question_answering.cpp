#include "core/measure/ruler/question_answering.h"

#include <algorithm>

#include "core/measure/ruler/words.h"

namespace braid {
namespace {

constexpr std::int64_t new_tokens = 32;

// size - 1 other documents beside those with the answer.
TextQuestion make(const QaSet& set, const TextRequest& request, std::int64_t size) {
    // One order of the questions for all samples: none comes twice before all came once.
    TextRequest all = request;
    all.index = 0;
    all.length = 0;
    Random order_random = all.random("qa/order");
    const auto items = static_cast<std::int64_t>(set.items.size());
    const std::vector<std::int64_t> order = distinct_below(order_random, items, items);
    const QaSet::Item& item =
        set.items[static_cast<std::size_t>(order[static_cast<std::size_t>(request.index % items)])];

    Random random = request.random("qa");
    std::vector<std::size_t> documents = item.support;
    const auto paragraphs = static_cast<std::int64_t>(set.paragraphs.size());
    for (const std::int64_t other :
         distinct_below(random, paragraphs, size - 1 + static_cast<std::int64_t>(item.support.size()))) {
        if (static_cast<std::int64_t>(documents.size()) >=
            static_cast<std::int64_t>(item.support.size()) + size - 1)
            break;
        const auto index = static_cast<std::size_t>(other);
        if (std::find(documents.begin(), documents.end(), index) == documents.end())
            documents.push_back(index);
    }
    for (std::size_t i = 0; i + 1 < documents.size(); ++i)
        std::swap(documents[i], documents[i + random.below(documents.size() - i)]);
    TextQuestion question{.prompt = "Answer the question from the documents below, with the answer alone.\n",
                          .expected = item.answers,
                          .question = item.question};
    for (std::size_t i = 0; i < documents.size(); ++i)
        question.prompt.append("\nDocument ")
            .append(std::to_string(i + 1))
            .append(":\n")
            .append(set.paragraphs[documents[i]])
            .append("\n");
    question.prompt.append("\nQuestion: ").append(item.question).append("\nAnswer:");
    return question;
}

}  // namespace

TextTask question_answering_task(std::string id, std::string title,
                                 std::shared_ptr<const QaSet> TextSources::*set) {
    return {.id = std::move(id),
            .title = std::move(title),
            .new_tokens = new_tokens,
            .missing =
                [set](const TextSources& sources) {
                    return std::string(sources.*set && !(sources.*set)->items.empty() ? ""
                                       : set == &TextSources::single_hop
                                           ? "needs questions in SQuAD's form: --qa FILE"
                                           : "needs questions in HotpotQA's form: --qa FILE");
                },
            .make = [set](const TextRequest& request,
                          std::int64_t size) { return make(*(request.sources.*set), request, size); },
            .mark = mark_any_found};
}

}  // namespace braid
