#include "core/measure/ruler/variable_tracking.h"

#include <algorithm>
#include <unordered_set>

#include "core/measure/ruler/words.h"

namespace braid {
namespace {

constexpr std::int64_t new_tokens = 30;
constexpr std::int64_t hops = 4;  // one chain of hops + 1 variables
constexpr std::int64_t name_letters = 5;
constexpr std::int64_t example_noise = 10;  // sentences

struct Chain {
    std::string text = {};
    std::string value = {};
    std::vector<std::string> names = {};
};

Chain draw_chain(Random& random, std::int64_t noise) {
    Chain chain{.value = random_number(random, 5)};
    std::unordered_set<std::string> known;
    while (static_cast<std::int64_t>(chain.names.size()) <= hops) {
        std::string name = random_letters(random, name_letters, 'A');
        if (known.insert(name).second) chain.names.push_back(std::move(name));
    }
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < chain.names.size(); ++i)
        places.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(noise) + 1)));
    std::sort(places.begin(), places.end());  // a variable is assigned before it is read
    std::size_t next = 0;
    const auto add = [&](std::string_view piece) {
        chain.text.append(chain.text.empty() ? "" : " ").append(piece);
    };
    for (std::int64_t i = 0; i <= noise; ++i) {
        for (; next < places.size() && places[next] == i; ++next) {
            std::string line = "VAR ";
            line.append(chain.names[next]).append(" = ");
            line.append(next == 0 ? chain.value : "VAR " + chain.names[next - 1]).append(".");
            add(line);
        }
        if (i < noise) add(noise_sentence(i));
    }
    return chain;
}

std::string question_about(const Chain& chain) {
    std::string text = "Which variables hold the value ";
    return text.append(chain.value).append(" in the text?");
}

std::string task_text(const Chain& chain) {
    std::string text = "Follow the assignments of variables that are hidden in the text below.\n";
    text.append(chain.text).append("\n").append(question_about(chain));
    return text.append(" By the assignments, these ")
        .append(std::to_string(chain.names.size()))
        .append(" variables hold it:");
}

}  // namespace

TextTask variable_tracking_task(std::string id, std::string title) {
    return {.id = std::move(id),
            .title = std::move(title),
            .new_tokens = new_tokens,
            .missing = [](const TextSources&) { return std::string(); },
            .make =
                [](const TextRequest& request, std::int64_t size) {
                    Random example_random = request.random("vt/example");
                    Random random = request.random("vt");
                    const Chain example = draw_chain(example_random, std::min(size, example_noise));
                    const Chain chain = draw_chain(random, size);
                    TextQuestion question{.prompt = task_text(example),
                                          .expected = chain.names,
                                          .question = question_about(chain)};
                    for (const std::string& name : example.names) question.prompt.append(" ").append(name);
                    question.prompt.append("\n\n").append(task_text(chain));
                    return question;
                },
            .mark = mark_share_found};
}

}  // namespace braid
