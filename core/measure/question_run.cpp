#include "core/measure/question_run.h"

#include <cmath>

#include "core/measure/greedy_answers.h"

namespace braid {
namespace {

// Prompts that wait together for their answers hold at most about so many tokens.
constexpr std::int64_t most_waiting_tokens = std::int64_t{1} << 22;

class Asking {
public:
    Asking(Model& model, std::span<const QuestionCell> cells, const QuestionOptions& options)
        : model_(model), cells_(cells), options_(options), marks_(cells.size()), truncated_(cells.size()) {
        for (const QuestionCell& cell : cells) all_ += cell.no_data.empty() ? cell.samples : 0;
    }

    Result<QuestionResults> run() {
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            const QuestionCell& cell = cells_[c];
            for (std::int64_t i = 0; i < cell.samples && cell.no_data.empty(); ++i) {
                if (!go_on(0)) return fail(ErrorKind::interrupted, "stopped before all questions were put");
                Result<AskedQuestion> question = cell.make(i);
                if (!question) return fail(question.error());
                waiting_tokens_ += static_cast<std::int64_t>(question->prompt.size());
                waiting_.push_back({.cell = c, .index = i, .question = std::move(*question)});
                if (waiting_tokens_ < most_waiting_tokens) continue;
                if (Result<void> answered = answer(); !answered) return fail(answered.error());
            }
        }
        if (Result<void> answered = answer(); !answered) return fail(answered.error());
        for (std::size_t c = 0; c < cells_.size(); ++c) results_.scores.push_back(score_of(c));
        return std::move(results_);
    }

private:
    struct Waiting {
        std::size_t cell = 0;
        std::int64_t index = 0;
        AskedQuestion question = {};
    };

    bool go_on(std::int64_t answered) const {
        return !options_.go_on || options_.go_on(done_ + answered, all_);
    }

    Result<void> answer() {
        if (waiting_.empty()) return {};
        std::vector<GreedyPrompt> prompts;
        for (Waiting& one : waiting_)
            prompts.push_back(
                {.tokens = std::move(one.question.prompt), .new_tokens = cells_[one.cell].new_tokens});
        const Result<std::vector<GreedyAnswer>> answers =
            greedy_answers(model_, prompts,
                           {.stops = options_.stops,
                            .most_sequences = options_.most_sequences,
                            .state_bytes = options_.state_bytes,
                            .go_on = [this](const GreedyProgress& now) { return go_on(now.answers_done); }});
        if (!answers) return fail(answers.error());
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            Waiting& one = waiting_[i];
            const QuestionCell& cell = cells_[one.cell];
            const std::string text = options_.text((*answers)[i].tokens);
            const double mark = one.question.mark(text);
            marks_[one.cell].push_back(mark);
            truncated_[one.cell] += (*answers)[i].truncated || one.question.cut ? 1 : 0;
            results_.answers.push_back({.task = cell.task,
                                        .length = cell.length,
                                        .depth = cell.depth ? cell.depth : one.question.depth,
                                        .index = one.index,
                                        .prompt_tail = std::move(one.question.tail),
                                        .expected = std::move(one.question.expected),
                                        .answer = text,
                                        .correct = mark});
        }
        done_ += static_cast<std::int64_t>(waiting_.size());
        waiting_.clear();
        waiting_tokens_ = 0;
        return {};
    }

    Score score_of(std::size_t c) const {
        const QuestionCell& cell = cells_[c];
        Score score{.name = cell.task, .length = cell.length, .depth = cell.depth, .unit = "%"};
        score.no_data = cell.no_data.empty() && marks_[c].empty() ? "no samples" : cell.no_data;
        if (marks_[c].empty()) return score;
        const MeanMark mean = mean_mark(marks_[c]);
        score.value = mean.percent;
        score.standard_error = mean.standard_error;
        score.samples = static_cast<std::int64_t>(marks_[c].size());
        score.truncated = truncated_[c];
        return score;
    }

    Model& model_;
    std::span<const QuestionCell> cells_;
    const QuestionOptions& options_;
    std::vector<std::vector<double>> marks_;  // by cell
    std::vector<std::int64_t> truncated_;     // likewise
    std::vector<Waiting> waiting_;
    std::int64_t waiting_tokens_ = 0, done_ = 0, all_ = 0;
    QuestionResults results_;
};

}  // namespace

Result<QuestionResults> ask_questions(Model& model, std::span<const QuestionCell> cells,
                                      const QuestionOptions& options) {
    return Asking(model, cells, options).run();
}

MeanMark mean_mark(std::span<const double> marks) {
    double sum = 0, squares = 0;
    for (const double mark : marks) sum += mark;
    const auto n = static_cast<double>(marks.size());
    const double mean = sum / n;
    for (const double mark : marks) squares += (mark - mean) * (mark - mean);
    MeanMark result{.percent = 100 * mean};
    if (marks.size() > 1) result.standard_error = 100 * std::sqrt(squares / (n - 1) / n);
    return result;
}

}  // namespace braid
