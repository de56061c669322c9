// SIGINT and SIGTERM ask for a stop with the work saved; a second one ends the program at once.
#pragma once

#include <atomic>

namespace braid::cli {

// Installs the handlers; the flag is true after the first signal. SIGPIPE is ignored: a closed pipe is an
// error of the write.
const std::atomic<bool>& stop_requested();

}  // namespace braid::cli
