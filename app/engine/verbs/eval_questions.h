// What the eval verbs that ask questions share: lengths, texts to hide things in, tokens of a prompt, the
// run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/verbs/eval_target.h"
#include "core/measure/question_run.h"
#include "core/measure/text_answers.h"
#include "core/measure/text_task.h"

namespace braid::cli {

struct AskOptions {
    std::int64_t samples = 0;
    std::int64_t seed = 42;
    std::int64_t batch = 64;
    std::int64_t memory = 0;                 // MiB of the states of a batch; 0: by the device
    std::int64_t new_tokens = 0;             // 0: those of the task
    std::vector<std::int64_t> lengths = {};  // empty: the context of the training
    std::string haystack = {};
};
// --samples (with this default; 0: all that there are), --seed, --batch, --memory, --new-tokens
void add_ask_options(CLI::App& verb, AskOptions& options, std::int64_t samples);
void add_length_option(CLI::App& verb, AskOptions& options);
void add_haystack_option(CLI::App& verb, AskOptions& options);

// The lengths to ask at; a warning for each beyond the training. Without --lengths that of the training, or
// 4096 where it is not known.
std::vector<std::int64_t> lengths_of(const AskOptions& options, const EvalTarget& target,
                                     const CheckpointChoice& choice);

// Text of the haystacks, and where it comes from (for the settings): --haystack, or the longest validation
// documents of the corpus (training documents where there are none), or nothing.
struct Essay {
    std::string text = {};
    Json source = nullptr;
};
Result<Essay> essay_of(const AskOptions& options, const EvalTarget& target, const CheckpointChoice& choice,
                       std::int64_t longest);

// What a model with this tokenizer reads for a prompt: the document token, if there is one, then the text.
std::vector<std::int32_t> prompt_tokens(const Tokenizer& tokenizer, const std::string& prompt);
// The last words of a prompt, for people.
std::string prompt_tail(const std::string& prompt);

// A cell whose questions come from a task, sized to the length with this tokenizer. Sources and tokenizer
// must outlive it. Where the task has no data, or does not fit in the length, the cell says so.
QuestionCell text_cell(const TextTask& task, const TextSources& sources, const Tokenizer& tokenizer,
                       const AskOptions& options, std::int64_t length, std::optional<double> depth = {});

// Opens the model and asks, then fills in scores and answers. The record's kind and settings must stand:
// under their id the answers are kept while they come, and a call after an interruption goes on behind them.
// Refuses a list in which no cell has a question (invalid_input, with the reasons). What the model computes
// in becomes one of the settings.
Result<QuestionResults> ask(const EvalTarget& target, const CheckpointChoice& choice,
                            const AskOptions& options, std::span<const QuestionCell> cells,
                            QuestionOptions how, ScoreRecord& record);
// finish_score(), and only then what was kept of the answers is removed: a disk that is full costs nothing.
Result<void> finish_questions(const EvalTarget& target, const CheckpointChoice& choice,
                              const ScoreRecord& record, std::span<const ScoreAnswer> answers,
                              const std::string& text = {});

// Mean of the values that there are; none where there are none.
std::optional<double> mean_value(std::span<const Score> scores);

}  // namespace braid::cli
