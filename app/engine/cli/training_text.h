// A run in training, in one line, and its outcome as the last line of JSON.
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/engine/training_run.h"
#include "core/record/run_folder.h"

namespace braid::cli {

// "step 258/600  loss 1.234  recall far 0.52  24.1 k tokens/s  ETA 00:12"
std::string progress_text(const TrainingProgress& progress);
double progress_fraction(const TrainingProgress& progress);

// {"run", "folder", "state", "step", "tokens", "loss", "tokens_per_s", "seconds", "metrics"}
Json outcome_json(const RunFolder& folder, const TrainingOutcome& outcome);

// A word as a shell takes it: quoted where it has to be.
std::string shell_word(const std::string& word);

}  // namespace braid::cli
