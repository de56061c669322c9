#include "app/engine/verbs/cluster_options.h"

#include <algorithm>

namespace braid::cli {
namespace {

std::string option_name(const std::string& key) {
    std::string name = "--" + key;
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

}  // namespace

void add_cluster_options(CLI::App& verb, ClusterOptions& options) {
    const std::string group = "On a cluster";
    verb.add_option("--on", options.on, "local, or slurm: as jobs of a cluster that shares this file system")
        ->check(CLI::IsMember({"local", "slurm"}))
        ->capture_default_str()
        ->group(group);
    for (const ParameterDescription& parameter : cluster_parameters())
        verb.add_option(option_name(parameter.key), options.texts[parameter.key], parameter.help)
            ->type_name(std::holds_alternative<std::string>(parameter.default_value) ? "TEXT" : "N")
            ->group(group);
    verb.add_option("--sbatch", options.sbatch, "A further option of sbatch: --sbatch=--constraint=h100")
        ->type_name("OPTION")
        ->allow_extra_args(false)
        ->group(group);
    verb.add_option("--setup", options.setup, "A line of shell before the engine: \"module load cuda\"")
        ->type_name("LINE")
        ->allow_extra_args(false)
        ->group(group);
    verb.add_flag("--remember", options.remember, "Keep these options in the project (cluster.json)")
        ->group(group);
    verb.add_flag("--detach", options.detach, "Return when all is submitted")->group(group);
}

Result<ClusterSettings> cluster_settings(const ClusterOptions& options, const std::string& project_folder) {
    Diagnostics problems;
    const bool local = options.on == "local";
    const auto given = [&](const std::string& name) {
        if (local) problems.push_back({.path = name, .rule = "is for --on slurm", .found = ""});
    };
    Result<ClusterSettings> settings = local ? ClusterSettings{} : read_cluster_settings(project_folder);
    if (!settings) return settings;
    for (const ParameterDescription& parameter : cluster_parameters()) {
        const std::string& text = options.texts.at(parameter.key);
        const std::string name = option_name(parameter.key);
        if (text.empty()) continue;
        given(name);
        const Checked<ParameterValue> value = parse_parameter(parameter, text, name);
        if (value)
            settings->values.set(parameter.key, *value);
        else
            problems.insert(problems.end(), value.error().begin(), value.error().end());
    }
    if (!options.sbatch.empty()) given("--sbatch");
    if (!options.setup.empty()) given("--setup");
    if (options.remember) given("--remember");
    if (options.detach) given("--detach");
    if (!options.sbatch.empty()) settings->sbatch = options.sbatch;
    if (!options.setup.empty()) settings->setup = options.setup;
    if (problems.empty()) problems = validate(*settings);
    if (!problems.empty()) return fail(to_error(problems));
    if (options.remember)
        if (Result<void> kept = write_cluster_settings(project_folder, *settings); !kept)
            return fail(std::move(kept.error()));
    return settings;
}

}  // namespace braid::cli
