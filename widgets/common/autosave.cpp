#include "widgets/common/autosave.h"

#include <filesystem>

#include "core/base/file.h"
#include "core/base/json.h"
#include "widgets/common/process_json.h"

namespace braid::ui {

namespace fs = std::filesystem;

namespace {

std::string autosaveFolder(const std::string& project) { return project + "/.autosave"; }

// Damaged, or another's file: what can be read of the architecture is offered.
bool isOwnerAlive(const Json& json) {
    if (!json.contains("process")) return false;
    const std::optional<ProcessIdentity> process = processFromJson(json.at("process"));
    return process && look_up(*process) == ProcessState::alive;
}

}  // namespace

std::string autosaveFile(const std::string& projectFolder, const std::string& name) {
    return autosaveFolder(projectFolder) + "/" + name + ".json";
}

Result<void> writeAutosave(const std::string& projectFolder, const std::string& name,
                           const ArchitectureSpec& spec) {
    if (Result<void> made = make_folder(autosaveFolder(projectFolder)); !made) return made;
    return write_json_atomically(
        autosaveFile(projectFolder, name),
        {{"process", processToJson(this_process())}, {"architecture", to_json(spec)}});
}

void removeAutosave(const std::string& projectFolder, const std::string& name) {
    std::error_code ignored;  // it may not exist
    fs::remove(autosaveFile(projectFolder, name), ignored);
}

std::map<std::string, std::shared_ptr<const ArchitectureSpec>> leftAutosaves(
    const std::string& projectFolder) {
    std::map<std::string, std::shared_ptr<const ArchitectureSpec>> result;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(autosaveFolder(projectFolder), error)) {
        if (entry.path().extension() != ".json") continue;
        const Result<Json> json = read_json(entry.path().string());
        if (!json || !json->is_object() || !json->contains("architecture") || isOwnerAlive(*json)) continue;
        Checked<ArchitectureSpec> spec = architecture_from_json(json->at("architecture"));
        if (spec)
            result[entry.path().stem().string()] = std::make_shared<const ArchitectureSpec>(std::move(*spec));
    }
    return result;
}

}  // namespace braid::ui
