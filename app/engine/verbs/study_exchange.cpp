// study pack | collect: a study that is trained where this file system is not.
#include <algorithm>
#include <filesystem>
#include <set>

#include "app/engine/cli/output.h"
#include "app/engine/study/study_tasks.h"
#include "app/engine/verbs/study_verbs.h"
#include "core/base/file.h"
#include "core/mixers/builtin.h"
#include "core/record/run_collect.h"
#include "core/record/run_copy.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

struct PackOptions {
    std::string study, project, out;
    bool no_data = false;
    bool json = false;
};

struct CollectOptions {
    std::string study, project;
    std::vector<std::string> folders;
    bool json = false;
};

Result<void> copy_path(const fs::path& from, const fs::path& to) {
    std::error_code error;
    if (!fs::exists(from, error)) return {};
    fs::create_directories(to.parent_path(), error);
    if (!error) fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::skip_existing, error);
    if (error) return fail(error_from_errno(error.value(), "cannot copy to", to.string()));
    return {};
}

// Files that the points read, relative to the project; the others have to be there under the same path.
struct DataFiles {
    std::set<std::string> inside, outside;
};

DataFiles data_files(const OpenedStudy& study) {
    DataFiles files;
    const auto add = [&](const std::string& file) {
        if (file.empty()) return;
        const fs::path path = fs::path(file).lexically_normal();
        const bool leaves = path.is_absolute() || path.begin()->string() == "..";
        (leaves ? files.outside : files.inside).insert(path.string());
    };
    for (const PlannedPoint& point : study.points) {
        add(point.data.corpus);
        if (const ParameterValue* keys = point.data.parameters.find("key_tokens"))
            if (const auto* file = std::get_if<std::string>(keys)) add(*file);
    }
    return files;
}

Result<void> pack_into(const fs::path& folder, const OpenedStudy& study, const StudyState& state,
                       const std::set<std::string>& data) {
    const fs::path project = study.project.folder();
    std::vector<std::string> parts = {"project.json", "cluster.json", "architectures"};
    parts.insert(parts.end(), data.begin(), data.end());
    for (const std::string& part : parts)
        if (Result<void> copied = copy_path(project / part, folder / part); !copied) return copied;
    if (Result<void> copied = copy_path(study.file, folder / "studies" / fs::path(study.file).filename());
        !copied)
        return copied;
    for (const PointState& point : state.points) {
        const Result<RunFolder> copied =
            copy_run(point.run->folder, (folder / "runs" / point.run->id.str()).string());
        if (!copied) return fail(copied.error());
    }
    return {};
}

Result<void> pack(const PackOptions& options) {
    Result<OpenedStudy> study = open_study(options.study, options.project);
    if (study) study = with_all_seeds(*std::move(study));
    if (!study) return fail(std::move(study.error()));
    const fs::path target = fs::absolute(options.out).lexically_normal();
    std::error_code ignored;
    if (fs::exists(target, ignored))
        return fail(ErrorKind::already_exists, "there is something already", target.string(),
                    "Name a new folder with --out");
    StudyState state = state_of(*study);
    for (const PointState& point : state.points)
        if (point.state() == RunState::running || point.state() == RunState::paused)
            return fail(
                ErrorKind::busy, "run " + point.run->id.str() + " is being trained", point.run->folder.path(),
                "Stop it first, or it would be trained twice: braid-engine study stop " + study->spec.name);
    // Planned here, so that they come back as what is here already.
    std::vector<std::size_t> all(state.points.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    if (Result<void> made = make_runs(*study, state, all, {}); !made) return made;
    const DataFiles data = data_files(*study);
    const fs::path part = target.string() + ".part";
    fs::remove_all(part, ignored);
    Result<void> packed = make_folder((part / "runs").string());
    if (packed)
        packed = pack_into(part, *study, state, options.no_data ? std::set<std::string>{} : data.inside);
    if (packed) {
        std::error_code error;
        fs::rename(part, target, error);
        if (error) packed = fail(error_from_errno(error.value(), "cannot make", target.string()));
    }
    if (!packed) {
        fs::remove_all(part, ignored);
        return packed;
    }
    std::set<std::string> needed = data.outside;
    if (options.no_data) needed.insert(data.inside.begin(), data.inside.end());
    if (options.json) {
        print(Json{{"folder", target.string()}, {"runs", state.points.size()}, {"needed", needed}});
        return {};
    }
    print(target.string() + "\n");
    for (const std::string& file : needed)
        std::fprintf(stderr, "Not packed, has to be there: %s\n", file.c_str());
    std::fprintf(
        stderr,
        "Copy it to the cluster, train it there (braid-engine study run %s --on slurm), copy it back, and "
        "here: braid-engine study collect %s FOLDER\n",
        study->spec.name.c_str(), study->spec.name.c_str());
    return {};
}

// A run folder, a folder of runs, or a project.
std::vector<std::string> run_folders(const std::string& given) {
    if (RunFolder(given).exists()) return {given};
    std::error_code ignored;
    const std::string runs = given + "/runs";
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(fs::is_directory(runs, ignored) ? runs : given, ignored))
        if (RunFolder(entry.path().string()).exists()) found.push_back(entry.path().string());
    std::sort(found.begin(), found.end());
    return found;
}

