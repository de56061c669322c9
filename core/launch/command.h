// Runs a program to its end and keeps what it says.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace braid {

struct CommandResult {
    int code = 0;  // 128 + n for a signal
    std::string out, err;
};

// The program is looked for in PATH; no shell, no input, LC_ALL=C. Output beyond 64 MiB is dropped. Errors:
// unavailable (there is no such program), busy (it took longer than `limit` and was ended).
Result<CommandResult> run_command(const std::vector<std::string>& words,
                                  std::chrono::milliseconds limit = std::chrono::seconds(60));

// For a shell and for people: 'a b', plain where that is enough.
std::string quoted(const std::string& word);
std::string command_line(const std::vector<std::string>& words);

}  // namespace braid
