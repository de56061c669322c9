// What happened in a run besides numbers, as rows of run.db.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/base/id.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/record/process_identity.h"

namespace braid {

// One start of the engine on a run. Rows of earlier attempts after `from` no longer count.
struct Attempt {
    AttemptNumber number = {};  // 1, 2, ..
    Step from{-1};              // of the checkpoint it went on from; -1: from the beginning
    ProcessIdentity process = {};
    std::string started = {};  // ISO 8601, UTC
    std::string ended = {};    // empty: works still, or was killed
    bool operator==(const Attempt&) const = default;
};

struct RunEvent {
    std::int64_t sequence = 0;  // grows by one with each event of the run
    AttemptNumber attempt = {};
    Step step = {};
    std::string time = {};  // ISO 8601, UTC, with milliseconds
    LogLevel level = LogLevel::info;
    std::string kind = {};     // "log", "checkpoint", "device", "warning/non_finite_loss", ..
    std::string message = {};  // for people
    Json details = {};         // for programs; null where there are none
    bool operator==(const RunEvent&) const = default;
};

struct CheckpointRecord {
    AttemptNumber attempt = {};
    Step step = {};
    std::string folder = {};  // relative to the run folder
    std::int64_t bytes = 0;
    std::string time = {};
    bool operator==(const CheckpointRecord&) const = default;
};

// A command from the inbox and how far it got; times are empty until then.
struct CommandRecord {
    std::string id = {};
    std::string kind = {};  // "pause", ...
    Json arguments = {};
    std::string received = {};
    std::string acknowledged = {};  // the engine has understood and will obey
    std::string done = {};          // it has taken effect
    std::string answer = {};        // why it was refused, or what came of it
    bool operator==(const CommandRecord&) const = default;
};

}  // namespace braid
