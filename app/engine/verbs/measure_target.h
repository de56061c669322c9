// The checkpoint that is looked into, as measurements and captures want it.
#pragma once

#include "app/engine/verbs/eval_target.h"
#include "core/measure/mechanism/measurement.h"

namespace braid::cli {

// Without corpus, open() and progress(). A model of a task has no tokenizer; where that of a model of text is
// not known there is none either. Errors: those of target_tokenizer().
Result<MeasureInput> measure_input(const EvalTarget& target, const CheckpointChoice& choice,
                                   const MeasurementKind& kind, ParameterValues values);

}  // namespace braid::cli
