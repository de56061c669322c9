// study work: what a job of `study run --on slurm` does.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "app/engine/cli/output.h"
#include "app/engine/cli/signals.h"
#include "app/engine/study/study_runner.h"
#include "app/engine/verbs/study_verbs.h"
#include "core/base/clock.h"
#include "core/launch/cluster.h"
#include "core/record/study_jobs.h"

namespace braid::cli {
namespace {

struct WorkOptions {
    std::string study, project;
    std::int64_t submission = 0, task = 0;
};

std::atomic<bool> time_is_short{false};
extern "C" void on_warning(int) { time_is_short = true; }

void say(const std::string& text) {
    std::fprintf(stderr, "%s  %s\n", utc_now().c_str(), text.c_str());
    std::fflush(stderr);
}

// CPUs that the job was given; 0: nobody says.
std::int64_t cores_of_job() {
    for (const char* variable : {"SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE"})
        if (const char* text = std::getenv(variable))
            if (const std::int64_t cores = std::atoll(text); cores > 0) return cores;
    return 0;
}

std::int64_t steps_of(const OpenedStudy& study, const std::vector<std::string>& points) {
    std::int64_t steps = 0;
    for (const PointState& point : state_of(study).points)
        for (const std::string& key : points)
            if (point.run && point.planned.point.key == key) steps += point.run->status.step.value;
    return steps;
}

Result<void> work(const WorkOptions& options) {
    struct sigaction action {};
    action.sa_handler = on_warning;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGUSR1, &action, nullptr);

    Result<OpenedStudy> study = open_study(options.study, options.project);
    if (study) study = with_all_seeds(*std::move(study));
    if (!study) return fail(std::move(study.error()));
    const Result<StudyJobs> jobs = read_study_jobs(study->project.folder(), study->spec.name);
    if (!jobs) return fail(jobs.error());
    const JobSubmission* submission = jobs->find(options.submission);
    if (submission == nullptr || options.task >= static_cast<std::int64_t>(submission->tasks.size()))
        return fail(ErrorKind::invalid_input, "the project knows of no such submission or task",
                    jobs_file(study->project.folder(), study->spec.name));
    const std::vector<std::string>& points = submission->tasks[static_cast<std::size_t>(options.task)];
    const std::int64_t before = steps_of(*study, points);
    const Result<StudyOutcome> outcome = run_study(
        *study,
        {.jobs = 1,
         .device = submission->device,
         .points = points,
         .cores = cores_of_job(),
         .take_over = true,
         .stop = [] { return stop_requested() || time_is_short; }},
        [](const StudyProgress&) {}, say);
    if (!outcome) return fail(outcome.error());
    if (outcome->points < points.size())
        return fail(ErrorKind::invalid_input,
                    std::to_string(points.size() - outcome->points) +
                        " points of this task are no longer in the study",
                    study->file, "Submit it again");
    if (!outcome->failures.empty()) {
        std::string message = std::to_string(outcome->failures.size()) + " runs failed";
        for (const std::string& failure : outcome->failures) message += "\n  " + failure;
        return fail(ErrorKind::internal, message);
    }
    if (!outcome->interrupted) return {};
    if (!time_is_short || stop_requested()) return fail(ErrorKind::interrupted, "stopped; the work is saved");
    if (steps_of(*study, points) <= before)
        return fail(ErrorKind::internal, "the time limit is too short to train anything", study->file,
                    "Give the jobs more: --time");
    const Result<std::unique_ptr<Cluster>> cluster = open_cluster(submission->scheduler);
    if (!cluster) return fail(cluster.error());
    say("the time is nearly over; the work is saved, the job waits for its next turn");
    return (*cluster)->queue_this_again();
}

}  // namespace

void add_study_work(CommandLine& line, CLI::App& study) {
    const auto options = std::make_shared<WorkOptions>();
    CLI::App& verb = line.verb(
        study,
        {.name = "work",
         .summary = "What a job of study run --on slurm does: trains the points of one task",
         .example = "braid-engine study work main --submission 1 --task 0",
         .details = "SIGUSR1 says that the time limit is near: the work is saved and the job queued again. "
                    "SIGTERM: the work is saved and the job ends (exit code 130)."},
        [options] { return work(*options); });
    verb.add_option("STUDY", options->study, study_help)->required();
    verb.add_option("--submission", options->submission, "Its number in jobs/STUDY.json")
        ->required()
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
        ->type_name("N");
    verb.add_option("--task", options->task, "Which task of the job array")
        ->required()
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}))
        ->type_name("N");
    add_project_option(verb, options->project);
}

}  // namespace braid::cli
