#include "app/engine/study/study_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "app/engine/cli/project_argument.h"
#include "core/base/json.h"
#include "core/data/batch.h"
#include "core/mixers/builtin.h"
#include "core/record/corpus_summary.h"
#include "core/spec/study_patterns.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

Result<StudySpec> read_study(const std::string& file) {
    const Result<Json> json = read_json(file);
    if (!json) return fail(json.error());
    Checked<StudySpec> spec = study_from_json(*json);
    if (!spec) return fail(to_error(spec.error(), file));
    if (spec->name.empty()) spec->name = fs::path(file).stem().string();
    return std::move(*spec);
}

std::string study_names(const Project& project) {
    std::string names;
    for (const ProjectDocument& entry : project.documents(DocumentKind::study))
        names += (names.empty() ? "" : ", ") + entry.name;
    return names.empty() ? "none" : names;
}

bool is_a_file(const std::string& text) {
    std::error_code ignored;
    return text.ends_with(".json") || fs::is_regular_file(text, ignored);
}

// A file outside the project's studies/ becomes one of them, so that its runs can be found by its name.
Result<std::string> adopt(const Project& project, const std::string& file) {
    const Result<StudySpec> spec = read_study(file);
    if (!spec) return fail(spec.error());
    const std::string place = project.document_file(DocumentKind::study, spec->name);
    std::error_code ignored;
    if (fs::equivalent(place, file, ignored)) return file;
    if (fs::exists(place, ignored)) {
        const Result<StudySpec> other = read_study(place);
        if (other && *other == *spec) return place;
        return fail(ErrorKind::already_exists, "the project has another study named \"" + spec->name + "\"",
                    place, "Rename one of them (\"name\" in the file)");
    }
    if (Result<void> written = write_json_atomically(place, to_json(*spec)); !written)
        return fail(written.error());
    return place;
}

Result<Project> example_project(const std::string& name) {
    const std::string from = examples_folder() + "/" + name;
    std::error_code ignored;
    if (name.find('/') != std::string::npos || !fs::exists(from + "/project.json", ignored))
        return fail(ErrorKind::not_found, "no example named \"" + name + "\"");
    const std::string to = data_home() + "/projects/" + name;
    std::fprintf(stderr, "The example project is %s\n", to.c_str());
    return Project::open_copy(from, to);
}

Result<Project> project_for(const std::string& text, const std::string& given) {
    if (!given.empty() || is_a_file(text)) {
        if (given.empty())
            if (Result<Project> around = Project::find(fs::absolute(text).parent_path().string()))
                return around;
        return find_or_make_project(given);
    }
    Result<Project> found = find_project(given);
    std::error_code ignored;
    if (found && fs::exists(found->document_file(DocumentKind::study, text), ignored)) return found;
    if (Result<Project> example = example_project(text); example) return example;
    return found;
}

// Rules of the data, asked once for all points that read the same.
Diagnostics data_problems(const std::vector<PlannedPoint>& points) {
    Diagnostics problems;
    std::set<std::string> asked;
    for (const PlannedPoint& planned : points) {
        TrainingSpec training = planned.training;
        training.steps = training.seed = 1;
        if (!asked.insert(to_json(planned.data).dump() + to_json(training).dump()).second) continue;
        for (const Diagnostic& problem : validate(planned.data, planned.training))
            if (std::find(problems.begin(), problems.end(), problem) == problems.end())
                problems.push_back(problem);
    }
    return problems;
}

Result<CorpusSummary> corpus_of(const Project& project, const DataSpec& data) {
    return read_corpus_summary((fs::path(project.folder()) / data.corpus).string());
}

}  // namespace

std::string examples_folder() {
    std::error_code ignored;
    if (const char* given = std::getenv("BRAID_EXAMPLES")) return given;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    // Beside bin/, beside lib/braid/ of a package or bundle, in the source tree.
    for (const char* place : {"../share/braid/projects", "../../share/braid/projects", "../../../projects"})
        if (fs::is_directory(program / place, ignored))
            return fs::weakly_canonical(program / place, ignored).string();
    return {};
}

