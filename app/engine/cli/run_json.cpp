#include "app/engine/cli/run_json.h"

#include <array>
#include <cmath>

namespace braid::cli {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const RunStatus& status) {
    Json json = {{"state", to_text(status.state)},
                 {"step", status.step.value},
                 {"message", status.message},
                 {"attempt", status.attempt.value},
                 {"started", status.started},
                 {"ended", status.ended},
                 {"updated", status.updated},
                 {"checkpoint", status.checkpoint ? Json(status.checkpoint->value) : Json(nullptr)},
                 {"process", {{"host", status.process.host}, {"pid", status.process.pid}}},
                 {"metrics", Json::object()}};
    for (const auto& [metric, value] : status.latest) json["metrics"][metric] = number(value);
    return json;
}

Json to_json(const RunEntry& entry) {
    Json json = {{"id", entry.id.str()},          {"name", entry.name},
                 {"folder", entry.folder.path()}, {"created", entry.created},
                 {"study", entry.study.str()},    {"point", entry.point},
                 {"steps", entry.steps},          {"status", to_json(entry.status)}};
    if (entry.problem) json["problem"] = describe(*entry.problem);
    return json;
}

Json to_json(const Attempt& attempt) {
    return {{"number", attempt.number.value},
            {"from", attempt.from.value < 0 ? Json(nullptr) : Json(attempt.from.value)},
            {"host", attempt.process.host},
            {"pid", attempt.process.pid},
            {"started", attempt.started},
            {"ended", attempt.ended}};
}

Json to_json(const CheckpointRecord& checkpoint) {
    return {{"step", checkpoint.step.value},
            {"attempt", checkpoint.attempt.value},
            {"folder", checkpoint.folder},
            {"bytes", checkpoint.bytes},
            {"time", checkpoint.time}};
}

Json to_json(const RunEvent& event) {
    static constexpr std::array levels = {"debug", "info", "warning", "error"};
    Json json = {{"time", event.time},       {"attempt", event.attempt.value},
                 {"step", event.step.value}, {"level", levels[static_cast<std::size_t>(event.level)]},
                 {"kind", event.kind},       {"message", event.message}};
    if (!event.details.is_null()) json["details"] = event.details;
    return json;
}

Json to_json(const CommandRecord& command) {
    return {{"id", command.id},
            {"kind", command.kind},
            {"received", command.received},
            {"acknowledged", command.acknowledged},
            {"done", command.done},
            {"answer", command.answer}};
}

}  // namespace braid::cli
