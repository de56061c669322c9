// The batch script of a job array.
#pragma once

#include <string>

#include "core/launch/cluster.h"

namespace braid {

// Its command is the batch step itself (exec), so that --signal=B: and scancel --batch reach it: SIGUSR1 says
// that the time limit is near, SIGTERM that somebody wants it to end. Errors: invalid_input (settings, a
// folder whose name has a line break).
Checked<std::string> slurm_script(const JobArray& array);

}  // namespace braid
