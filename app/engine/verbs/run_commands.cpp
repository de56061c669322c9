// run pause | checkpoint | stop | rm
#include "app/engine/cli/project_argument.h"
#include "app/engine/verbs/run_control.h"
#include "app/engine/verbs/run_verbs.h"
#include "core/launch/launcher.h"
#include "core/record/project.h"

namespace braid::cli {
namespace {

ControlAnswer need_working(const RunFolder& folder, const std::string& kind) {
    const Result<RunStatus> status = read_run_status(folder);
    if (!status) return {.id = folder.name(), .text = {}, .error = status.error()};
    if (!works(*status))
        return {.id = folder.name(),
                .text = {},
                .error = Error{
                    .kind = ErrorKind::unavailable,
                    .message = "no engine works on this run; it is " + std::string(to_text(status->state)),
                    .path = folder.path(),
                    .hint = status->state == RunState::finished ? "" : "braid-engine run resume goes on"}};
    return command(folder, kind);
}

ControlAnswer stop(const RunFolder& folder, bool kill) {
    const Result<RunStatus> status = read_run_status(folder);
    if (!status) return {.id = folder.name(), .text = {}, .error = status.error()};
    if (!works(*status))
        return {.id = folder.name(), .text = std::string(to_text(status->state)) + " already"};
    if (!kill) return command(folder, "stop");
    if (const Result<void> stopped = stop_run(folder, {.kill = true}); !stopped)
        return {.id = folder.name(), .text = {}, .error = stopped.error()};
    return {.id = folder.name(), .text = "stopped"};
}

ControlAnswer remove(const RunFolder& folder, const ControlOptions& options, bool forever) {
    const std::string place = options.project.empty() ? project_folder_of(folder) : options.project;
    const Result<Project> project = Project::open(place);
    if (!project) return {.id = folder.name(), .text = {}, .error = project.error()};
    const Result<std::string> trashed =
        project->remove_run(folder, forever ? Project::Removal::forever : Project::Removal::to_trash);
    if (!trashed) return {.id = folder.name(), .text = {}, .error = trashed.error()};
    return {.id = folder.name(), .text = trashed->empty() ? "removed" : "moved to " + *trashed};
}

}  // namespace

void add_run_commands(CommandLine& line, CLI::App& run) {
    const auto posting = [](const char* kind) {
        return [kind](const RunFolder& folder, const ControlOptions&) { return need_working(folder, kind); };
    };
    add_control(line, run,
                {.name = "pause",
                 .summary = "Let a run wait, its engine kept",
                 .example = "braid-engine run pause a91f"},
                posting("pause"));
    add_control(
        line, run,
        {.name = "checkpoint", .summary = "Save a run now", .example = "braid-engine run checkpoint a91f"},
        posting("checkpoint"));
    const auto kill = std::make_shared<bool>(false);
    add_control(line, run,
                {.name = "stop",
                 .summary = "Save a run and end its engine",
                 .example = "braid-engine run stop a91f 7c2"},
                [kill](const RunFolder& folder, const ControlOptions&) { return stop(folder, *kill); })
        .add_flag("--kill", *kill,
                  "End an engine that does not answer; work since its last checkpoint is lost");
    const auto forever = std::make_shared<bool>(false);
    add_control(
        line, run,
        {.name = "rm", .summary = "Move runs to the project's trash", .example = "braid-engine run rm a91f"},
        [forever](const RunFolder& folder, const ControlOptions& options) {
            return remove(folder, options, *forever);
        })
        .add_flag("--forever", *forever, "Delete them instead");
}

}  // namespace braid::cli
