#include "widgets/common/process_json.h"

namespace braid::ui {

Json processToJson(const ProcessIdentity& process) {
    return {{"host", process.host},
            {"boot_id", process.boot_id},
            {"pid_namespace", process.pid_namespace},
            {"pid", process.pid},
            {"start_time", process.start_time}};
}

std::optional<ProcessIdentity> processFromJson(const Json& json) {
    try {
        return ProcessIdentity{.host = json.at("host").get<std::string>(),
                               .boot_id = json.at("boot_id").get<std::string>(),
                               .pid_namespace = json.at("pid_namespace").get<std::uint64_t>(),
                               .pid = json.at("pid").get<std::int64_t>(),
                               .start_time = json.at("start_time").get<std::uint64_t>()};
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

}  // namespace braid::ui
