// Options of a verb that gives work to a cluster: those of the project's cluster.json, with what the command
// line says in their place.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/engine/cli/command_line.h"
#include "core/launch/cluster_settings.h"

namespace braid::cli {

struct ClusterOptions {
    std::string on = "local";
    std::map<std::string, std::string> texts = {};  // by key of cluster_parameters()
    std::vector<std::string> sbatch = {}, setup = {};
    bool remember = false;
    bool detach = false;
};

void add_cluster_options(CLI::App& verb, ClusterOptions& options);

// Every problem; --remember writes them to the project. An option without --on slurm is a problem.
Result<ClusterSettings> cluster_settings(const ClusterOptions& options, const std::string& project_folder);

}  // namespace braid::cli
