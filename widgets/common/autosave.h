// Unsaved work in a side file of the project (<project>/.autosave/NAME.json), so that a crash loses nothing.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/spec/architecture.h"

namespace braid::ui {

std::string autosaveFile(const std::string& projectFolder, const std::string& name);
Result<void> writeAutosave(const std::string& projectFolder, const std::string& name,
                           const ArchitectureSpec& spec);
void removeAutosave(const std::string& projectFolder, const std::string& name);
// Those whose window is gone; a window that still works on its own is left alone.
std::map<std::string, std::shared_ptr<const ArchitectureSpec>> leftAutosaves(
    const std::string& projectFolder);

}  // namespace braid::ui
