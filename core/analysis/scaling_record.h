// A fit as a file of its project, so that views and figures draw it without fitting again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/scaling_report.h"
#include "core/base/json.h"

namespace braid {

inline constexpr int scaling_record_version = 1;

struct ScalingRecord {
    std::string study = {};
    std::string metric = {};                 // what was fitted: "eval/loss"
    std::string created = {};                // ISO 8601, UTC
    std::string command = {};                // that makes it again
    std::vector<std::string> left_out = {};  // points of the study that could not be used, and why
    ScalingReport report = {};
};

Json to_json(const ScalingRecord& record);
// Everything that to_json() wrote, number by number; every problem. A newer version is one diagnostic.
Checked<ScalingRecord> scaling_record_from_json(const Json& json);

// <project>/fits/<study>/<metric>.json; '/' in a metric is written '-'.
std::string scaling_record_file(std::string_view project_folder, std::string_view study,
                                std::string_view metric);
Result<ScalingRecord> read_scaling_record(const std::string& file);
Result<void> write_scaling_record(const std::string& file, const ScalingRecord& record);
// Of one study, by metric; what cannot be read is passed over.
std::vector<ScalingRecord> scaling_records(std::string_view project_folder, std::string_view study);

}  // namespace braid
