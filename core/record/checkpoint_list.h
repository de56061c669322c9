// Checkpoints as folders, for those who do not load weights.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/record/run_folder.h"

namespace braid {

// Steps of the checkpoint folders ("step-00000200") in `checkpoints_folder`, newest first.
std::vector<Step> list_checkpoints(const std::string& checkpoints_folder);

// The checkpoint of a run to start from; without a step its newest one. ErrorKind::not_found names those
// there are. The architecture's hash is left empty: who plans the run reads <folder>/architecture.json.
Result<WeightsOrigin> find_run_checkpoint(const RunFolder& run, std::optional<Step> step);

}  // namespace braid
