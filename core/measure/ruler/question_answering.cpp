#include "core/measure/ruler/question_answering.h"

#include <algorithm>
#include <unordered_set>

#include "core/measure/ruler/words.h"

namespace braid {
namespace {

constexpr std::int64_t new_tokens = 32;

// Those that belong to the question, and `more` others: first of the same article, then of all.
std::vector<std::size_t> documents_of(const QaSet& set, const QaSet::Item& item, std::int64_t more,
                                      Random& random) {
    std::vector<std::size_t> documents = item.support;
    const std::size_t wanted = documents.size() + static_cast<std::size_t>(more);
    const auto near = static_cast<std::int64_t>(item.near.size());
    for (const std::int64_t place : distinct_below(random, near, more))
        documents.push_back(item.near[static_cast<std::size_t>(place)]);
    if (documents.size() == wanted) return documents;
    std::unordered_set<std::size_t> known(documents.begin(), documents.end());
    // Enough even where all that are known are drawn again.
    const auto most = static_cast<std::int64_t>(wanted + known.size());
    for (const std::int64_t other :
         distinct_below(random, static_cast<std::int64_t>(set.paragraphs.size()), most)) {
        if (documents.size() == wanted) break;
        if (known.insert(static_cast<std::size_t>(other)).second)
            documents.push_back(static_cast<std::size_t>(other));
    }
    return documents;
}

// size - 1 other documents beside those that belong to the question.
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
    std::vector<std::size_t> documents = documents_of(set, item, size - 1, random);
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
