// A run as JSON, the same in every verb, in serve and in scripts.
#pragma once

#include "core/base/json.h"
#include "core/record/project.h"
#include "core/record/run_plan.h"
#include "core/record/run_reader.h"

namespace braid::cli {

// state, step, message, attempt, started, ended, updated, checkpoint, process, metrics
Json to_json(const RunStatus& status);
// id, name, folder, study, point, created, steps, and the status
Json to_json(const RunEntry& entry);
Json to_json(const Attempt& attempt);
Json to_json(const CheckpointRecord& checkpoint);
Json to_json(const RunEvent& event);
Json to_json(const CommandRecord& command);
// A number, or null for NaN and infinities, which JSON lacks.
Json number(double value);

}  // namespace braid::cli
