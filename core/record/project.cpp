#include "core/record/project.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <random>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/record/run_index.h"
#include "core/record/run_lock.h"

namespace braid {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::pair<DocumentKind, std::string_view>, 3> document_folders = {{
    {DocumentKind::architecture, "architectures"},
    {DocumentKind::study, "studies"},
    {DocumentKind::figure, "figures"},
}};

std::string folder_of(DocumentKind kind) {
    for (const auto& [known, folder] : document_folders)
        if (known == kind) return std::string(folder);
    return {};
}

std::string normal(const std::string& path) { return RunFolder(path).path(); }
std::string project_file(const std::string& folder) { return folder + "/project.json"; }

Result<std::string> read_title(const std::string& folder) {
    const std::string file = project_file(folder);
    return read_json(file).and_then([&](const Json& json) -> Result<std::string> {
        Diagnostics problems;
        JsonReader reader(json, "", problems);
        std::string title;
        if (reader.is_object() && reader.schema_version(project_schema_version)) reader.text("title", title);
        // Keys that we do not know are notes of its owner.
        if (!problems.empty()) return fail(to_error(problems, file));
        return title.empty() ? fs::path(folder).filename().string() : title;
    });
}

std::string stamp_of(const std::string& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return "-";
    return std::to_string(status.st_size) + ":" + std::to_string(status.st_mtim.tv_sec) + "." +
           std::to_string(status.st_mtim.tv_nsec) + ":" + std::to_string(status.st_ino);
}

std::string store_stamp_of(const RunFolder& folder) {
    return stamp_of(folder.database_file()) + " " + stamp_of(folder.database_file() + "-wal");
}

// "a91f": hexadecimal, but never a number ("1e10") to a shell, a spreadsheet or YAML.
std::string random_id(std::size_t digits) {
    std::random_device random;
    std::string id(1, "abcdef"[random() % 6]);
    while (id.size() < digits) id += "0123456789abcdef"[random() % 16];
    return id;
}

RunEntry read_entry(const RunFolder& folder) {
    RunEntry entry{.id = RunId(folder.name()), .folder = folder};
    const Result<RunPlan> plan = folder.plan();
    if (!plan) {
        entry.problem = plan.error();
        return entry;
    }
    entry.name = plan->name;
    entry.created = plan->created;
    entry.study = plan->study;
    entry.point = plan->point;
    entry.steps = total_steps(*plan);
    return entry;
}

void read_status_into(RunEntry& entry) {
    Result<RunStatus> status = read_run_status(entry.folder);
    if (status)
        entry.status = std::move(*status);
    else
        entry.problem = std::move(status.error());
}

}  // namespace

bool operator==(const RunEntry& a, const RunEntry& b) {
    const auto text = [](const RunEntry& entry) { return entry.problem ? describe(*entry.problem) : ""; };
    return a.id == b.id && a.folder == b.folder && a.name == b.name && a.created == b.created &&
           a.study == b.study && a.point == b.point && a.steps == b.steps && a.status == b.status &&
           text(a) == text(b);
}

struct Project::Data {
    std::string folder;
    std::string title;
    mutable std::mutex mutex;
    mutable bool loaded = false;
    mutable std::map<std::string, IndexedRun> index;  // by folder name; what index.db holds
};

Result<Project> Project::create(const std::string& folder, const std::string& title) {
    const std::string path = normal(folder);
    std::error_code error;
    if (fs::exists(project_file(path), error))
        return fail(ErrorKind::already_exists, "there is a project in it already", path, "Open it instead");
    for (const auto& [kind, part] : document_folders)
        if (Result<void> made = make_folder(path + "/" + std::string(part)); !made)
            return fail(std::move(made.error()));
    if (Result<void> made = make_folder(path + "/runs"); !made) return fail(std::move(made.error()));
    const Json json = {{"schema_version", project_schema_version}, {"title", title}, {"created", utc_now()}};
    if (Result<void> written = write_json_atomically(project_file(path), json); !written)
        return fail(std::move(written.error()));
    return open(path);
}

Result<Project> Project::open(const std::string& folder) {
    auto data = std::make_shared<Data>();
    data->folder = normal(folder);
    std::error_code error;
    if (!fs::exists(project_file(data->folder), error))
        return fail(ErrorKind::not_found, "is no project: it has no project.json", data->folder,
                    "Make one with File > New project, or name a folder that has one");
    Result<std::string> title = read_title(data->folder);
    if (!title) return fail(std::move(title.error()));
    data->title = std::move(*title);
    return Project(std::move(data));
}

