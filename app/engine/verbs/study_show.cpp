// study show
#include "app/engine/cli/output.h"
#include "app/engine/study/study_cost_text.h"
#include "app/engine/study/study_file.h"
#include "app/engine/study/study_json.h"
#include "app/engine/study/study_lock.h"
#include "app/engine/verbs/study_verbs.h"
#include "core/record/study_jobs.h"

namespace braid::cli {
namespace {

struct ShowOptions {
    std::string study, project;
    bool json = false;
};

// Given to a cluster and, when somebody last looked (study run --on), not over.
std::vector<const JobSubmission*> open_submissions(const Result<StudyJobs>& jobs) {
    return jobs ? jobs->open() : std::vector<const JobSubmission*>();
}

Result<void> show(const ShowOptions& options) {
    Result<OpenedStudy> study = open_study(options.study, options.project, {}, DataNeed::optional);
    if (!study) return fail(std::move(study.error()));
    study = with_all_seeds(*std::move(study));
    if (!study) return fail(std::move(study.error()));
    const StudyState state = state_of(*study);
    const std::optional<ProcessIdentity> runner =
        StudyLock::holder(study->project.folder(), study->spec.name);
    const Result<StudyJobs> jobs = read_study_jobs(study->project.folder(), study->spec.name);
    if (options.json) {
        Json document = study_json(study->spec, state);
        document["project"] = study->project.folder();
        document["file"] = study->file;
        document["cost"] = cost_json(*study, state);
        Json submitted = Json::array();
        for (const JobSubmission* each : open_submissions(jobs))
            submitted.push_back({{"on", each->scheduler}, {"job", each->job}, {"tasks", each->tasks}});
        document["submitted"] = std::move(submitted);
        document["runner"] = runner ? Json{{"pid", runner->pid}, {"host", runner->host}} : Json(nullptr);
        print(document);
        return {};
    }
    std::string text = study->spec.title + "\n" + study->file + "\n";
    if (!study->spec.description.empty()) text += "\n" + study->spec.description + "\n";
    if (runner) text += "\nrun by process " + std::to_string(runner->pid) + " on " + runner->host + "\n";
    for (const JobSubmission* each : open_submissions(jobs)) {
        std::size_t runs = 0;
        for (const std::vector<std::string>& task : each->tasks) runs += task.size();
        text += "\nsubmitted to " + each->scheduler + " as job " + each->job + ": " + std::to_string(runs) +
                " runs in " + std::to_string(each->tasks.size()) + " tasks (" + each->submitted + ")\n";
    }
    text += "\n" + cost_text(*study, state);
    const StudyMeasure& measure = study->spec.measure;
    const std::string reached_title = "TO " + measure.metric + " >= " + real_text(measure.threshold, 2);
    Table table({{"VARIANT"},
                 {"SEED", true},
                 {"RUN"},
                 {"STATE"},
                 {"STEP", true},
                 {"STEPS " + reached_title, true},
                 {"TOKENS", true},
                 {"LAST", true}});
    for (const PointState& point : state.points) {
        const Reached reached = threshold_of(point, measure);
        table.add({point.planned.point.label, std::to_string(point.planned.point.seed),
                   point.run ? point.run->id.str() : "", std::string(to_text(point.state())),
                   (point.run ? std::to_string(point.run->status.step.value) : "0") + "/" +
                       std::to_string(point.planned.training.steps),
                   reached.step ? std::to_string(*reached.step) : "",
                   reached.tokens ? with_commas(*reached.tokens) : "",
                   reached.last ? real_text(*reached.last, 3) : ""});
    }
    text += "\n" + table.text();
    if (state.other_runs > 0)
        text += "\n" + std::to_string(state.other_runs) + " more runs are of other versions of this study\n";
    print(text);
    return {};
}

}  // namespace

void add_study_show(CommandLine& line, CLI::App& study) {
    const auto options = std::make_shared<ShowOptions>();
    CLI::App& verb = line.verb(
        study,
        {.name = "show",
         .summary = "Points of a study, how they stand, what they cost, and tokens to the threshold",
         .example = "braid-engine study show laziness --json"},
        [options] { return show(*options); });
    verb.add_option("STUDY", options->study, study_help)->required();
    add_project_option(verb, options->project);
    add_json_option(verb, options->json);
}

}  // namespace braid::cli
