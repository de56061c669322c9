#include "core/record/run_folder.h"

#include <cinttypes>
#include <cstdio>
#include <filesystem>

#include "core/base/file.h"

namespace braid {
namespace fs = std::filesystem;

RunFolder::RunFolder(std::string path) {
    std::error_code error;
    fs::path absolute = fs::absolute(fs::path(path), error);
    if (error) absolute = std::move(path);
    absolute = absolute.lexically_normal();
    if (!absolute.has_filename() && absolute.has_relative_path()) absolute = absolute.parent_path();
    path_ = absolute.string();
}

std::string RunFolder::name() const { return fs::path(path_).filename().string(); }

std::string RunFolder::checkpoint_folder(Step step) const {
    char text[40];
    std::snprintf(text, sizeof text, "/step-%08" PRId64, step.value);
    return checkpoints_folder() + text;
}

bool RunFolder::exists() const {
    std::error_code error;
    return fs::is_regular_file(plan_file(), error);
}

Result<RunFolder> create_run_folder(const std::string& path, const RunPlan& plan) {
    RunFolder folder(path);
    if (folder.exists())
        return fail(ErrorKind::already_exists, "there is a run in it already", folder.path(),
                    "Choose another folder, or continue that run");
    for (const std::string& part : {folder.path(), folder.inbox_folder(), folder.checkpoints_folder()})
        if (Result<void> made = make_folder(part); !made) return fail(std::move(made.error()));
    if (Result<void> written = write_plan(folder.plan_file(), plan); !written)
        return fail(std::move(written.error()));
    return folder;
}

}  // namespace braid
