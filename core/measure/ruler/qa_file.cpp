#include "core/measure/ruler/qa_file.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/base/json.h"

namespace braid {
namespace {

constexpr std::size_t most_problems = 20;

class Reader {
public:
    explicit Reader(Diagnostics& problems) : problems_(problems) {}

    // The list at `key`; an empty one, and a problem, where there is none.
    const Json& list(const Json& json, const char* key, const std::string& place) {
        static const Json none = Json::array();
        if (json.is_object() && json.contains(key) && json[key].is_array()) return json[key];
        report(place + "." + key, "must be a list");
        return none;
    }
    std::string text(const Json& json, const char* key, const std::string& place) {
        if (json.is_object() && json.contains(key) && json[key].is_string())
            return json[key].get<std::string>();
        report(place + "." + key, "must be a text");
        return {};
    }
    void report(std::string place, std::string rule) {
        if (problems_.size() < most_problems)
            problems_.push_back({.path = std::move(place), .rule = std::move(rule), .found = {}});
    }

private:
    Diagnostics& problems_;
};

std::string item_place(const std::string& list, std::size_t i) {
    std::string place = list;
    return place.append("[").append(std::to_string(i)).append("]");
}

// The number of a paragraph; one that comes twice has one.
class Paragraphs {
public:
    explicit Paragraphs(QaSet& set) : set_(set) {}
    std::size_t add(const std::string& text) {
        const auto [found, fresh] = known_.emplace(text, set_.paragraphs.size());
        if (fresh) set_.paragraphs.push_back(text);
        return found->second;
    }

private:
    QaSet& set_;
    std::unordered_map<std::string, std::size_t> known_;
};

void add_new(std::vector<std::size_t>& numbers, std::size_t number) {
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
}

void read_squad(const Json& json, Reader& reader, QaSet& set) {
    Paragraphs paragraphs(set);
    const Json& data = reader.list(json, "data", "");
    for (std::size_t d = 0; d < data.size(); ++d) {
        const std::string article = item_place("data", d);
        const Json& parts = reader.list(data[d], "paragraphs", article);
        const std::size_t first = set.items.size();
        std::vector<std::size_t> of_article;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const std::string place = item_place(article + ".paragraphs", p);
            const std::size_t paragraph = paragraphs.add(reader.text(parts[p], "context", place));
            const Json& questions = reader.list(parts[p], "qas", place);
            for (std::size_t q = 0; q < questions.size(); ++q) {
                const std::string one = item_place(place + ".qas", q);
                QaSet::Item item{.question = reader.text(questions[q], "question", one),
                                 .support = {paragraph}};
                const Json& answers = reader.list(questions[q], "answers", one);
                for (std::size_t a = 0; a < answers.size(); ++a) {
                    std::string answer = reader.text(answers[a], "text", item_place(one + ".answers", a));
                    if (!answer.empty()) item.answers.push_back(std::move(answer));
                }
                if (!item.answers.empty()) set.items.push_back(std::move(item));
            }
            add_new(of_article, paragraph);
        }
        for (std::size_t i = first; i < set.items.size(); ++i)
            for (const std::size_t other : of_article)
                if (other != set.items[i].support[0]) set.items[i].near.push_back(other);
    }
}

void read_hotpot(const Json& json, Reader& reader, QaSet& set) {
    Paragraphs paragraphs(set);
    for (std::size_t i = 0; i < json.size(); ++i) {
        const std::string place = item_place("", i);
        QaSet::Item item{.question = reader.text(json[i], "question", place),
                         .answers = {reader.text(json[i], "answer", place)}};
        std::vector<std::string> support_titles;
        if (json[i].is_object() && json[i].contains("supporting_facts") &&
            json[i]["supporting_facts"].is_array())
            for (const Json& fact : json[i]["supporting_facts"])
                if (fact.is_array() && !fact.empty() && fact[0].is_string())
                    support_titles.push_back(fact[0].get<std::string>());
        std::set<std::string> titles;
        const Json& context = reader.list(json[i], "context", place);
        for (std::size_t c = 0; c < context.size(); ++c) {
            const Json& part = context[c];
            if (!part.is_array() || part.size() != 2 || !part[0].is_string() || !part[1].is_array()) {
                reader.report(item_place(place + ".context", c), "must be [title, [sentence, ..]]");
                continue;
            }
            const auto title = part[0].get<std::string>();
            std::string text = title + "\n";
            for (const Json& sentence : part[1])
                if (sentence.is_string()) text.append(sentence.get<std::string>());
            // Those with the answer and those that only look like it: all belong to the question.
            add_new(item.support, paragraphs.add(text));
            titles.insert(title);
        }
        for (const std::string& title : support_titles)
            if (!titles.contains(title))
                reader.report(place + ".supporting_facts", "must name paragraphs of context, not " + title);
        if (item.support.empty()) reader.report(place + ".context", "must hold a paragraph");
        if (!item.answers[0].empty()) set.items.push_back(std::move(item));
    }
}

}  // namespace

Result<QaFile> read_qa_file(const std::string& file) {
    const Result<Json> json = read_json(file);
    if (!json) return fail(json.error());
    Diagnostics problems;
    Reader reader(problems);
    QaFile read{.multi_hop = json->is_array()};
    if (read.multi_hop)
        read_hotpot(*json, reader, read.set);
    else
        read_squad(*json, reader, read.set);
    if (!problems.empty()) {
        Error error = to_error(problems, file);
        error.kind = ErrorKind::corrupt;
        return fail(std::move(error));
    }
    if (read.set.items.empty())
        return fail(ErrorKind::invalid_input, "there is no question with an answer in it", file);
    return read;
}

}  // namespace braid