Result<Project> Project::find(const std::string& start) {
    std::error_code error;
    for (fs::path at = normal(start);; at = at.parent_path()) {
        if (fs::exists(project_file(at.string()), error)) return open(at.string());
        if (at == at.parent_path()) break;
    }
    return fail(ErrorKind::not_found, "no project here or in a folder above", normal(start),
                "Give one with --project DIR");
}

Result<Project> Project::open_copy(const std::string& template_folder, const std::string& folder) {
    const std::string target = normal(folder);
    std::error_code error;
    if (fs::exists(project_file(target), error)) return open(target);
    if (fs::exists(target, error) && !fs::is_empty(target, error))
        return fail(ErrorKind::already_exists, "holds other files", target, "Choose a new or empty folder");
    if (!fs::exists(project_file(template_folder), error))
        return fail(ErrorKind::not_found, "the example project is missing", template_folder);
    if (Result<void> made = make_folder(fs::path(target).parent_path().string()); !made)
        return fail(std::move(made.error()));
    // Complete or not there at all: copied beside the target, then renamed.
    const std::string temporary = target + ".new-" + std::to_string(::getpid()) + random_id(6);
    const auto give_up = [&](Error reason) {
        fs::remove_all(temporary, error);
        return fail(std::move(reason));
    };
    if (Result<void> made = make_folder(temporary); !made) return give_up(std::move(made.error()));
    for (const fs::directory_entry& entry : fs::directory_iterator(template_folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name == "runs" || name == ".trash" || name.starts_with("index.db")) continue;
        std::error_code copying;
        fs::copy(entry.path(), fs::path(temporary) / name, fs::copy_options::recursive, copying);
        if (copying) return give_up(error_from_errno(copying.value(), "cannot copy", entry.path().string()));
    }
    for (const std::string_view part : {"architectures", "studies", "figures", "runs"})
        if (Result<void> made = make_folder(temporary + "/" + std::string(part)); !made)
            return give_up(std::move(made.error()));
    if (::rename(temporary.c_str(), target.c_str()) != 0) {
        const Error reason = error_from_errno(errno, "cannot make the project", target);
        fs::remove_all(temporary, error);
        return fs::exists(project_file(target), error) ? open(target)
                                                       : fail(reason);  // another window made it
    }
    return open(target);
}

const std::string& Project::folder() const { return data_->folder; }
const std::string& Project::title() const { return data_->title; }

std::string Project::document_file(DocumentKind kind, std::string_view name) const {
    return data_->folder + "/" + folder_of(kind) + "/" + std::string(name) + ".json";
}

std::vector<ProjectDocument> Project::documents(DocumentKind kind) const {
    std::vector<ProjectDocument> documents;
    std::error_code error;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(data_->folder + "/" + folder_of(kind), error)) {
        const fs::path& path = entry.path();
        if (path.extension() != ".json" || path.filename().string().front() == '.') continue;
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        documents.push_back({.kind = kind,
                             .name = path.stem().string(),
                             .file = path.string(),
                             .modified_ns = static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                                            status.st_mtim.tv_nsec});
    }
    std::sort(documents.begin(), documents.end(),
              [](const ProjectDocument& a, const ProjectDocument& b) { return a.name < b.name; });
    return documents;
}

std::vector<RunEntry> Project::runs() const {
    const std::scoped_lock held(data_->mutex);
    if (!std::exchange(data_->loaded, true)) data_->index = load_index(data_->folder);
    std::map<std::string, IndexedRun> changed;
    std::map<std::string, IndexedRun> seen;
    std::vector<RunEntry> entries;
    std::error_code error;
    for (const fs::directory_entry& found : fs::directory_iterator(data_->folder + "/runs", error)) {
        const RunFolder folder(found.path().string());
        if (!folder.exists()) continue;  // being made by another process, or no run
        const auto known = data_->index.find(folder.name());
        IndexedRun run{
            .plan_stamp = stamp_of(folder.plan_file()), .store_stamp = store_stamp_of(folder), .entry = {}};
        const bool same_plan = known != data_->index.end() && known->second.plan_stamp == run.plan_stamp;
        if (same_plan && known->second.store_stamp == run.store_stamp) {
            run.entry = known->second.entry;
        } else {
            run.entry = same_plan ? known->second.entry : read_entry(folder);
            if (!run.entry.problem) read_status_into(run.entry);
            // Only what nobody changes any more can be answered without looking.
            if (!is_final(run.entry.status.state)) run.store_stamp.clear();
            if (!run.entry.problem && (known == data_->index.end() || !(known->second == run)))
                changed[folder.name()] = run;
        }
        entries.push_back(run.entry);
        if (!run.entry.problem) seen[folder.name()] = std::move(run);
    }
    std::vector<std::string> gone;
    for (const auto& [name, run] : data_->index)
        if (!seen.contains(name)) gone.push_back(name);
    save_index(data_->folder, changed, gone);
    data_->index = std::move(seen);
    std::sort(entries.begin(), entries.end(), [](const RunEntry& a, const RunEntry& b) {
        return std::tie(a.created, a.id) < std::tie(b.created, b.id);
    });
    return entries;
}

