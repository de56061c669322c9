#include "core/record/inbox.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json_reader.h"

namespace braid {
namespace {

constexpr std::size_t max_command_bytes = 1 << 20;
constexpr std::string_view suffix = ".json";

// Sorts in the order of posting: nanoseconds since 1970 in 20 digits, then who posted it.
std::string new_command_id() {
    static std::atomic<unsigned> counter{0};
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    char text[80];
    std::snprintf(text, sizeof text, "%020lld-%d-%u",
                  static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()),
                  static_cast<int>(::getpid()), counter.fetch_add(1));
    return text;
}

Checked<InboxCommand> command_from_json(const Json& json, std::string id) {
    Diagnostics problems;
    JsonReader reader(json, "", problems);
    InboxCommand command{.id = std::move(id), .arguments = Json::object()};
    reader.require("command");
    reader.text("command", command.kind);
    reader.text("created", command.created);
    if (const Json* arguments = reader.find("arguments")) {
        if (arguments->is_object())
            command.arguments = *arguments;
        else
            reader.report("arguments", "must be an object", *arguments);
    }
    reader.refuse_unknown_keys();
    const std::vector<std::string> known = command_kinds();
    if (problems.empty() && std::find(known.begin(), known.end(), command.kind) == known.end())
        reader.report("command", "must be pause, resume, checkpoint, stop or capture", command.kind);
    if (!problems.empty()) return tl::unexpected<Diagnostics>(std::move(problems));
    return command;
}

// Out of the way, so that it is reported once; where even that fails it is deleted.
void move_aside(const RunFolder& folder, const std::string& name) {
    namespace fs = std::filesystem;
    const fs::path inbox = folder.inbox_folder();
    std::error_code error;
    fs::create_directories(inbox / "rejected", error);
    fs::rename(inbox / name, inbox / "rejected" / name, error);
    if (error) fs::remove_all(inbox / name, error);
}

// Names that are commands, in order. Hidden files are still being written; everything else is foreign.
std::vector<std::string> waiting_files(const std::string& inbox) {
    std::vector<std::string> names;
    DIR* stream = ::opendir(inbox.c_str());
    if (stream == nullptr) return names;
    while (const dirent* entry = ::readdir(stream)) {
        const std::string_view name = entry->d_name;
        if (name.front() == '.' || name == "rejected") continue;
        names.emplace_back(name);
    }
    ::closedir(stream);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::vector<std::string> command_kinds() { return {"pause", "resume", "checkpoint", "stop", "capture"}; }

Result<std::string> post_command(const RunFolder& folder, std::string_view kind, Json arguments) {
    const std::vector<std::string> known = command_kinds();
    if (std::find(known.begin(), known.end(), kind) == known.end())
        return fail(ErrorKind::invalid_input, "no command is called '" + std::string(kind) + "'",
                    folder.path(), "There are pause, resume, checkpoint, stop and capture");
    if (!folder.exists()) return fail(ErrorKind::not_found, "there is no run here", folder.path());
    if (Result<void> made = make_folder(folder.inbox_folder()); !made) return fail(std::move(made.error()));
    const std::string id = new_command_id();
    const Json json = {{"command", kind}, {"arguments", std::move(arguments)}, {"created", utc_now_ms()}};
    const std::string hidden = folder.inbox_folder() + "/." + id + std::string(suffix);
    const std::string visible = folder.inbox_folder() + "/" + id + std::string(suffix);
    if (Result<void> written = write_json_atomically(hidden, json); !written)
        return fail(std::move(written.error()));
    if (::rename(hidden.c_str(), visible.c_str()) != 0) {
        const int error = errno;
        ::unlink(hidden.c_str());
        return fail(error_from_errno(error, "cannot post the command", visible));
    }
    return id;
}

TakenCommands take_commands(const RunFolder& folder) {
    TakenCommands taken;
    for (const std::string& name : waiting_files(folder.inbox_folder())) {
        const std::string file = folder.inbox_folder() + "/" + name;
        const auto reject = [&](Error error) {
            error.hint = "It was moved to inbox/rejected";
            taken.rejected.push_back(std::move(error));
            move_aside(folder, name);
        };
        std::error_code error;
        if (!name.ends_with(suffix) ||
            !std::filesystem::is_regular_file(std::filesystem::symlink_status(file, error))) {
            reject({.kind = ErrorKind::invalid_input, .message = "is not a command", .path = file});
            continue;
        }
        Result<Json> json = read_file(file, max_command_bytes).and_then([&](const std::string& text) {
            return parse_json(text, file);
        });
        if (!json) {
            reject(std::move(json.error()));
            continue;
        }
        Checked<InboxCommand> command = command_from_json(*json, name.substr(0, name.size() - suffix.size()));
        if (!command) {
            reject(to_error(command.error(), file));
            continue;
        }
        // A command that cannot be removed would be obeyed again and again.
        if (::unlink(file.c_str()) != 0) {
            taken.rejected.push_back(error_from_errno(errno, "cannot remove the command", file));
            continue;
        }
        taken.commands.push_back(std::move(*command));
    }
    return taken;
}

}  // namespace braid
