// Commands to a run: small JSON files renamed into <run>/inbox/, obeyed in order, acknowledged in run.db.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/record/run_folder.h"

namespace braid {

// "pause", "resume", "checkpoint", "stop", "capture"
std::vector<std::string> command_kinds();

struct InboxCommand {
    std::string id = {};  // unique in the run; its order is the order of posting
    std::string kind = {};
    Json arguments = {};  // an object
    std::string created = {};
    bool operator==(const InboxCommand&) const = default;
};

// Returns the command's id: its CommandRecord in run.db tells when it was acknowledged and done.
Result<std::string> post_command(const RunFolder& folder, std::string_view kind,
                                 Json arguments = Json::object());

struct TakenCommands {
    std::vector<InboxCommand> commands;  // in the order in which they were posted
    std::vector<Error> rejected;         // one for each file that was no command; moved to inbox/rejected/
};

// Takes everything out of the inbox; a file is gone once it was returned. Only the holder of the run's lock
// may call it. Some microseconds when the inbox is empty: poll it every 50 ms.
TakenCommands take_commands(const RunFolder& folder);

}  // namespace braid