Checked<std::vector<PlannedPoint>> plan_points(const Project& project, const StudySpec& spec, DataNeed need) {
    const auto problem = [](const Error& error) {
        return tl::unexpected(Diagnostics{{.path = "", .rule = describe(error), .found = ""}});
    };
    const StudySurroundings surroundings{
        .catalog = builtin_mixers(),
        .find_architecture = [&](const std::string& name) -> Checked<ArchitectureSpec> {
            const Result<Json> json = read_json(project.document_file(DocumentKind::architecture, name));
            if (!json) return problem(json.error());
            return architecture_from_json(*json);
        },
        .vocab = [&](const DataSpec& data, const TrainingSpec& training) -> Checked<std::int64_t> {
            if (need == DataNeed::optional && data.kind == corpus_kind) {
                const Result<CorpusSummary> summary = corpus_of(project, data);
                return summary ? summary->vocab : 0;
            }
            const auto source = make_data_source(data, training, project.folder());
            if (!source) return problem(source.error());
            return (*source)->vocab();
        }};
    return plan_study(spec, surroundings);
}

StudyState state_of(const OpenedStudy& study) {
    return match_runs(study.spec, study.points, runs_of_study(study.project, study.spec.name),
                      builtin_mixers(), !study.knows_data);
}

Result<OpenedStudy> with_all_seeds(OpenedStudy study) {
    study.spec = with_seeds_of_runs(runs_of_study(study.project, study.spec.name), std::move(study.spec));
    Checked<std::vector<PlannedPoint>> points = plan_points(study.project, study.spec, study.need);
    if (!points) return fail(to_error(points.error(), study.file));
    study.points = *std::move(points);
    return study;
}

Result<OpenedStudy> open_study(const std::string& text, const std::string& given_project,
                               const std::string& seeds, DataNeed need) {
    Result<Project> project = project_for(text, given_project);
    if (!project) return fail(std::move(project.error()));
    std::string file = project->document_file(DocumentKind::study, text);
    if (is_a_file(text)) {
        Result<std::string> adopted = adopt(*project, text);
        if (!adopted) return fail(std::move(adopted.error()));
        file = std::move(*adopted);
    } else if (text.find('/') != std::string::npos || !fs::exists(file)) {
        return fail(ErrorKind::not_found,
                    "no study named \"" + text + "\" (there are: " + study_names(*project) + ")",
                    project->folder());
    }
    Result<StudySpec> spec = read_study(file);
    if (!spec) return fail(std::move(spec.error()));
    Diagnostics problems;
    if (!seeds.empty()) {
        Checked<std::vector<std::uint64_t>> parsed = parse_seeds(seeds);
        if (parsed)
            spec->seeds = std::move(*parsed);
        else
            problems = parsed.error();
    }
    const auto take = [&problems](const Diagnostics& more) {
        problems.insert(problems.end(), more.begin(), more.end());
    };
    take(validate(*spec));
    Checked<std::vector<PlannedPoint>> points;
    if (problems.empty()) take(validate(spec->data, spec->training));
    if (!problems.empty()) {
        take(check_patterns(*spec, builtin_mixers()));
    } else {
        points = plan_points(*project, *spec, need);
        take(points ? data_problems(*points) : points.error());
    }
    if (!problems.empty()) return fail(to_error(problems, file));
    const bool knows_data = need == DataNeed::required || spec->data.kind != corpus_kind ||
                            corpus_of(*project, spec->data).has_value();
    return OpenedStudy{.project = std::move(*project),
                       .spec = std::move(*spec),
                       .points = std::move(*points),
                       .file = std::move(file),
                       .need = need,
                       .knows_data = knows_data};
}

}  // namespace braid::cli
