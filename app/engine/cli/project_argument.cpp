#include "app/engine/cli/project_argument.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string here() {
    std::error_code ignored;
    return fs::current_path(ignored).string();
}

}  // namespace

std::string data_home() {
    const std::string xdg = environment("XDG_DATA_HOME");
    if (!xdg.empty() && xdg.front() == '/') return xdg + "/braid";
    return environment("HOME") + "/.local/share/braid";
}

std::string default_project_folder() { return data_home() + "/projects/default"; }

Result<Project> find_project(const std::string& given) {
    if (!given.empty()) return Project::open(given);
    Result<Project> found = Project::find(here());
    if (found || found.error().kind != ErrorKind::not_found) return found;
    if (fs::exists(default_project_folder() + "/project.json"))
        return Project::open(default_project_folder());
    return found;
}

Result<Project> find_or_make_project(const std::string& given) {
    if (!given.empty()) return Project::open(given);
    Result<Project> found = Project::find(here());
    if (found || found.error().kind != ErrorKind::not_found) return found;
    const std::string folder = default_project_folder();
    const bool is_new = !fs::exists(folder + "/project.json");
    std::fprintf(stderr, "No project here: %s the default project, %s\n", is_new ? "making" : "using",
                 folder.c_str());
    return is_new ? Project::create(folder, "Default project") : Project::open(folder);
}

Result<RunFolder> find_run(const std::string& text, const std::string& given_project) {
    std::error_code ignored;
    if (fs::is_directory(text, ignored)) {
        const RunFolder folder(text);
        if (folder.exists()) return folder;
    }
    const Result<Project> project = find_project(given_project);
    if (!project) return fail(project.error());
    return project->find_run(text);
}

std::string project_folder_of(const RunFolder& run) {
    const Result<Project> project = Project::find(run.path());
    return project ? project->folder() : "";
}

}  // namespace braid::cli