// Whether a run does what one of the study's points asks for; the study's seeds may be fewer.
Result<void> check_point(const OpenedStudy& study, const RunFolder& folder) {
    Result<RunPlan> plan = folder.plan();
    if (!plan) return fail(std::move(plan.error()));
    if (plan->study.str() != study.spec.name)
        return fail(ErrorKind::invalid_input, "it is of study \"" + plan->study.str() + "\"", folder.path());
    const std::vector<StudyRun> runs = {{.entry = {.id = plan->id, .folder = folder, .study = plan->study},
                                         .plan = std::make_shared<const RunPlan>(*std::move(plan))}};
    StudySpec spec = with_seeds_of_runs(runs, study.spec);
    Checked<std::vector<PlannedPoint>> points = plan_points(study.project, spec, DataNeed::optional);
    if (!points) return fail(to_error(points.error(), study.file));
    if (match_runs(spec, *std::move(points), runs, builtin_mixers(), !study.knows_data).other_runs == 0)
        return {};
    return fail(ErrorKind::invalid_input, "it is none of the study's points as they are now", folder.path(),
                "The study was changed here or there; what this run trains can still be seen where it is");
}

Result<void> collect(const CollectOptions& options) {
    const Result<OpenedStudy> study = open_study(options.study, options.project, {}, DataNeed::optional);
    if (!study) return fail(study.error());
    Json answers = Json::array();
    Table table({{"RUN"}, {"NAME"}, {"RESULT"}});
    std::string conflicts;
    std::size_t failures = 0, found = 0;
    for (const std::string& given : options.folders) {
        const std::vector<std::string> folders = run_folders(given);
        if (folders.empty()) {
            conflicts += "\n  " + given + ": holds no run (no plan.json, no runs/)";
            ++failures;
        }
        for (const std::string& path : folders) {
            ++found;
            const RunFolder folder(path);
            const Result<void> fits = check_point(*study, folder);
            const Result<Collected> collected =
                fits ? collect_run(folder, study->project) : fail(fits.error());
            const std::string text =
                collected ? std::string(to_text(*collected)) : describe(collected.error());
            if (!collected) {
                conflicts += "\n  " + text;
                ++failures;
            }
            const Result<RunPlan> plan = folder.plan();
            const std::string id = plan ? plan->id.str() : folder.name();
            table.add({id, plan ? plan->name : "", collected ? text : "left where it is"});
            answers.push_back(
                {{"run", id}, {"from", path}, {"collected", collected.has_value()}, {"result", text}});
        }
    }
    if (options.json)
        print(Json{{"name", study->spec.name}, {"runs", std::move(answers)}});
    else if (found > 0)
        print(table);
    if (failures == 0) return {};
    return fail(ErrorKind::already_exists, std::to_string(failures) + (failures == 1 ? " was" : " were") +
                                               " not collected:" + conflicts);
}

}  // namespace

void add_study_exchange(CommandLine& line, CLI::App& study) {
    const auto packing = std::make_shared<PackOptions>();
    CLI::App& pack_verb = line.verb(
        study,
        {.name = "pack",
         .summary =
             "A project of its own with all that a study needs, for a cluster without a common file system",
         .example = "braid-engine study pack main --out main-packed\nrsync -a main-packed cluster:\n"
                    "ssh cluster braid-engine study run main --project main-packed --on slurm\n"
                    "rsync -a cluster:main-packed . && braid-engine study collect main main-packed",
         .details = "Its runs with their checkpoints, planned ones included, and the data they read."},
        [packing] { return pack(*packing); });
    pack_verb.add_option("STUDY", packing->study, study_help)->required();
    pack_verb.add_option("--out", packing->out, "New folder")->required()->type_name("DIR");
    pack_verb.add_flag("--no-data", packing->no_data, "Leave out corpora: they are there already");
    add_project_option(pack_verb, packing->project);
    add_json_option(pack_verb, packing->json);

    const auto collecting = std::make_shared<CollectOptions>();
    CLI::App& collect_verb = line.verb(
        study,
        {.name = "collect",
         .summary = "Bring runs of a study back that were trained elsewhere",
         .example = "braid-engine study collect main main-packed",
         .details =
             "Each run is taken as a whole or not at all, and only where it goes on from what is here: "
             "newer rows are never replaced. What does not fit is named (exit code 1), the rest is "
             "collected. Running it again is harmless."},
        [collecting] { return collect(*collecting); });
    collect_verb.add_option("STUDY", collecting->study, study_help)->required();
    collect_verb.add_option("FOLDER", collecting->folders, "Project, folder of runs, or run")->required();
    add_project_option(collect_verb, collecting->project);
    add_json_option(collect_verb, collecting->json);
}

}  // namespace braid::cli
