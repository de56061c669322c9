#include "core/measure/question_run.h"

#include <cmath>

#include "core/measure/greedy_answers.h"

namespace braid {
namespace {

// Prompts that wait together for their answers hold at most about so many tokens.
constexpr std::int64_t most_waiting_tokens = std::int64_t{1} << 22;
// Or they are so many batches: prompts of like length are found for each among them.
constexpr std::int64_t batches_that_wait = 2;

class Asking {
public:
    Asking(Model& model, std::span<const QuestionCell> cells, const QuestionOptions& options)
        : model_(model), cells_(cells), options_(options), answers_(cells.size()), left_out_(cells.size()) {
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (!cells[c].no_data.empty()) continue;
            answers_[c].resize(static_cast<std::size_t>(cells[c].samples));
            all_ += cells[c].samples;
        }
        for (const ScoreAnswer& answer : options.known) recall(answer);
    }

    Result<QuestionResults> run() {
        for (std::size_t c = 0; c < cells_.size(); ++c)
            for (std::size_t i = 0; i < answers_[c].size(); ++i) {
                if (answers_[c][i]) continue;
                if (!go_on(0)) return fail(ErrorKind::interrupted, "stopped before all questions were put");
                Result<AskedQuestion> question = cells_[c].make(static_cast<std::int64_t>(i));
                if (!question && question.error().kind == ErrorKind::invalid_input) {
                    leave_out(c, question.error());
                    continue;
                }
                if (!question) return fail(question.error());
                waiting_tokens_ += static_cast<std::int64_t>(question->prompt.size());
                waiting_.push_back({.cell = c, .index = i, .question = std::move(*question)});
                if (waiting_tokens_ < most_waiting_tokens &&
                    static_cast<std::int64_t>(waiting_.size()) < batches_that_wait * options_.most_sequences)
                    continue;
                if (Result<void> answered = answer(); !answered) return fail(answered.error());
            }
        if (Result<void> answered = answer(); !answered) return fail(answered.error());
        QuestionResults results;
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            results.scores.push_back(score_of(c));
            for (std::optional<ScoreAnswer>& answer : answers_[c])
                if (answer) results.answers.push_back(std::move(*answer));
        }
        return results;
    }

private:
    struct Waiting {
        std::size_t cell = 0, index = 0;
        AskedQuestion question = {};
    };

    struct LeftOut {
        std::int64_t count = 0;
        std::string reason = {};  // of the first
    };

    void leave_out(std::size_t cell, const Error& why) {
        if (left_out_[cell].count++ == 0) left_out_[cell].reason = why.message;
        --all_;
    }

    bool go_on(std::int64_t answered) const {
        return !options_.go_on || options_.go_on(done_ + answered, all_);
    }

    // Takes an earlier answer to the place of its question, if there is one.
    void recall(const ScoreAnswer& answer) {
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            const auto index = static_cast<std::size_t>(answer.index);
            if (cells_[c].task != answer.task || cells_[c].length != answer.length ||
                (cells_[c].depth && cells_[c].depth != answer.depth) || index >= answers_[c].size() ||
                answers_[c][index])
                continue;
            answers_[c][index] = answer;
            ++done_;
            return;
        }
    }

    Result<void> answer() {
        if (waiting_.empty()) return {};
        std::vector<GreedyPrompt> prompts;
        for (Waiting& one : waiting_)
            prompts.push_back(
                {.tokens = std::move(one.question.prompt), .new_tokens = cells_[one.cell].new_tokens});
        const Result<std::vector<GreedyAnswer>> said = greedy_answers(
            model_, prompts,
            {.stops = options_.stops,
             .ended = options_.ended,
             .most_sequences = options_.most_sequences,
             .state_bytes = options_.state_bytes,
             .go_on = [this](const GreedyProgress& now) { return go_on(now.answers_done); },
             .batch_done = [this](auto indices, auto answers) { return take(indices, answers); }});
        if (!said) return fail(said.error());
        done_ += static_cast<std::int64_t>(waiting_.size());
        waiting_.clear();
        waiting_tokens_ = 0;
        return {};
    }

    Result<void> take(std::span<const std::size_t> indices, std::span<const GreedyAnswer> answers) {
        std::vector<ScoreAnswer> fresh;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            Waiting& one = waiting_[indices[i]];
            const QuestionCell& cell = cells_[one.cell];
            const std::string text = options_.text(answers[i].tokens);
            fresh.push_back({.task = cell.task,
                             .length = cell.length,
                             .depth = cell.depth ? cell.depth : one.question.depth,
                             .actual_depth = one.question.depth,
                             .index = static_cast<std::int64_t>(one.index),
                             .prompt_tail = std::move(one.question.tail),
                             .expected = std::move(one.question.expected),
                             .answer = text,
                             .correct = one.question.mark(text),
                             .truncated = (answers[i].truncated && !cell.fixed_length) || one.question.cut});
            answers_[one.cell][one.index] = fresh.back();
        }
        return options_.keep ? options_.keep(fresh) : Result<void>();
    }

    Score score_of(std::size_t c) const {
        const QuestionCell& cell = cells_[c];
        Score score{.name = cell.task, .length = cell.length, .depth = cell.depth, .unit = "%"};
        score.no_data = cell.no_data.empty() && answers_[c].empty() ? "no samples" : cell.no_data;
        score.left_out = left_out_[c].count;
        std::vector<double> marks;
        for (const std::optional<ScoreAnswer>& answer : answers_[c]) {
            if (!answer) continue;
            marks.push_back(answer->correct);
            score.truncated += answer->truncated ? 1 : 0;
        }
        if (marks.empty() && score.no_data.empty()) score.no_data = left_out_[c].reason;
        if (marks.empty()) return score;
        const MeanMark mean = mean_mark(marks);
        score.value = mean.percent;
        score.standard_error = mean.standard_error;
        score.samples = static_cast<std::int64_t>(marks.size());
        return score;
    }

    Model& model_;
    std::span<const QuestionCell> cells_;
    const QuestionOptions& options_;
    std::vector<std::vector<std::optional<ScoreAnswer>>> answers_;  // [cell][index]
    std::vector<LeftOut> left_out_;                                 // [cell]
    std::vector<Waiting> waiting_;
    std::int64_t waiting_tokens_ = 0, done_ = 0, all_ = 0;
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
