#include "app/engine/cli/checkpoint_argument.h"

#include <charconv>
#include <filesystem>

#include "app/engine/cli/project_argument.h"
#include "core/base/json.h"
#include "core/engine/checkpoint.h"
#include "core/mixers/builtin.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

Result<CheckpointChoice> read_folder(const std::string& folder) {
    const std::string file = folder + "/architecture.json";
    const Result<Json> json = read_json(file);
    if (!json) return fail(json.error());
    Checked<ArchitectureSpec> architecture = architecture_from_json(*json);
    if (!architecture) return fail(to_error(architecture.error(), file));
    CheckpointChoice choice{.origin = {.folder = fs::absolute(folder).lexically_normal().string(),
                                       .architecture_hash = content_hash(*architecture, builtin_mixers())},
                            .architecture = std::move(*architecture)};
    if (const Result<CheckpointState> state = read_checkpoint_state(folder)) choice.origin.step = state->step;
    const fs::path parent = fs::path(choice.origin.folder).parent_path();
    if (const RunFolder run(parent.parent_path().string());
        parent.filename() == "checkpoints" && run.exists()) {
        choice.origin.run = run.name();
        choice.run = run;
    }
    return choice;
}

std::string list_of(const std::vector<Step>& steps) {
    std::string text;
    for (const Step step : steps) text += (text.empty() ? "" : ", ") + std::to_string(step.value);
    return text.empty() ? "it has no checkpoint" : "it has checkpoints at " + text;
}

}  // namespace

Result<CheckpointChoice> find_checkpoint(const std::string& text, const std::string& given_project) {
    std::error_code ignored;
    if (fs::exists(fs::path(text) / "model.safetensors", ignored)) return read_folder(text);
    const std::size_t at = text.rfind('@');
    const Result<RunFolder> run = find_run(text.substr(0, at), given_project);
    if (!run) return fail(run.error());
    const std::vector<Step> steps = list_checkpoints(run->checkpoints_folder());
    std::optional<Step> step;
    if (at != std::string::npos) {
        const std::string_view digits = std::string_view(text).substr(at + 1);
        std::int64_t wanted = -1;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), wanted);
        for (const Step one : steps)
            if (read.ec == std::errc{} && read.ptr == digits.data() + digits.size() && one.value == wanted)
                step = one;
    } else if (!steps.empty()) {
        step = steps.front();
    }
    if (!step)
        return fail(ErrorKind::not_found, "no such checkpoint: " + text + "; " + list_of(steps), run->path());
    Result<CheckpointChoice> choice = read_folder(run->checkpoint_folder(*step));
    if (choice) {
        choice->origin.run = run->name();
        choice->run = *run;
    }
    return choice;
}

}  // namespace braid::cli
