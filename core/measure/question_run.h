// Questions put to a model, cell by cell of a score: prompts are made when they are needed, answered
// greedily, marked, and counted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/engine/model.h"
#include "core/record/score.h"

namespace braid {

// One question as tokens.
struct AskedQuestion {
    std::vector<std::int32_t> prompt = {};
    std::vector<std::string> expected = {};
    std::optional<double> depth = {};  // where a cell has none of its own
    std::string tail = {};             // the end of the prompt as text
    bool cut = false;                  // the prompt was cut to fit: counts as truncated
    // Share of the answer's text that is right, 0 .. 1.
    std::function<double(const std::string& answer)> mark = {};
};

// One number of a score: the mean mark of its samples, in percent.
struct QuestionCell {
    std::string task = {};
    std::optional<std::int64_t> length = {};
    std::optional<double> depth = {};
    std::int64_t samples = 0;
    std::int64_t new_tokens = 0;
    bool fixed_length = false;  // an answer is as long as new_tokens: none counts as truncated by them
    std::string no_data = {};   // why it has no samples; empty: it has
    // Sample 0 .. samples - 1, always the same. One that is invalid_input (it does not fit) is left out.
    std::function<Result<AskedQuestion>(std::int64_t index)> make = {};
};

struct QuestionOptions {
    std::function<std::string(std::span<const std::int32_t>)> text = {};  // of generated tokens
    std::vector<bool> stops = {};                                         // GreedyOptions::stops
    std::function<bool(std::span<const std::int32_t>)> ended = {};        // likewise
    std::int64_t most_sequences = 64;                                     // likewise
    std::int64_t state_bytes = 0;                                         // 0: by the device
    std::vector<ScoreAnswer> known = {};  // of an earlier run of these cells: not asked again
    // Takes the answers of each batch before the next is generated; an error of it ends the run.
    std::function<Result<void>(std::span<const ScoreAnswer>)> keep = {};
    // done and all: questions. False stops.
    std::function<bool(std::int64_t done, std::int64_t all)> go_on = {};
};

struct QuestionResults {
    std::vector<Score> scores = {};         // of the cells, in their order
    std::vector<ScoreAnswer> answers = {};  // by cell and index, without questions left out
};

// Errors: those of make() but invalid_input, of keep() and of greedy_answers().
Result<QuestionResults> ask_questions(Model& model, std::span<const QuestionCell> cells,
                                      const QuestionOptions& options);

// The mean in percent of marks 0 .. 1, with its standard error where there are two or more.
struct MeanMark {
    double percent = 0;
    std::optional<double> standard_error = {};
};
MeanMark mean_mark(std::span<const double> marks);

}  // namespace braid
