// study run | resume
#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/study/study_json.h"
#include "app/engine/study/study_lock.h"
#include "app/engine/study/study_runner.h"
#include "app/engine/verbs/study_verbs.h"
#include "core/record/inbox.h"

namespace braid::cli {
namespace {

struct RunOptions {
    std::string study, project, seeds, device;
    std::vector<std::string> settings, only, first;
    std::int64_t jobs = 0;
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

std::string metric_text(const RunStatus& status) {
    std::string text;
    const auto add = [&](const char* metric, const char* name, int decimals) {
        if (const auto found = status.latest.find(metric); found != status.latest.end())
            text += std::string("  ") + name + " " + real_text(found->second, decimals);
    };
    add("loss", "loss", 3);
    add("recall/near", "near", 2);
    add("recall/mid", "mid", 2);
    add("recall/far", "far", 2);
    add("eval/loss", "eval", 3);
    return text;
}

void draw(Progress& progress, const std::string& name, const StudyProgress& now) {
    const std::string head =
        name + "  " + std::to_string(now.finished) + " of " + std::to_string(now.points) + " done";
    const std::string tail =
        real_text(now.fraction * 100, 0) + " %" +
        (now.stopping ? "  stopping, the work is being saved" : "  ETA " + duration_text(now.seconds_left));
    std::vector<std::string> lines{head + "  " + Progress::bar(now.fraction) + "  " + tail};
    std::string summary = head + "  " + tail;
    for (const RunningPoint& point : now.running) {
        const std::string steps = std::to_string(point.status.step.value) + "/" + std::to_string(point.steps);
        const std::string state = point.status.state == RunState::paused ? "  paused" : "";
        lines.push_back("  " + point.label + "  " + steps + metric_text(point.status) + state);
        summary += "  |  " + point.label + " " + steps + state;
    }
    progress.update(lines, summary);
}

void print_result(const OpenedStudy& study, const StudyState& state, bool json) {
    if (json) {
        print(study_json(study.spec, state));
        return;
    }
    const StudyMeasure& measure = study.spec.measure;
    Table table({{"VARIANT"},
                 {"SEED", true},
                 {"RUN"},
                 {"STATE"},
                 {"STEPS TO " + measure.metric + " >= " + real_text(measure.threshold, 2), true},
                 {"TOKENS", true},
                 {"LAST", true}});
    for (const PointState& point : state.points) {
        const Reached reached = threshold_of(point, measure);
        const bool finished = point.state() == RunState::finished;
        table.add({point.planned.point.label, std::to_string(point.planned.point.seed),
                   point.run ? point.run->id.str() : "", std::string(to_text(point.state())),
                   reached.step ? std::to_string(*reached.step)
                   : finished   ? "never"
                                : "",
                   reached.tokens ? with_commas(*reached.tokens) : "",
                   reached.last ? real_text(*reached.last, 3) : ""});
    }
    print(table);
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
    const Result<StudyLock> lock = StudyLock::take(study->project.folder(), study->spec.name);
    if (!lock) return fail(lock.error());
    Progress progress(options.quiet);
    const Result<StudyOutcome> outcome = run_study(
        *study,
        {.jobs = options.jobs,
         .device = options.device,
         .only = *only,
         .first = *first,
         .stop_requested = &stop_requested()},
        [&](const StudyProgress& now) { draw(progress, study->spec.name, now); },
        [&](const std::string& text) { progress.say(text); });
    if (!outcome) return fail(outcome.error());
    const StudyState state = state_of(*study);
    print_result(*study, state, options.json);
    if (!outcome->failures.empty()) {
        std::string message = std::to_string(outcome->failures.size()) + " of the study's runs failed";
        for (const std::string& failure : outcome->failures) message += "\n  " + failure;
        return fail(ErrorKind::internal, message, study->project.folder(),
                    "Run the study again to try them from their last checkpoints");
    }
    if (outcome->interrupted || outcome->stopped > 0)
        return fail(ErrorKind::interrupted,
                    std::to_string(outcome->finished) + " of " + std::to_string(outcome->points) +
                        " runs are done, the work of the others is saved",
                    study->project.folder(), "The same command goes on");
    return {};
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
         .example = "braid-engine study run laziness\nbraid-engine study run laziness --seeds 1-5 --jobs 2",
         .details =
             "Finished points are kept, stopped, failed and lost ones go on from their last checkpoints, "
             "the rest is started. SIGINT stops all its runs with their work saved (exit code 130)."},
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
