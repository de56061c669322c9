#include "core/record/checkpoint_list.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr const char* step_prefix = "step-";

std::optional<Step> step_of_folder(const std::string& name) {
    if (!name.starts_with(step_prefix)) return std::nullopt;
    const std::string digits = name.substr(std::char_traits<char>::length(step_prefix));
    std::int64_t step = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() || step < 0)
        return std::nullopt;
    return Step(step);
}

}  // namespace

std::vector<Step> list_checkpoints(const std::string& checkpoints_folder) {
    std::vector<Step> steps;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(checkpoints_folder, ignored))
        if (const auto step = step_of_folder(entry.path().filename().string());
            step && entry.is_directory(ignored))
            steps.push_back(*step);
    std::sort(steps.rbegin(), steps.rend());
    return steps;
}

Result<WeightsOrigin> find_run_checkpoint(const RunFolder& run, std::optional<Step> step) {
    const std::vector<Step> steps = list_checkpoints(run.checkpoints_folder());
    if (steps.empty()) return fail(ErrorKind::not_found, "the run has no checkpoint", run.path());
    if (step && std::find(steps.begin(), steps.end(), *step) == steps.end()) {
        std::string known;
        for (const Step one : steps)
            known.append(known.empty() ? "" : ", ").append(std::to_string(one.value));
        return fail(ErrorKind::not_found,
                    "the run has no checkpoint at step " + std::to_string(step->value) + ", only at " + known,
                    run.path());
    }
    const Step chosen = step.value_or(steps.front());
    return WeightsOrigin{.folder = run.checkpoint_folder(chosen), .run = run.name(), .step = chosen};
}

}  // namespace braid
