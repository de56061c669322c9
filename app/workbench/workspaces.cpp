#include "app/workbench/workspaces.h"

namespace braid::ui {

std::vector<WorkspaceEntry> workspaces() { return {}; }

}  // namespace braid::ui
