#include "core/measure/answer_metrics.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace braid {
namespace {

// Letters of ASCII only: other bytes of UTF-8 stay as they are.
std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (std::isspace(static_cast<unsigned char>(c)) == 0)
            words.back().push_back(c);
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

std::vector<std::string> normalised_words(const std::string& text) {
    std::string plain = lower(text);
    std::erase_if(plain, [](char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; });
    std::vector<std::string> words = words_of(plain);
    std::erase_if(words,
                  [](const std::string& word) { return word == "a" || word == "an" || word == "the"; });
    return words;
}

double harmonic(double common, std::size_t said, std::size_t wanted) {
    if (common == 0) return 0;
    const double precision = common / static_cast<double>(said),
                 recall = common / static_cast<double>(wanted);
    return 2 * precision * recall / (precision + recall);
}

// One row at a time: answers are short, but texts of users need not be.
template <class Sequence>
std::size_t longest_common_subsequence(const Sequence& a, const Sequence& b) {
    std::vector<std::size_t> row(b.size() + 1, 0);
    for (const auto& item : a) {
        std::size_t diagonal = 0;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t above = row[j + 1];
            row[j + 1] = item == b[j] ? diagonal + 1 : std::max(above, row[j]);
            diagonal = above;
        }
    }
    return row.back();
}

double f1_of(const std::string& answer, const std::string& reference) {
    const std::vector<std::string> said = normalised_words(answer), wanted = normalised_words(reference);
    std::map<std::string, std::int64_t> counts;
    for (const std::string& word : wanted) ++counts[word];
    std::int64_t common = 0;
    for (const std::string& word : said)
        if (const auto found = counts.find(word); found != counts.end() && found->second-- > 0) ++common;
    return harmonic(static_cast<double>(common), said.size(), wanted.size());
}

double rouge_of(const std::string& answer, const std::string& reference) {
    const std::vector<std::string> said = words_of(lower(answer)), wanted = words_of(lower(reference));
    return harmonic(static_cast<double>(longest_common_subsequence(said, wanted)), said.size(),
                    wanted.size());
}

double class_of(const std::string& answer, const std::string& right,
                const std::vector<std::string>& classes) {
    std::int64_t found = 0;
    bool right_found = false;
    for (const std::string& one : classes) {
        if (answer.find(one) == std::string::npos) continue;
        if (one != right && right.find(one) != std::string::npos) continue;
        ++found;
        right_found = right_found || one == right;
    }
    return right_found ? 1 / static_cast<double>(found) : 0;
}

std::string first_line(const std::string& text) {
    const std::size_t begin = std::min(text.find_first_not_of("\r\n"), text.size());
    return text.substr(begin, text.find_first_of("\r\n", begin) - begin);
}

double similarity_of(const std::string& answer, const std::string& reference) {
    const std::string said = first_line(answer), wanted = first_line(reference);
    const std::size_t both = said.size() + wanted.size();
    if (both == 0) return 1;
    return 2 * static_cast<double>(longest_common_subsequence(said, wanted)) / static_cast<double>(both);
}

template <class Mark>
double best(const References& references, Mark&& mark) {
    double highest = 0;
    for (const std::string& reference : references.answers) highest = std::max(highest, mark(reference));
    return highest;
}

constexpr std::array metrics = {
    AnswerMetric{"f1", "Token F1", token_f1},
    AnswerMetric{"rouge_l", "ROUGE-L", rouge_l},
    AnswerMetric{"accuracy", "Classification accuracy", classification_accuracy},
    AnswerMetric{"edit_similarity", "Edit similarity", edit_similarity},
};

}  // namespace

double token_f1(const std::string& answer, const References& references) {
    return best(references, [&](const std::string& reference) { return f1_of(answer, reference); });
}

double rouge_l(const std::string& answer, const References& references) {
    return best(references, [&](const std::string& reference) { return rouge_of(answer, reference); });
}

double classification_accuracy(const std::string& answer, const References& references) {
    return best(references, [&](const std::string& reference) {
        return class_of(answer, reference,
                        references.classes.empty() ? references.answers : references.classes);
    });
}

double edit_similarity(const std::string& answer, const References& references) {
    return best(references, [&](const std::string& reference) { return similarity_of(answer, reference); });
}

std::span<const AnswerMetric> answer_metrics() { return metrics; }

const AnswerMetric* find_answer_metric(std::string_view id) {
    const auto* found =
        std::find_if(metrics.begin(), metrics.end(), [&](const auto& one) { return one.id == id; });
    return found == metrics.end() ? nullptr : found;
}

}  // namespace braid
