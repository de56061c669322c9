#include "core/record/run_status.h"

#include <array>
#include <utility>

#include "core/record/run_reader.h"

namespace braid {
namespace {

constexpr std::array<std::pair<RunState, std::string_view>, 7> names = {{
    {RunState::planned, "planned"},
    {RunState::running, "running"},
    {RunState::paused, "paused"},
    {RunState::finished, "finished"},
    {RunState::failed, "failed"},
    {RunState::cancelled, "cancelled"},
    {RunState::lost, "lost"},
}};

}  // namespace

std::string_view to_text(RunState state) {
    for (const auto& [known, name] : names)
        if (known == state) return name;
    return "failed";
}

std::optional<RunState> run_state_from_text(std::string_view text) {
    for (const auto& [known, name] : names)
        if (name == text) return known;
    return std::nullopt;
}

bool is_final(RunState state) {
    return state == RunState::finished || state == RunState::failed || state == RunState::cancelled;
}

Result<RunStatus> read_run_status(const RunFolder& folder) {
    RunReader reader(folder, {.series = false, .events = false});
    const std::shared_ptr<const RunSnapshot> snapshot = reader.poll();
    if (snapshot->problem) return fail(*snapshot->problem);
    return snapshot->status;
}

}  // namespace braid
