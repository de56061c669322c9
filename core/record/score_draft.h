// Answers of a score that is not finished: <scores folder>/<id>.part.jsonl. When scoring is interrupted the
// answers so far stay there, and the same command goes on behind them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/record/score.h"

namespace braid {

class ScoreDraft {
public:
    // Of the score with this id (score_id()). `stamp` is whatever must be the same for the answers to count:
    // the weights they came from. Answers of another stamp, and a last line that was torn, are forgotten.
    static Result<ScoreDraft> open(const std::string& folder, const std::string& id,
                                   const std::string& stamp);

    const std::vector<ScoreAnswer>& known() const { return known_; }
    // On disk when it returns.
    Result<void> append(std::span<const ScoreAnswer> answers);
    // Once the score is written: before that the draft is all that there is of the answers.
    static void remove(const std::string& folder, const std::string& id);

private:
    ScoreDraft(std::string file, std::vector<ScoreAnswer> known)
        : file_(std::move(file)), known_(std::move(known)) {}
    std::string file_;
    std::vector<ScoreAnswer> known_;
};

}  // namespace braid
