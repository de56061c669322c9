#include "core/measure/babilong.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "core/measure/ruler/needles.h"
#include "core/measure/ruler/words.h"

namespace braid {
namespace {

constexpr std::int64_t new_tokens = 16;
constexpr std::array<const char*, 4> people = {"Mary", "John", "Sandra", "Daniel"};
constexpr std::array<const char*, 6> places = {"bathroom", "bedroom", "garden",
                                               "hallway",  "kitchen", "office"};
constexpr std::array<const char*, 3> objects = {"apple", "football", "milk"};
constexpr std::int64_t least_facts = 4, more_facts = 6;  // 4 .. 9 of them

struct Story {
    std::vector<std::string> facts = {};
    std::string question = {};
    std::string answer = {};
};

std::string moves(std::size_t who, std::size_t where) {
    std::string fact(people[who]);
    return fact.append(" went to the ").append(places[where]).append(".");
}

// Where one of the people is.
Story one_fact(Random& random) {
    Story story;
    std::array<std::size_t, people.size()> at{};
    at.fill(places.size());
    std::vector<std::size_t> known;
    const auto count = least_facts + static_cast<std::int64_t>(random.below(more_facts));
    for (std::int64_t i = 0; i < count; ++i) {
        const std::size_t who = random.below(people.size()), where = random.below(places.size());
        if (at[who] == places.size()) known.push_back(who);
        at[who] = where;
        story.facts.push_back(moves(who, where));
    }
    const std::size_t asked = known[random.below(known.size())];
    story.question.append("Where is ").append(people[asked]).append("?");
    story.answer = places[at[asked]];
    return story;
}

// Where the object is that one of them carries.
Story two_facts(Random& random) {
    Story story;
    const std::size_t who = random.below(people.size()), what = random.below(objects.size());
    std::size_t where = random.below(places.size());
    story.facts.push_back(moves(who, where));
    std::string taken(people[who]);
    story.facts.push_back(taken.append(" took the ").append(objects[what]).append("."));
    const auto count = least_facts + static_cast<std::int64_t>(random.below(more_facts)) - 2;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::size_t mover = random.below(people.size()), to = random.below(places.size());
        if (mover == who) where = to;
        story.facts.push_back(moves(mover, to));
    }
    story.question.append("Where is the ").append(objects[what]).append("?");
    story.answer = places[where];
    return story;
}

TextQuestion make(Story (*tell)(Random&), const TextRequest& request, std::int64_t size) {
    Random random = request.random("babilong");
    const Story story = tell(random);
    std::vector<std::string> background;
    if (request.sources.essay.empty())
        for (std::int64_t i = 0; i < size; ++i) background.emplace_back(noise_sentence(i));
    else
        background = essay_sentences(request.sources.essay, size);
    const std::size_t units = background.size();
    std::vector<std::size_t> gaps;
    for (std::size_t i = 0; i < story.facts.size(); ++i) gaps.push_back(random.below(units + 1));
    std::sort(gaps.begin(), gaps.end());
    std::string text;
    std::size_t next = 0;
    const auto add = [&](const std::string& piece) { text.append(text.empty() ? "" : " ").append(piece); };
    for (std::size_t i = 0; i <= units; ++i) {
        for (; next < gaps.size() && gaps[next] == i; ++next) add(story.facts[next]);
        if (i < units) add(background[i]);
    }
    TextQuestion question{.expected = {story.answer}, .question = story.question};
    question.prompt
        .append(
            "Facts about people and things are hidden in the text below. Answer the question with the name "
            "of a place.\n")
        .append(text)
        .append("\nQuestion: ")
        .append(story.question)
        .append("\nAnswer:");
    return question;
}

std::set<std::string> labels_in(const std::string& text) {
    std::set<std::string> found;
    std::string word;
    const auto take = [&] {
        if (std::find(places.begin(), places.end(), std::string_view(word)) != places.end())
            found.insert(word);
        word.clear();
    };
    for (const char c : text) {
        if (std::isalpha(static_cast<unsigned char>(c)) != 0)
            word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
        else
            take();
    }
    take();
    return found;
}

TextTask task(std::string id, std::string title, Story (*tell)(Random&)) {
    return {
        .id = std::move(id),
        .title = std::move(title),
        .new_tokens = new_tokens,
        .missing = [](const TextSources&) { return std::string(); },
        .make = [tell](const TextRequest& request, std::int64_t size) { return make(tell, request, size); },
        .mark = mark_labels};
}

}  // namespace

double mark_labels(const std::string& answer, const TextQuestion& question) {
    const std::size_t begin = std::min(answer.find_first_not_of(" \t\r\n"), answer.size());
    std::set<std::string> said = labels_in(answer.substr(begin, answer.find_first_of(".\n", begin) - begin));
    for (const std::string& label : labels_in(question.question)) said.erase(label);
    return said == std::set<std::string>(question.expected.begin(), question.expected.end()) ? 1 : 0;
}

const std::vector<TextTask>& babilong_tasks() {
    static const std::vector<TextTask> tasks = {
        task("qa1", "One supporting fact", one_fact),
        task("qa2", "Two supporting facts", two_facts),
    };
    return tasks;
}

}  // namespace braid
