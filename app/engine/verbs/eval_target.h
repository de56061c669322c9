// What the eval verbs share: the checkpoint to score, the tokenizer it reads with, where its score is kept
// and how it is shown.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "app/engine/cli/checkpoint_argument.h"
#include "app/engine/cli/command_line.h"
#include "core/data/corpus.h"
#include "core/data/tokenizer/tokenizer.h"
#include "core/engine/model.h"
#include "core/record/score.h"

namespace braid::cli {

struct EvalTarget {
    std::string checkpoint, project, tokenizer, corpus;
    std::string device = "auto";
    std::int64_t threads = 0;
    bool json = false;
    bool quiet = false;
    const CLI::App* verb = nullptr;  // for the command that a score records
};

// CHECKPOINT, --device, --threads, --project, --quiet, --json
void add_target_options(CLI::App& verb, EvalTarget& target);
// --tokenizer and --corpus, for verbs that read text.
void add_text_options(CLI::App& verb, EvalTarget& target);

Result<std::unique_ptr<Model>> open_target(const EvalTarget& target, const CheckpointChoice& choice);

// The plan of the run that wrote the checkpoint; none for a checkpoint without a run.
std::optional<RunPlan> plan_of(const CheckpointChoice& choice);
// The corpus folder that the checkpoint's run was trained on, or an empty text.
std::string corpus_of(const CheckpointChoice& choice);
// --corpus, or the corpus of the run; neither is invalid_input.
Result<Corpus> target_corpus(const EvalTarget& target, const CheckpointChoice& choice);

// --tokenizer, or the one in the checkpoint's folder, or that of the corpus of the run, or that of --corpus
// (whose text may be read with any tokenizer); one that does not fit the model, or is not the one it was
// trained with, is refused. Nothing of the model is loaded.
Result<std::shared_ptr<const Tokenizer>> target_tokenizer(const EvalTarget& target,
                                                          const CheckpointChoice& choice);
// Whether there is one to look at.
bool knows_tokenizer(const EvalTarget& target, const CheckpointChoice& choice);
// What keeps a tokenizer from serving this checkpoint.
Diagnostics check_tokenizer(const CheckpointChoice& choice, const TokenizerInfo& tokenizer);

// The longest context in which the run trained; none where it is not known.
std::optional<std::int64_t> trained_context(const CheckpointChoice& choice);
// Whether the run kept the documents of its corpus apart in the phase of this checkpoint.
bool trained_on_separate_documents(const CheckpointChoice& choice);
// On stderr, where `length` is beyond the context of the training: it is measured all the same.
void warn_of_length(const EvalTarget& target, const CheckpointChoice& choice, std::int64_t length);

// "braid-engine eval niah a91f --lengths 64,128": the words that were given.
std::string command_text(const CLI::App& verb);

// Where scores of the checkpoint are kept.
std::string scores_folder(const CheckpointChoice& choice);
// That folder, made: a place where nothing can be written is an error before any time is spent.
Result<void> make_scores_folder(const CheckpointChoice& choice);

// Nothing where it is no number.
std::optional<double> finite(double value);

// A record with everything but its numbers.
ScoreRecord new_score(const std::string& kind, const EvalTarget& target, const CheckpointChoice& choice);
// Written where scores of this checkpoint are kept, then shown: `text` (or a table, where it is empty), or
// with --json the record, its "file", and the keys of `extra`.
Result<void> finish_score(const EvalTarget& target, const CheckpointChoice& choice, const ScoreRecord& record,
                          std::span<const ScoreAnswer> answers = {}, const std::string& text = {},
                          const Json& extra = Json::object());

}  // namespace braid::cli
