// How free answers are marked against references, as LongBench does (Bai et al., 2024, arXiv:2308.14508).
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
    // Harmonic mean of precision and recall of words, after SQuAD's normalisation: lower case, no
    // punctuation, no articles. / The same of the longest common subsequence of words, lower case. / 1 / n
    // where the right class is among the n classes that the answer contains; one that is a part of the right
    // class's name does not count. / 1 - (insertions and deletions between the first lines) / (their lengths
    // together).
    double (*mark)(const std::string& answer, const References& references);
};
std::span<const AnswerMetric> answer_metrics();
const AnswerMetric* find_answer_metric(std::string_view id);

}  // namespace braid
