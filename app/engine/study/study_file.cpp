#include "app/engine/study/study_file.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/spec_argument.h"
#include "core/base/json.h"
#include "core/data/batch.h"

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

Diagnostics problems_of(const Project& project, const StudySpec& spec) {
    Diagnostics problems = validate(spec);
    for (std::size_t i = 0; i < spec.variants.size(); ++i) {
        const StudyVariant& variant = spec.variants[i];
        if (variant.architecture.empty() && (variant.pattern.empty() || variant.scale.empty())) continue;
        if (const auto architecture = architecture_of(project, variant, 0); !architecture)
            problems.push_back({.path = "variants[" + std::to_string(i) + "]",
                                .rule = describe(architecture.error()),
                                .found = ""});
    }
    for (const Diagnostic& problem : validate(spec.data, spec.training)) problems.push_back(problem);
    return problems;
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

Result<ArchitectureSpec> architecture_of(const Project& project, const StudyVariant& variant,
                                         std::int64_t needed_vocab) {
    SpecRequest request{.project_folder = project.folder()};
    if (!variant.architecture.empty()) {
        request.text = "project:" + variant.architecture;
    } else {
        request.text = variant.pattern;
        request.scale = variant.scale;
        request.needed_vocab = needed_vocab;
    }
    return resolve_spec(request);
}

Result<OpenedStudy> open_study(const std::string& text, const std::string& given_project,
                               const std::string& seeds) {
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
    const Diagnostics more = problems_of(*project, *spec);
    problems.insert(problems.end(), more.begin(), more.end());
    if (!problems.empty()) return fail(to_error(problems, file));
    return OpenedStudy{.project = std::move(*project), .spec = std::move(*spec), .file = std::move(file)};
}

}  // namespace braid::cli
