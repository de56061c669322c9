// study pause | stop
#include <csignal>

#include "app/engine/cli/output.h"
#include "app/engine/study/study_file.h"
#include "app/engine/study/study_lock.h"
#include "app/engine/verbs/study_verbs.h"
#include "core/launch/submitted_tasks.h"
#include "core/record/inbox.h"

namespace braid::cli {
namespace {

struct CommandOptions {
    std::string study, project;
};

// Tells every run of the study that works.
Result<std::int64_t> tell(const OpenedStudy& study, const std::string& command) {
    std::int64_t told = 0;
    for (const RunEntry& entry : study.project.runs()) {
        const bool works = entry.status.state == RunState::running || entry.status.state == RunState::paused;
        if (entry.study.str() != study.spec.name || !works) continue;
        if (const auto posted = post_command(entry.folder, command); !posted) return fail(posted.error());
        ++told;
    }
    return told;
}

Result<void> pause(const CommandOptions& options) {
    const Result<OpenedStudy> study = open_study(options.study, options.project, {}, DataNeed::optional);
    if (!study) return fail(study.error());
    const Result<std::int64_t> told = tell(*study, "pause");
    if (!told) return fail(told.error());
    print(std::to_string(*told) + " runs are told to pause\n");
    return {};
}

Result<void> stop(const CommandOptions& options) {
    const Result<OpenedStudy> study = open_study(options.study, options.project, {}, DataNeed::optional);
    if (!study) return fail(study.error());
    // The runner first, or it would start the next run in place of a stopped one.
    const auto runner = StudyLock::holder(study->project.folder(), study->spec.name);
    const bool told_runner = runner && signal_process(*runner, SIGTERM);
    const Result<std::int64_t> told = tell(*study, "stop");
    if (!told) return fail(told.error());
    const Result<std::vector<std::string>> jobs = stop_jobs(study->project.folder(), study->spec.name);
    if (!jobs) return fail(jobs.error());
    std::string text =
        std::to_string(*told) + " runs are told to stop" + (told_runner ? ", and their runner" : "");
    for (const std::string& job : *jobs) text += "; job " + job + " is told to end";
    print(text + "\n");
    return {};
}

}  // namespace

void add_study_commands(CommandLine& line, CLI::App& study) {
    const auto pausing = std::make_shared<CommandOptions>();
    CLI::App& pause_verb = line.verb(study,
                                     {.name = "pause",
                                      .summary = "Let all runs of a study wait (study resume goes on)",
                                      .example = "braid-engine study pause laziness"},
                                     [pausing] { return pause(*pausing); });
    const auto stopping = std::make_shared<CommandOptions>();
    CLI::App& stop_verb = line.verb(
        study,
        {.name = "stop",
         .summary = "Stop all runs of a study, its runner and its jobs of a cluster, the work saved",
         .example = "braid-engine study stop laziness"},
        [stopping] { return stop(*stopping); });
    for (const auto& [verb, options] : {std::pair(&pause_verb, pausing), std::pair(&stop_verb, stopping)}) {
        verb->add_option("STUDY", options->study, study_help)->required();
        add_project_option(*verb, options->project);
    }
}

}  // namespace braid::cli
