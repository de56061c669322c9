// The braid-engine lines that do what the window does ("Copy as command").
#pragma once

#include <QString>

#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"

namespace braid::ui {

// A word as a shell takes it: in quotes where it has to be.
QString shellQuoted(const QString& word);

// `saved`: the project's architecture of that name, or null. The line names it where it is the same;
// otherwise the pattern and the scale that has these dimensions.
QString trainCommand(const TrainingPlan& plan, const QString& projectFolder, const ArchitectureEntry* saved);

}  // namespace braid::ui
