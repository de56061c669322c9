// What a study takes, for people and as JSON.
#pragma once

#include <string>

#include "app/engine/study/study_file.h"

namespace braid::cli {

// "24 runs, 8 of them done ..": runs, tokens and what branching saves, FLOPs, disk, and the time on each
// device that this project has trained on; of what is left, where something is.
std::string cost_text(const OpenedStudy& study, const StudyState& state);
// {"runs", "tokens", "tokens_saved", "flops", "disk_bytes", "left": {"runs", "tokens", "flops"},
//  "time": [{"device", "seconds", "flops_per_s", "measured_runs"}]}
Json cost_json(const OpenedStudy& study, const StudyState& state);

}  // namespace braid::cli
