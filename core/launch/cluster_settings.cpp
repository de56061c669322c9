#include "core/launch/cluster_settings.h"

#include <algorithm>
#include <filesystem>

#include "core/base/json_reader.h"

namespace braid {
namespace {

// "90", "90:00", "2:00:00", "1-12", "1-12:30:00", "infinite": minutes, or days-hours.
bool is_time(std::string_view text) {
    if (text == "infinite" || text == "UNLIMITED") return true;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.empty() || !is_digit(text.front()) || !is_digit(text.back())) return false;
    std::size_t dashes = 0, colons = 0;
    char before = '0';
    for (const char c : text) {
        if (!is_digit(c) && !is_digit(before)) return false;
        if (c == '-' && (colons > 0 || ++dashes > 1)) return false;
        if (c == ':' && ++colons > 2) return false;
        if (!is_digit(c) && c != '-' && c != ':') return false;
        before = c;
    }
    return true;
}

// "16G", "500000M", "64000"
bool is_memory(std::string_view text) {
    if (!text.empty() && std::string_view("KMGTkmgt").find(text.back()) != std::string_view::npos)
        text.remove_suffix(1);
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool has_line_break(const std::string& text) {
    return text.find_first_of(std::string_view("\n\r\0", 3)) != std::string::npos;
}

void read_lines(JsonReader& reader, const std::string& key, std::vector<std::string>& lines) {
    const Json* json = reader.find(key);
    if (json == nullptr) return;
    if (!json->is_array() ||
        !std::all_of(json->begin(), json->end(), [](const Json& line) { return line.is_string(); })) {
        reader.report(reader.place(key), "must be a list of texts", *json);
        return;
    }
    lines = json->get<std::vector<std::string>>();
}

}  // namespace

const std::vector<ParameterDescription>& cluster_parameters() {
    static const std::vector<ParameterDescription> parameters = {
        {.key = "partition",
         .label = "Partition",
         .help = "Where the jobs wait",
         .default_value = std::string()},
        {.key = "account", .label = "Account", .help = "Who pays", .default_value = std::string()},
        {.key = "qos", .label = "QOS", .help = "Quality of service", .default_value = std::string()},
        {.key = "time",
         .label = "Time limit",
         .help = "Of a job: 12:00:00, 1-0; a run that needs longer is saved and queued again",
         .default_value = std::string()},
        {.key = "memory", .label = "Memory", .help = "Of a job: 64G", .default_value = std::string()},
        {.key = "gpus_per_job",
         .label = "GPUs",
         .help = "Of a job; 0: trained on the CPU",
         .default_value = std::int64_t{-1},
         .minimum = -1,
         .maximum = 64},
        {.key = "cpus_per_job",
         .label = "CPUs",
         .help = "Of a job",
         .default_value = std::int64_t{1},
         .minimum = 1,
         .maximum = 4'096},
        {.key = "at_once",
         .label = "Jobs at once",
         .help = "At most; 0: as many as Slurm lets work",
         .default_value = std::int64_t{0},
         .minimum = 0,
         .maximum = 100'000},
        {.key = "warn_before",
         .label = "Warning",
         .unit = "s",
         .help = "Seconds before the time limit at which a run saves its work",
         .default_value = std::int64_t{120},
         .minimum = 10,
         .maximum = 65'535},
    };
    return parameters;
}

Diagnostics validate(const ClusterSettings& settings) {
    Diagnostics problems = check_parameters(settings.values, cluster_parameters(), "a cluster", "");
    if (!problems.empty()) return problems;
    const auto problem = [&](const std::string& key, const std::string& rule, const std::string& found) {
        problems.push_back({.path = key, .rule = rule, .found = "\"" + found + "\""});
    };
    for (const char* key : {"partition", "account", "qos", "time", "memory"})
        if (has_line_break(settings.text(key))) problem(key, "must be one line", settings.text(key));
    if (const std::string time = settings.text("time"); !time.empty() && !is_time(time))
        problem("time", "must be a time as Slurm reads it: minutes, 12:00:00, or days-hours as 1-12", time);
    if (const std::string memory = settings.text("memory"); !memory.empty() && !is_memory(memory))
        problem("memory", "must be a number of megabytes, or as 64G", memory);
    for (const std::string& line : settings.sbatch)
        if (has_line_break(line) || !line.starts_with('-'))
            problem("sbatch", "must be one option of sbatch, as --constraint=h100", line);
    for (const std::string& line : settings.setup)
        if (has_line_break(line)) problem("setup", "must be one line of shell", line);
    return problems;
}

Json to_json(const ClusterSettings& settings) {
    Json json = {{"schema_version", cluster_settings_schema_version}};
    for (const auto& [key, value] : settings.values) json[key] = to_json(value);
    if (!settings.sbatch.empty()) json["sbatch"] = settings.sbatch;
    if (!settings.setup.empty()) json["setup"] = settings.setup;
    return json;
}

Checked<ClusterSettings> cluster_settings_from_json(const Json& json) {
    ClusterSettings settings;
    Diagnostics problems;
    JsonReader reader(json, "", problems);
    if (!reader.is_object() || !reader.schema_version(cluster_settings_schema_version))
        return tl::unexpected(std::move(problems));
    for (const ParameterDescription& parameter : cluster_parameters())
        if (const Json* found = reader.find(parameter.key)) {
            ParameterValue value;
            const std::size_t before = problems.size();
            reader.take(parameter.key, parameter_from_json(*found, ""), value);
            if (problems.size() == before) settings.values.set(parameter.key, coerced(parameter, value));
        }
    read_lines(reader, "sbatch", settings.sbatch);
    read_lines(reader, "setup", settings.setup);
    reader.refuse_unknown_keys();
    if (problems.empty()) problems = validate(settings);
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return settings;
}

std::string cluster_settings_file(const std::string& project_folder) {
    return project_folder + "/cluster.json";
}

Result<ClusterSettings> read_cluster_settings(const std::string& project_folder) {
    const std::string file = cluster_settings_file(project_folder);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return ClusterSettings{};
    const Result<Json> json = read_json(file);
    if (!json) return fail(json.error());
    Checked<ClusterSettings> settings = cluster_settings_from_json(*json);
    if (!settings) return fail(to_error(settings.error(), file));
    return std::move(*settings);
}

Result<void> write_cluster_settings(const std::string& project_folder, const ClusterSettings& settings) {
    return write_json_atomically(cluster_settings_file(project_folder), to_json(settings));
}

}  // namespace braid
