// A folder of a run with answers on disk, as scores and measurements have one.
#pragma once

#include <QString>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace braid::ui {

// Changes whenever a file of the folder was written or removed; 0: there is none. One look at the folder.
std::int64_t folderStamp(const std::string& folder);
// A line each, of files that cannot be read.
QString problemsText(const std::vector<Error>& problems);

}  // namespace braid::ui
