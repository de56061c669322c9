// Whole files: read with a limit, write so that no reader and no crash ever sees a part.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace braid {

Result<std::string> read_file(const std::string& file, std::size_t max_bytes = std::size_t{1} << 30);

// Temporary neighbour, write, fsync, rename, fsync of the folder. On failure the old file is untouched and
// the temporary one is removed.
Result<void> write_file_atomically(const std::string& file, std::string_view bytes);

// The folder and its parents.
Result<void> make_folder(const std::string& folder);

}  // namespace braid
