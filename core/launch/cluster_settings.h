// What a job asks of a cluster: <project>/cluster.json, so that nobody types it twice; options go before it.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/spec/parameter.h"

namespace braid {

inline constexpr int cluster_settings_schema_version = 1;

// partition, account, qos, time, memory, gpus_per_job, cpus_per_job, at_once, warn_before
const std::vector<ParameterDescription>& cluster_parameters();

struct ClusterSettings {
    ParameterValues values = {};
    std::vector<std::string> sbatch = {};  // further "#SBATCH" lines: "--constraint=h100"
    std::vector<std::string> setup = {};   // shell lines before the engine: "module load cuda"
    bool operator==(const ClusterSettings&) const = default;

    std::string text(std::string_view key) const { return values.text(key, cluster_parameters()); }
    std::int64_t integer(std::string_view key) const { return values.integer(key, cluster_parameters()); }
};

// Every problem: values beyond their limits, a time or memory that Slurm cannot read, line breaks.
Diagnostics validate(const ClusterSettings& settings);

Json to_json(const ClusterSettings& settings);
Checked<ClusterSettings> cluster_settings_from_json(const Json& json);

std::string cluster_settings_file(const std::string& project_folder);
// The defaults where there is no file.
Result<ClusterSettings> read_cluster_settings(const std::string& project_folder);
Result<void> write_cluster_settings(const std::string& project_folder, const ClusterSettings& settings);

}  // namespace braid
