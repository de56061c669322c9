// Checkpoints that a run tells of and that are not there: removed, or not copied with the project.
#pragma once

#include <QString>
#include <vector>

#include "widgets/common/run_view.h"

namespace braid::ui {

// Those of the runs whose last checkpoint is not on disk. Looks at the disk: for a worker.
std::vector<RunPointer> runsWithoutCheckpoint(const std::vector<RunPointer>& runs);

// "“Window 4, seed 1”, “Window 4, seed 2” and 18 more"
QString namesOfRuns(const std::vector<RunPointer>& runs);

}  // namespace braid::ui
