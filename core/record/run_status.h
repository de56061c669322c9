// How a run stands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/id.h"
#include "core/record/process_identity.h"
#include "core/record/run_folder.h"

namespace braid {

// planned: plan.json, no attempt yet. lost: says running or paused, but its process is gone; can be resumed.
enum class RunState { planned, running, paused, finished, failed, cancelled, lost };

std::string_view to_text(RunState state);  // "planned", ...
std::optional<RunState> run_state_from_text(std::string_view text);
// finished, failed and cancelled: nothing more will come unless the run is resumed.
bool is_final(RunState state);

struct RunStatus {
    RunState state = RunState::planned;
    Step step = {};                       // last committed step that counts
    std::string message = {};             // why it failed or was lost, and what to do; else empty
    AttemptNumber attempt = {};           // 0: none yet
    ProcessIdentity process = {};         // of the last attempt
    bool process_elsewhere = false;       // the process runs where we cannot look; the state is what it wrote
    std::string started = {};             // of the last attempt; ISO 8601 UTC
    std::string ended = {};               // of the last attempt; empty while it works and where it was killed
    std::string updated = {};             // last commit
    std::optional<Step> checkpoint = {};  // last complete checkpoint
    std::map<std::string, double> latest = {};  // last value of each metric that counts
    bool operator==(const RunStatus&) const = default;
};

// Opens the run's files, reads the status, closes them: for lists. A folder without run.db is planned; a
// broken run.db is ErrorKind::corrupt and says what to do.
Result<RunStatus> read_run_status(const RunFolder& folder);

}  // namespace braid
