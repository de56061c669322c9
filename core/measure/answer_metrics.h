// How free answers are marked against references, as LongBench's English tasks do (Bai et al., 2024,
// arXiv:2308.14508; its metrics.py with rouge 1.0.1 and fuzzywuzzy over Levenshtein). Letters beyond ASCII
// are not lower-cased in F1.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

struct References {
    std::vector<std::string> answers = {};  // each is accepted; the best mark counts
    std::vector<std::string> classes = {};  // of a classification: all that there are
};

// 0 .. 1
double token_f1(const std::string& answer, const References& references);
double rouge_l(const std::string& answer, const References& references);
double classification_accuracy(const std::string& answer, const References& references);
double edit_similarity(const std::string& answer, const References& references);

struct AnswerMetric {
    std::string_view id;     // "f1"
    std::string_view title;  // "Token F1"
    // f1: harmonic mean of precision and recall of words, after SQuAD's normalisation: lower case, no
    // punctuation, no articles.
    // rouge_l: the same of different words, case and all; common are those of a longest common subsequence of
    // any sentence of the one with any of the other, a sentence ending at '.'.
    // accuracy: 1 / n where the right class is among the n of References::classes that the answer contains;
    // one that is a part of the right class's name does not count. 0 without classes.
    // edit_similarity: 1 - (insertions and deletions between the answer's first line of code and the whole
    // reference) / (their lengths together), characters, in whole percents. A line with ` or # or // is none.
    double (*mark)(const std::string& answer, const References& references);
};
// A part of a score's settings: it changes with every mark that changes.
inline constexpr int answer_metrics_version = 2;
std::span<const AnswerMetric> answer_metrics();
const AnswerMetric* find_answer_metric(std::string_view id);

}  // namespace braid
