#include "core/measure/answer_metrics.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

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

using Words = std::vector<std::string>;

// Sentences of words, cut at every '.'; empty ones are left out. One of blanks alone has an empty word, as
// rouge 1.0.1 has it.
std::vector<Words> sentences_of(const std::string& text) {
    std::vector<Words> sentences;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('.', at), text.size());
        if (end > at) {
            sentences.push_back(words_of(text.substr(at, end - at)));
            if (sentences.back().empty()) sentences.back().emplace_back();
        }
        at = end + 1;
    }
    return sentences;
}

// The words of one longest common subsequence: of several the one that rouge 1.0.1 finds.
void add_common_words(const Words& wanted, const Words& said, std::set<std::string>& common) {
    const std::size_t width = said.size() + 1;
    std::vector<std::uint32_t> longest((wanted.size() + 1) * width, 0);
    for (std::size_t i = 1; i <= wanted.size(); ++i)
        for (std::size_t j = 1; j <= said.size(); ++j)
            longest[i * width + j] = wanted[i - 1] == said[j - 1]
                                         ? longest[(i - 1) * width + j - 1] + 1
                                         : std::max(longest[(i - 1) * width + j], longest[i * width + j - 1]);
    for (std::size_t i = wanted.size(), j = said.size(); i > 0 && j > 0;) {
        if (wanted[i - 1] == said[j - 1]) {
            common.insert(wanted[i - 1]);
            --i, --j;
        } else if (longest[(i - 1) * width + j] > longest[i * width + j - 1]) {
            --i;
        } else {
            --j;
        }
    }
}

double rouge_of(const std::string& answer, const std::string& reference) {
    const std::vector<Words> said = sentences_of(answer), wanted = sentences_of(reference);
    if (said.empty() || wanted.empty()) return 0;
    std::set<std::string> common;
    for (const Words& sentence : wanted)
        for (const Words& other : said) add_common_words(sentence, other, common);
    const auto different = [](const std::vector<Words>& sentences) {
        std::set<std::string> words;
        for (const Words& sentence : sentences) words.insert(sentence.begin(), sentence.end());
        return words.size();
    };
    return harmonic(static_cast<double>(common.size()), different(said), different(wanted));
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

// The first line that is neither a comment nor a fence around code.
std::string line_of_code(const std::string& text) {
    for (std::size_t at = std::min(text.find_first_not_of('\n'), text.size()); at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        if (line.find_first_of("`#") == std::string::npos && line.find("//") == std::string::npos)
            return line;
        at = end + 1;
    }
    return {};
}

// Bytes that belong together: characters, where the text is UTF-8.
std::vector<std::string> characters_of(const std::string& text) {
    std::vector<std::string> characters;
    for (const char c : text) {
        if (characters.empty() || (static_cast<unsigned char>(c) & 0xC0U) != 0x80U) characters.emplace_back();
        characters.back().push_back(c);
    }
    return characters;
}

double similarity_of(const std::string& answer, const std::string& reference) {
    const std::vector<std::string> said = characters_of(line_of_code(answer)),
                                   wanted = characters_of(reference);
    const std::size_t both = said.size() + wanted.size();
    if (both == 0) return 1;
    const double similarity =
        2 * static_cast<double>(longest_common_subsequence(said, wanted)) / static_cast<double>(both);
    return std::nearbyint(100 * similarity) / 100;  // whole percents, as fuzzywuzzy gives them
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
        return class_of(answer, reference, references.classes);
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
