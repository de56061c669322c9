// What the verbs that control runs share: a command posted to a run's engine, and a table of what each run
// answered.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/cli/command_line.h"
#include "core/record/run_folder.h"
#include "core/record/run_status.h"

namespace braid::cli {

struct ControlOptions {
    std::vector<std::string> runs;
    std::string project;
    bool json = false;
};

// What one run answered.
struct ControlAnswer {
    std::string id;
    std::string text = {};
    double acknowledged_ms = -1;  // after the command was posted; below 0: not asked
    std::optional<Error> error = {};
};

bool works(const RunStatus& status);  // an engine works on it, or waits

// Posts a command and waits until it was acknowledged and has taken effect, or the engine has ended.
ControlAnswer command(const RunFolder& folder, const std::string& kind);

using Control = std::function<ControlAnswer(const RunFolder&, const ControlOptions&)>;
// A verb below `run` that does it to each run named.
CLI::App& add_control(CommandLine& line, CLI::App& run, VerbText text, const Control& control);

}  // namespace braid::cli
