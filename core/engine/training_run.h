// A run folder trained to its end: resumed from its last good checkpoint, recorded in run.db, obedient to its
// inbox.
//
// - Each step appends loss, lr, grad_norm, tokens, tokens_per_s and time_s; the evaluation set is asked every
//   evaluate_every steps and at the end. time_s and tokens_per_s count training only: no pause, no
//   evaluation, no checkpoint.
// - A step whose loss or gradient is not finite changes no weight and is reported; three in a row fail the
// run.
// - Checkpoints: every checkpoint_every steps, on command, on a stop and at the end. The newest
//   keep_checkpoints of them are kept, and the weights alone at trace_steps(). A checkpoint that cannot be
//   written (full disk) is reported, the run goes on and the older ones stay.
// - stop and signals: a checkpoint, then state cancelled; pause: the run waits, state paused.
// - Several ranks (core/engine/parallel/): rank 0 decides and records, the others follow. The loss of one
// fails
//   the run, which can be resumed with any number of ranks: their weights are the same in every bit, which is
//   checked at each checkpoint.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/base/id.h"
#include "core/record/run_folder.h"
#include "core/record/run_plan.h"
#include "core/record/run_status.h"

namespace braid {

class RankChannel;

struct TrainingProgress {
    RunState state = RunState::running;
    Step step = {};
    Step steps = {};  // planned
    double loss = 0;
    double tokens_per_s = 0;  // over the last seconds
    double seconds_left = 0;  // NaN before it can be told
    std::map<std::string, double> evaluation = {};
    std::string device = {};
};

struct TrainingOptions {
    std::string project_folder = {};                             // where a relative corpus path starts
    const std::atomic<bool>* stop_requested = nullptr;           // a stop by a signal
    std::function<void(const TrainingProgress&)> progress = {};  // after each step, on the training thread
    std::function<void(const std::string&)> message = {};  // what a person should know: resumed from, ..
    // The other ranks, all there (null: none; we are rank 0 in any case). What goes wrong is recorded.
    std::function<Result<RankChannel*>(const RunPlan&)> join_ranks = {};
};

struct TrainingOutcome {
    RunState state = RunState::finished;  // or cancelled
    Step step = {};
    TokenCount tokens = {};
    double loss = 0;
    double tokens_per_s = 0;  // of this attempt
    double seconds = 0;       // of training, all attempts
    std::map<std::string, double> evaluation = {};
};

// Errors: busy (another engine works on the run), invalid_input (its plan), corrupt (its run.db),
// unavailable (its device), out_of_memory, no_space. Where the run could be opened its state is failed then
// and says why; rows and checkpoints stay.
Result<TrainingOutcome> train_run(const RunFolder& folder, const TrainingOptions& options);

}  // namespace braid
