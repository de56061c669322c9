// The workspaces of the window, in the order of the rail. One line each in workspaces.cpp.
#pragma once

#include <vector>

#include "widgets/common/workspace.h"

namespace braid::ui {

std::vector<WorkspaceEntry> workspaces();

}  // namespace braid::ui
