// What this program was built from.
#pragma once

#include <string>

namespace braid::cli {

std::string braid_version();  // "0.1.0"
std::string braid_commit();   // "1a2b3c4d5e6f", with "+" for a changed tree; "unknown" outside git
std::string torch_version();  // "2.11.0"
std::string version_text();   // the lines of --version

}  // namespace braid::cli
