// A run that branches from another: it takes over a checkpoint of that run's stable part and decays on its
// own, so that budgets of one study share what they have in common.
#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/engine/checkpoint.h"
#include "core/record/run_plan.h"
#include "core/record/run_writer.h"

namespace braid {

class Trainer;

// The trunk's checkpoint into the trainer. Errors: not_found (the run or its checkpoint is gone),
// invalid_input (the two runs have no stable part in common up to there), and those of load_checkpoint().
Result<CheckpointState> load_branch(const RunFolder& branch, const RunPlan& plan, Trainer& trainer);

// What the trunk measured up to there, and its checkpoint, become the branch's own, which afterwards needs
// the trunk no more. The attempt was begun at step 0; nothing was appended yet. Returns the checkpoint's
// bytes.
Result<std::int64_t> adopt_trunk(const RunPlan& plan, RunWriter& writer);

}  // namespace braid
