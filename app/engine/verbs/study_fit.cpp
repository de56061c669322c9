// study fit, study export
#include <cmath>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/study/study_fits.h"
#include "app/engine/verbs/fit_options.h"
#include "app/engine/verbs/fit_output.h"
#include "app/engine/verbs/study_verbs.h"
#include "core/base/file.h"
#include "core/record/study_table.h"

namespace braid::cli {
namespace {

struct FitOptions : CommonFitOptions {
    std::string study, project, metric;
    int profile = 15;
};

Result<ScalingRecord> fit_one(const OpenedStudy& study, const FitOptions& options, const std::string& metric,
                              Progress& progress) {
    StudyFitRequest request{
        .metric = metric,
        .report = {.fit = options.fit(options.form.empty() ? study.spec.fit.form : options.form),
                   .baseline = options.baseline,
                   .profile_points = options.profile},
        .held_out = options.held_out,
        .excluded = options.excluded,
        .command = "braid-engine study fit " + study.spec.name + " --metric " + metric};
    std::string stage;
    return fit_study(study, request,
                     {.progress = [&](double done) { progress.update(done, metric + ": " + stage); },
                      .stop = &stop_requested(),
                      .threads = options.threads},
                     [&](const std::string& now) { stage = now; });
}

Result<void> fit(const FitOptions& options) {
    Result<OpenedStudy> study = open_study(options.study, options.project, {}, DataNeed::optional);
    if (study) study = with_all_seeds(*std::move(study));
    if (!study) return fail(std::move(study.error()));
    const std::vector<std::string> metrics =
        options.metric.empty() ? fitted_metrics(study->spec) : std::vector<std::string>{options.metric};
    Progress progress(options.quiet);
    Json documents = Json::array();
    std::string text;
    for (const std::string& metric : metrics) {
        const Result<ScalingRecord> record = fit_one(*study, options, metric, progress);
        if (!record) return fail(record.error());
        const std::string file = scaling_record_file(study->project.folder(), study->spec.name, metric);
        if (const Result<void> written = write_scaling_record(file, *record); !written)
            return fail(written.error());
        for (const std::string& left : record->left_out) progress.say("left out: " + left);
        for (const std::string& warning : warnings_of(record->report)) progress.say("warning: " + warning);
        Json document = fit_json(record->report);
        document["study"] = study->spec.name;
        document["metric"] = metric;
        document["left_out"] = record->left_out;
        document["file"] = file;
        documents.push_back(std::move(document));
        if (!text.empty()) text += "\n";
        if (options.latex)
            text += "% " + metric + "\n" + scaling_latex(record->report) + efficiency_latex(record->report);
        else
            text += metric + "\n" + fit_text(record->report);
    }
    if (options.json)
        print(documents.size() == 1 ? documents[0] : documents);
    else
        print(text);
    return {};
}

struct ExportOptions {
    std::string study, project, out;
};

Result<void> export_table(const ExportOptions& options) {
    Result<OpenedStudy> study = open_study(options.study, options.project, {}, DataNeed::optional);
    if (study) study = with_all_seeds(*std::move(study));
    if (!study) return fail(std::move(study.error()));
    const std::string csv = to_csv(study_table(study->spec, state_of(*study)));
    if (!options.out.empty()) return write_file_atomically(options.out, csv);
    print(csv);
    return {};
}

}  // namespace

void add_study_fit(CommandLine& line, CLI::App& study) {
    const auto options = std::make_shared<FitOptions>();
    CLI::App& verb = line.verb(
        study,
        {.name = "fit",
         .summary = "Scaling laws through the finished points of a study, one a curve",
         .example = "braid-engine study fit mini\n"
                    "braid-engine study fit paper --metric eval/log_longppl --held-out scale=S4 --latex",
         .details =
             "What is fitted, held out and excluded is said in the study's file (\"fit\"); options add "
             "to it. The answer is kept in the project (fits/STUDY/METRIC.json), where the window and "
             "figures find it. A RULE is as in `fit`: COLUMN=VALUE, several parted by commas, with a "
             "reason behind \": \". `study export` prints the table that is fitted."},
        [options] { return fit(*options); });
    verb.add_option("STUDY", options->study, study_help)->required();
    verb.add_option("--metric", options->metric, "What is fitted; without it what the study says");
    verb.add_option("--baseline", options->baseline, "Curve that the others are compared with; the first")
        ->type_name("CURVE");
    verb.add_option("--profile", options->profile, "Points of each exponent's likelihood profile; 0: none")
        ->capture_default_str()
        ->check(CLI::Range(0, 1000));
    add_common_fit_options(verb, *options, "Points");
    add_project_option(verb, options->project);
}

void add_study_export(CommandLine& line, CLI::App& study) {
    const auto options = std::make_shared<ExportOptions>();
    CLI::App& verb = line.verb(study,
                               {.name = "export",
                                .summary = "Every point with parameters, tokens and last values, as CSV",
                                .example = "braid-engine study export mini --out mini.csv"},
                               [options] { return export_table(*options); });
    verb.add_option("STUDY", options->study, study_help)->required();
    verb.add_option("--out", options->out, "File; without it stdout")->type_name("FILE.csv");
    add_project_option(verb, options->project);
}

}  // namespace braid::cli
