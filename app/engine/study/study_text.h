// How a study that is being trained looks in a terminal.
#pragma once

#include <string>

#include "app/engine/cli/progress.h"
#include "app/engine/study/study_runner.h"

namespace braid::cli {

void draw(Progress& progress, const std::string& name, const StudyProgress& now);
// Its points as a table, or all of it as JSON.
void print_result(const OpenedStudy& study, const StudyState& state, bool json);

}  // namespace braid::cli
