// Starts engines that outlive us, watches them, and stops the right one.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/record/process_identity.h"
#include "core/record/run_folder.h"

namespace braid {

// $BRAID_ENGINE, else braid-engine next to this program. ErrorKind::unavailable says where it was looked for.
Result<std::string> find_engine();

struct LaunchRequest {
    std::string program = {};                             // empty: find_engine()
    std::vector<std::string> arguments = {};              // without the program's name
    std::string log_file = {};                            // stdout and stderr are appended; empty: /dev/null
    std::string working_folder = {};                      // empty: ours
    std::map<std::string, std::string> environment = {};  // added to ours
};

// A process in a session of its own: it gets no signal and no hang-up of ours, inherits no descriptors, and
// goes on when we end in any way.
class EngineProcess {
public:
    static Result<EngineProcess> start(const LaunchRequest& request);

    const ProcessIdentity& identity() const { return identity_; }
    // Empty while it works. A signal is 128 + its number, as in a shell. Reaps the process; never waits.
    std::optional<int> poll();
    std::optional<int> wait(std::chrono::milliseconds limit);
    // The end of what its log has got since it was started, in whole lines.
    std::string last_words(std::size_t max_bytes = 1'000) const;

private:
    ProcessIdentity identity_;
    std::string log_file_;
    std::int64_t log_begin_ = 0;
    std::optional<int> exit_code_;
};

// `braid-engine train <run>`, its output in <run>/engine.log. Busy when an engine works on the run already,
// or did so when it last wrote, on another machine; `take_over`: that one is known to be gone.
Result<EngineProcess> start_run(const RunFolder& folder,
                                const std::map<std::string, std::string>& environment = {},
                                bool take_over = false);
// `braid-engine study run <name> --project <folder> <options>`, its output in <project>/studies/<name>.log.
Result<EngineProcess> start_study(const std::string& project_folder, const std::string& study,
                                  const std::vector<std::string>& options = {});

struct StopOptions {
    // An engine that has not acknowledged the command by then gets SIGTERM; one that ignores this, too, for
    // as long again gets SIGKILL if `kill` is set.
    std::chrono::milliseconds patience{5'000};
    bool kill = false;
    // One that has acknowledged may take so long to finish its step and its checkpoint.
    std::chrono::milliseconds limit{600'000};
};
// Posts "stop" and waits until the engine has ended. Done at once where none works. The process is signalled
// only while it is the one that run.db names.
Result<void> stop_run(const RunFolder& folder, const StopOptions& options = {});

// The end of <run>/engine.log, for messages about an engine that failed before it could record why.
std::string log_tail(const RunFolder& folder, std::size_t max_bytes = 4'096);
// The same of any log.
std::string end_of_log(const std::string& file, std::size_t max_bytes);

}  // namespace braid
