// A copy of a run that is whole even while an engine works on the run.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/record/run_folder.h"

namespace braid {

// The store as of one commit (SQLite's backup), every checkpoint that it names, the plan and the log. `to`
// must not exist yet, or be an empty folder; it appears complete or not at all. A copy has no engine: a run
// that is running or paused reads as cancelled there, and can be resumed on its own.
Result<RunFolder> copy_run(const RunFolder& from, const std::string& to, bool checkpoints = true);

// run.db alone, as one file without a write-ahead log; an older file of that name is replaced.
Result<void> copy_run_store(const RunFolder& from, const std::string& file);

}  // namespace braid
