// Files of scores and measurements: their names and their lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/id.h"
#include "core/base/json.h"

namespace braid {

// "step-00000400.niah-1f2e3d4c": the same kind and settings at the same step give the same id.
std::string record_id(Step step, std::string_view kind, const Json& settings);

// The end of it: "1f2e3d4c".
std::string settings_hash(const Json& settings);

// The .json files of a folder, by name; one that does not exist has none. A folder that cannot be read is a
// problem.
std::vector<std::string> json_files(const std::string& folder, std::vector<Error>& problems);

}  // namespace braid
