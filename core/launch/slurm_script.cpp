#include "core/launch/slurm_script.h"

#include "core/launch/command.h"

namespace braid {
namespace {

// Backslashes and quotes are read by sbatch as by a shell inside double quotes.
std::string option(const std::string& name, const std::string& value) {
    std::string line = "#SBATCH --" + name + "=\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') line += '\\';
        line += c;
    }
    return line + "\"\n";
}

std::string option(const std::string& name, std::int64_t value) {
    return "#SBATCH --" + name + "=" + std::to_string(value) + "\n";
}

}  // namespace

Checked<std::string> slurm_script(const JobArray& array) {
    const ClusterSettings& settings = array.settings;
    Diagnostics problems = validate(settings);
    if (array.folder.find('\n') != std::string::npos)
        problems.push_back(
            {.path = "folder", .rule = "must have no line break in its name", .found = array.folder});
    if (!problems.empty()) return tl::unexpected(std::move(problems));

    std::string range = "0-" + std::to_string(array.tasks - 1);
    if (const std::int64_t at_once = settings.integer("at_once"); at_once > 0)
        range.append("%").append(std::to_string(at_once));
    std::string text = "#!/bin/bash\n";
    text += option("job-name", array.name);
    text += "#SBATCH --array=" + range + "\n";
    // A relative name: in a folder's "%" Slurm would see a pattern.
    text += option("chdir", array.folder);
    text += option("output", array.name + "-%a.log");
    text += "#SBATCH --open-mode=append\n#SBATCH --requeue\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n";
    text += "#SBATCH --signal=B:USR1@" + std::to_string(settings.integer("warn_before")) + "\n";
    text += option("cpus-per-task", settings.integer("cpus_per_job"));
    if (const std::int64_t gpus = settings.integer("gpus_per_job"); gpus > 0)
        text += "#SBATCH --gres=gpu:" + std::to_string(gpus) + "\n";
    for (const auto& [key, name] :
         {std::pair("partition", "partition"), std::pair("account", "account"), std::pair("qos", "qos"),
          std::pair("time", "time"), std::pair("memory", "mem")})
        if (const std::string value = settings.text(key); !value.empty()) text += option(name, value);
    for (const std::string& line : settings.sbatch) text += "#SBATCH " + line + "\n";
    text += "\n";
    for (const std::string& line : settings.setup) text += line + "\n";
    // Until the engine listens to it, the warning must not end it.
    text += "trap '' USR1\n";
    text += "exec " + command_line(array.command) + " \"$SLURM_ARRAY_TASK_ID\"\n";
    return text;
}

}  // namespace braid
