#include "core/measure/ruler/frequent_words.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/measure/ruler/words.h"

namespace braid {
namespace {

constexpr std::int64_t new_tokens = 50;
constexpr std::int64_t word_letters = 6;
constexpr std::int64_t wanted = 3;
constexpr double exponent = 2;
// So few words keep the ranks apart: round(60 / zeta(2) / k^2) is 36, 9, 4, 2, 1.
constexpr std::int64_t least_words = 60;
constexpr const char* dots = "...";  // stands at the first rank and is no word

constexpr const char* question_text =
    "Which three coded words come up most often in the text? Dots do not count.";

TextQuestion make(const TextRequest& request, std::int64_t size) {
    Random random = request.random("fwe");
    const std::int64_t words = least_words + size - 1;
    const std::int64_t vocab = std::max<std::int64_t>(10, request.length / 50);
    std::vector<std::string> names = {dots};
    std::unordered_set<std::string> known;
    while (static_cast<std::int64_t>(names.size()) < vocab) {
        std::string name = random_letters(random, word_letters, 'a');
        if (known.insert(name).second) names.push_back(std::move(name));
    }
    double zeta = 0;
    for (std::int64_t k = 1; k <= vocab; ++k) zeta += std::pow(static_cast<double>(k), -exponent);
    std::vector<const std::string*> order;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const double count =
            static_cast<double>(words) * std::pow(static_cast<double>(k + 1), -exponent) / zeta;
        order.insert(order.end(), static_cast<std::size_t>(std::llround(count)), &names[k]);
    }
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
        std::swap(order[i], order[i + random.below(order.size() - i)]);
    TextQuestion question{
        .prompt = "Below is a coded text. Keep track of how often each coded word comes up.\n",
        .expected = {names.begin() + 1, names.begin() + 1 + wanted},
        .question = question_text};
    for (std::size_t i = 0; i < order.size(); ++i)
        question.prompt.append(i == 0 ? "" : " ").append(*order[i]);
    question.prompt.append("\n").append(question_text).append(" The three most frequent coded words are:");
    return question;
}

}  // namespace

TextTask frequent_words_task(std::string id, std::string title) {
    return {.id = std::move(id),
            .title = std::move(title),
            .new_tokens = new_tokens,
            .missing = [](const TextSources&) { return std::string(); },
            .make = make,
            .mark = mark_share_found};
}

}  // namespace braid