Result<RunFolder> Project::find_run(std::string_view text) const {
    const std::string name(text);
    if (name.empty()) return fail(ErrorKind::invalid_input, "no run was named", data_->folder);
    if (name.find('/') != std::string::npos || name == "." || name == "..") {
        RunFolder folder(name);
        if (folder.exists()) return folder;
        return fail(ErrorKind::not_found, "there is no run here (no plan.json)", folder.path());
    }
    if (RunFolder exact(data_->folder + "/runs/" + name); exact.exists()) return exact;
    std::vector<RunEntry> candidates;
    const RunEntry* named = nullptr;
    const std::vector<RunEntry> all = runs();
    for (const RunEntry& entry : all) {
        if (entry.id.str().starts_with(name)) candidates.push_back(entry);
        if (entry.name == name) named = &entry;
    }
    if (named != nullptr) return named->folder;
    if (candidates.size() == 1) return candidates.front().folder;
    if (candidates.empty())
        return fail(ErrorKind::not_found, "no run is called '" + name + "'", data_->folder,
                    "`run list` shows the runs of a project");
    std::string list;
    for (const RunEntry& entry : candidates) list += (list.empty() ? "" : ", ") + entry.id.str();
    return fail(ErrorKind::invalid_input, "'" + name + "' may be any of " + list, data_->folder);
}

Result<RunFolder> Project::add_run(RunPlan plan) const {
    const std::string parent = data_->folder + "/runs";
    if (Result<void> made = make_folder(parent); !made) return fail(std::move(made.error()));
    if (plan.created.empty()) plan.created = utc_now();
    for (std::size_t attempt = 0; attempt < 1000; ++attempt) {
        const std::string id = random_id(4 + attempt / 50);
        const std::string path = parent + "/" + id;
        // mkdir() succeeds for one process only: that is the lock.
        if (::mkdir(path.c_str(), 0755) != 0) {
            if (errno == EEXIST) continue;
            return fail(error_from_errno(errno, "cannot make the run's folder", path));
        }
        plan.id = RunId(id);
        Result<RunFolder> folder = create_run_folder(path, plan);
        if (!folder) {
            std::error_code error;
            fs::remove_all(path, error);
        }
        return folder;
    }
    return fail(ErrorKind::internal, "found no free id for a run", parent);
}

Result<std::string> Project::remove_run(const RunFolder& folder, Removal removal) const {
    if (!folder.exists()) return fail(ErrorKind::not_found, "there is no run here", folder.path());
    Result<RunLock> lock = RunLock::take(folder);
    if (!lock) return fail(std::move(lock.error()));
    const std::string trash = data_->folder + "/.trash";
    if (Result<void> made = make_folder(trash); !made) return fail(std::move(made.error()));
    // Renamed first in both cases, so that no list ever shows half a run.
    const std::string target = trash + "/" + folder.name() + "." + random_id(8);
    if (::rename(folder.path().c_str(), target.c_str()) != 0)
        return fail(error_from_errno(errno, "cannot remove the run", folder.path()));
    if (removal == Removal::to_trash) return target;
    std::error_code error;
    fs::remove_all(target, error);
    if (error) return fail(error_from_errno(error.value(), "cannot remove the run's files", target));
    return std::string();
}

Result<RunFolder> Project::restore_run(const std::string& trashed) const {
    const RunFolder from(trashed);
    if (!from.exists()) return fail(ErrorKind::not_found, "there is no removed run here", from.path());
    const std::string name = from.name().substr(0, from.name().rfind('.'));
    RunFolder to(data_->folder + "/runs/" + name);
    std::error_code error;
    if (fs::exists(to.path(), error))
        return fail(ErrorKind::already_exists, "another run has its id now", to.path());
    if (::rename(from.path().c_str(), to.path().c_str()) != 0)
        return fail(error_from_errno(errno, "cannot restore the run", to.path()));
    return to;
}

}  // namespace braid
