// CHECKPOINT on the command line: a run id or folder (its last checkpoint), run@step, or a folder with
// model.safetensors and architecture.json.
#pragma once

#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/record/run_folder.h"
#include "core/record/run_plan.h"

namespace braid::cli {

inline constexpr const char* checkpoint_help =
    "Run (its last checkpoint), run@step, or a folder with model.safetensors and architecture.json";

struct CheckpointChoice {
    WeightsOrigin origin = {};
    ArchitectureSpec architecture = {};
    std::optional<RunFolder> run = {};  // that wrote it; none: the folder does not lie in a run
};

// Errors: not_found, with the steps that there are; corrupt.
Result<CheckpointChoice> find_checkpoint(const std::string& text, const std::string& given_project);

}  // namespace braid::cli
