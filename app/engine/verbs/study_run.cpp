// study run | resume
#include "app/engine/cli/output.h"
#include "app/engine/cli/signals.h"
#include "app/engine/study/cluster_runner.h"
#include "app/engine/study/study_lock.h"
#include "app/engine/study/study_text.h"
#include "app/engine/verbs/cluster_options.h"
#include "app/engine/verbs/study_verbs.h"
#include "core/launch/submitted_tasks.h"
#include "core/record/inbox.h"

namespace braid::cli {
namespace {

struct RunOptions {
    std::string study, project, seeds, device;
    std::vector<std::string> settings, only, first;
    std::int64_t jobs = 0;
    ClusterOptions cluster;
    bool json = false;
    bool quiet = false;
};

// --set seeds=1,2,3 is the same as --seeds 1,2,3. What else a study trains with is said in its file, so that
// all its runs can be compared.
Result<std::string> seeds_of(const RunOptions& options) {
    std::string seeds = options.seeds;
    Diagnostics problems;
    for (const std::string& setting : options.settings) {
        if (setting.starts_with("seeds="))
            seeds = setting.substr(6);
        else
            problems.push_back({.path = "--set",
                                .rule = "must be seeds=LIST; other settings belong into the study's file",
                                .found = setting});
    }
    if (!problems.empty()) return fail(to_error(problems));
    return seeds;
}

// Rules about points; every problem.
Result<std::vector<RowRule>> rules_of(const std::vector<std::string>& texts, const StudySpec& spec,
                                      const std::string& option) {
    std::vector<RowRule> rules;
    Diagnostics problems;
    for (const std::string& text : texts) {
        Checked<RowRule> rule = parse_point_rule(text, spec, option);
        if (rule)
            rules.push_back(*std::move(rule));
        else
            problems.insert(problems.end(), rule.error().begin(), rule.error().end());
    }
    if (!problems.empty()) return fail(to_error(problems));
    return rules;
}

// What both kinds of running end with.
Result<void> tell(const OpenedStudy& study, const StudyOutcome& outcome, const RunOptions& options) {
    print_result(study, state_of(study), options.json);
    if (!outcome.failures.empty()) {
        std::string message = std::to_string(outcome.failures.size()) + " of the study's runs failed";
        for (const std::string& failure : outcome.failures) message += "\n  " + failure;
        return fail(ErrorKind::internal, message, study.project.folder(),
                    "Run the study again to try them from their last checkpoints");
    }
    if (outcome.interrupted || outcome.stopped > 0)
        return fail(ErrorKind::interrupted,
                    std::to_string(outcome.finished) + " of " + std::to_string(outcome.points) +
                        " runs are done, the work of the others is saved",
                    study.project.folder(), "The same command goes on");
    return {};
}

Result<void> run_on_cluster(const OpenedStudy& study, const ClusterRunOptions& given,
                            const RunOptions& options) {
    const Result<std::unique_ptr<Cluster>> cluster = open_cluster(options.cluster.on);
    if (!cluster) return fail(cluster.error());
    Progress progress(options.quiet);
    const Result<ClusterOutcome> outcome = run_study_on(
        **cluster, study, given, [&](const StudyProgress& now) { draw(progress, study.spec.name, now); },
        [&](const std::string& text) { progress.say(text); });
    if (!outcome) return fail(outcome.error());
    if (outcome->jobs.empty() || !outcome->study.failures.empty())
        return tell(study, outcome->study, options);
    std::string jobs;
    for (const std::string& job : outcome->jobs) jobs += (jobs.empty() ? "" : ", ") + job;
    if (options.cluster.detach) {
        if (options.json)
            print(Json{{"name", study.spec.name}, {"on", options.cluster.on}, {"jobs", outcome->jobs}});
        else
            print(jobs + "\n");
        return {};
    }
    return fail(ErrorKind::interrupted, "no longer watched; jobs " + jobs + " go on", study.project.folder(),
                "Watch them: the same command. End them, their work saved: braid-engine study stop " +
                    study.spec.name + ". At once: " + (*cluster)->cancel_command(outcome->jobs.front()));
}

// A point that a cluster has must not be trained here, too.
Result<void> check_no_jobs(const OpenedStudy& study) {
    const Result<std::vector<std::string>> jobs = live_jobs(study.project.folder(), study.spec.name);
    const std::string stop = "braid-engine study stop " + study.spec.name;
    if (!jobs) {
        Error error = jobs.error();
        error.message += "\nThe study has jobs there, and whether they still work cannot be told";
        error.hint +=
            ". Where they are gone for good, remove " + jobs_file(study.project.folder(), study.spec.name);
        return fail(std::move(error));
    }
    if (jobs->empty()) return {};
    return fail(ErrorKind::busy, "jobs of a cluster train this study (" + jobs->front() + ")",
                study.project.folder(), "Watch them with --on slurm, or end them: " + stop);
}

Result<void> run(const RunOptions& options) {
    const Result<std::string> seeds = seeds_of(options);
    if (!seeds) return fail(seeds.error());
    const Result<OpenedStudy> study = open_study(options.study, options.project, *seeds);
    if (!study) return fail(study.error());
    const Result<std::vector<RowRule>> only = rules_of(options.only, study->spec, "--only");
    if (!only) return fail(only.error());
    const Result<std::vector<RowRule>> first = rules_of(options.first, study->spec, "--first");
    if (!first) return fail(first.error());
    const Result<ClusterSettings> settings = cluster_settings(options.cluster, study->project.folder());
    if (!settings) return fail(settings.error());
    if (options.cluster.on != "local" && options.jobs > 0)
        return fail(to_error({{.path = "--jobs",
                               .rule = "is for runs on this machine; with --on slurm: --at-once",
                               .found = std::to_string(options.jobs)}}));
    const Result<StudyLock> lock = StudyLock::take(study->project.folder(), study->spec.name);
    if (!lock) return fail(lock.error());
    const auto stop = [] { return stop_requested().load(); };
    if (options.cluster.on != "local")
        return run_on_cluster(*study,
                              {.device = options.device,
                               .only = *only,
                               .first = *first,
                               .settings = *settings,
                               .submit_only = options.cluster.detach,
                               .stop = stop},
                              options);
    if (Result<void> free = check_no_jobs(*study); !free) return free;
    Progress progress(options.quiet);
    const Result<StudyOutcome> outcome = run_study(
        *study,
        {.jobs = options.jobs, .device = options.device, .only = *only, .first = *first, .stop = stop},
        [&](const StudyProgress& now) { draw(progress, study->spec.name, now); },
        [&](const std::string& text) { progress.say(text); });
    if (!outcome) return fail(outcome.error());
    return tell(*study, *outcome, options);
}

// With a runner at work only its paused runs are told to go on; without one the study is run.
Result<void> resume(const RunOptions& options) {
    const Result<OpenedStudy> study = open_study(options.study, options.project);
    if (!study) return fail(study.error());
    if (!StudyLock::holder(study->project.folder(), study->spec.name)) return run(options);
    std::int64_t told = 0;
    for (const RunEntry& entry : study->project.runs()) {
        if (entry.study.str() != study->spec.name || entry.status.state != RunState::paused) continue;
        if (const auto posted = post_command(entry.folder, "resume"); !posted) return fail(posted.error());
        ++told;
    }
    print(std::to_string(told) + " paused runs go on\n");
    return {};
}

void add_options(CLI::App& verb, RunOptions& options) {
    verb.add_option("STUDY", options.study, study_help)->required();
    verb.add_option(
            "--jobs", options.jobs,
            "Runs at a time (on the CPU one a core; on each GPU as many as fit into its memory, at most 4)")
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
    verb.add_option("--device", options.device, "Where to train; without it as the study says")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    verb.add_option("--seeds", options.seeds, "Seeds instead of the study's own: 1-5 or 1,2,7")
        ->type_name("LIST");
    verb.add_option("--set", options.settings, "seeds=LIST, the same as --seeds")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    verb.add_option("--only", options.only,
                    "Only the points that hold a rule: scale=S1, or \"architecture=Full, budget<=200\"")
        ->type_name("RULE")
        ->allow_extra_args(false);
    verb.add_option("--first", options.first, "Points that are trained before the others")
        ->type_name("RULE")
        ->allow_extra_args(false);
    add_cluster_options(verb, options.cluster);
    add_project_option(verb, options.project);
    add_quiet_option(verb, options.quiet);
    add_json_option(verb, options.json);
}

}  // namespace

void add_study_run(CommandLine& line, CLI::App& study) {
    const auto running = std::make_shared<RunOptions>();
    CLI::App& run_verb = line.verb(
        study,
        {.name = "run",
         .summary = "Train what is missing of a study",
         .example = "braid-engine study run laziness\nbraid-engine study run laziness --seeds 1-5 --jobs 2\n"
                    "braid-engine study run main --on slurm --partition gpu --time 12:00:00 --gpus-per-job 1",
         .details =
             "Finished points are kept, stopped, failed and lost ones go on from their last checkpoints, "
             "the rest is started. SIGINT stops all its runs with their work saved (exit code 130).\n\n"
             "With --on slurm the runs are jobs of a cluster, a job array, that read and write the project "
             "where "
             "it is: budgets that branch from one another are one task, every other point is one. Jobs save "
             "their work before their time is over and are queued again; what a lost node has trained goes "
             "on "
             "from its last checkpoint. SIGINT ends the watching only: the same command watches again and "
             "submits what is missing, study stop ends the jobs. Without a common file system: study pack "
             "and "
             "study collect."},
        [running] { return run(*running); });
    add_options(run_verb, *running);
    const auto resuming = std::make_shared<RunOptions>();
    CLI::App& resume_verb = line.verb(study,
                                      {.name = "resume",
                                       .summary = "Let a paused study go on, or run a stopped one",
                                       .example = "braid-engine study resume laziness"},
                                      [resuming] { return resume(*resuming); });
    add_options(resume_verb, *resuming);
}

}  // namespace braid::cli
