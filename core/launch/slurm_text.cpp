#include "core/launch/slurm_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace braid {
namespace {

constexpr std::array<std::pair<std::string_view, TaskPhase>, 24> phases = {{
    {"PENDING", TaskPhase::waiting},      {"REQUEUED", TaskPhase::waiting},
    {"REQUEUE_HOLD", TaskPhase::waiting}, {"REQUEUE_FED", TaskPhase::waiting},
    {"SPECIAL_EXIT", TaskPhase::waiting}, {"RESV_DEL_HOLD", TaskPhase::waiting},
    {"CONFIGURING", TaskPhase::working},  {"RUNNING", TaskPhase::working},
    {"COMPLETING", TaskPhase::working},   {"RESIZING", TaskPhase::working},
    {"SIGNALING", TaskPhase::working},    {"STAGE_OUT", TaskPhase::working},
    {"STOPPED", TaskPhase::working},      {"SUSPENDED", TaskPhase::working},
    {"COMPLETED", TaskPhase::done},       {"FAILED", TaskPhase::failed},
    {"OUT_OF_MEMORY", TaskPhase::failed}, {"DEADLINE", TaskPhase::failed},
    {"CANCELLED", TaskPhase::stopped},    {"BOOT_FAIL", TaskPhase::lost},
    {"NODE_FAIL", TaskPhase::lost},       {"PREEMPTED", TaskPhase::lost},
    {"REVOKED", TaskPhase::lost},         {"TIMEOUT", TaskPhase::lost},
}};

// At most `most` parts; the last holds the rest of the line.
std::vector<std::string_view> cells_of(std::string_view line, std::size_t most) {
    std::vector<std::string_view> cells;
    while (cells.size() + 1 < most) {
        const std::size_t end = line.find('|');
        if (end == std::string_view::npos) break;
        cells.push_back(line.substr(0, end));
        line.remove_prefix(end + 1);
    }
    cells.push_back(line);
    return cells;
}

template <class Each>
void for_lines(std::string_view text, const Each& each) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
        if (!line.empty()) each(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size() || value < 0)
        return std::nullopt;
    return value;
}

bool is_job(std::string_view text) { return whole_number(text).value_or(0) > 0; }

std::string plain(std::string_view text) {
    return text == "(null)" || text == "None" || text == "None assigned" ? std::string() : std::string(text);
}

bool has(std::string_view text, std::string_view part) {
    const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

TaskPhase phase_of(std::string_view state) {
    const std::string_view word = state.substr(0, state.find_first_of(" +"));
    for (const auto& [known, phase] : phases)
        if (word == known) return phase;
    return TaskPhase::working;
}

std::vector<TaskReport> parse_squeue(std::string_view text) {
    std::vector<TaskReport> reports;
    for_lines(text, [&](std::string_view line) {
        const std::vector<std::string_view> cells = cells_of(line, 5);
        if (cells.size() != 5 || !is_job(cells[0]) || cells[2].empty()) return;
        const std::optional<std::int64_t> task = whole_number(cells[1]);
        if (!task) return;
        reports.push_back({.job = std::string(cells[0]),
                           .task = *task,
                           .phase = phase_of(cells[2]),
                           .word = std::string(cells[2]),
                           .reason = plain(cells[4]),
                           .node = plain(cells[3])});
    });
    return reports;
}

std::vector<TaskReport> parse_sacct(std::string_view text) {
    std::vector<TaskReport> reports;
    for_lines(text, [&](std::string_view line) {
        const std::vector<std::string_view> cells = cells_of(line, 3);
        if (cells.size() != 3 || cells[1].empty()) return;
        const std::size_t mark = cells[0].find('_');
        if (mark == std::string_view::npos || !is_job(cells[0].substr(0, mark))) return;
        const std::optional<std::int64_t> task = whole_number(cells[0].substr(mark + 1));
        if (!task) return;
        reports.push_back({.job = std::string(cells[0].substr(0, mark)),
                           .task = *task,
                           .phase = phase_of(cells[1]),
                           .word = std::string(cells[1]),
                           .node = plain(cells[2])});
    });
    return reports;
}

std::optional<std::string> parse_sbatch(std::string_view text) {
    std::optional<std::string> job;
    // A site may print greetings around it; the last line that is a job counts.
    for_lines(text, [&](std::string_view line) {
        const std::string_view id = line.substr(0, line.find(';'));
        if (is_job(id)) job = std::string(id);
    });
    return job;
}

std::string hint_for_refusal(std::string_view words) {
    struct Known {
        std::string_view part, hint;
    };
    static constexpr std::array<Known, 12> known = {{
        {"invalid partition", "`sinfo -s` lists the partitions: --partition P, or partition in cluster.json"},
        {"invalid account",
         "`sacctmgr show associations user=$USER` lists the accounts: --account A, or account in "
         "cluster.json"},
        {"invalid qos", "`sacctmgr show qos` lists them: --qos Q, or qos in cluster.json"},
        {"unable to contact", "Is Slurm's controller up? `scontrol ping` tells; then give the command again"},
        {"connection refused",
         "Is Slurm's controller up? `scontrol ping` tells; then give the command again"},
        {"zero bytes were transmitted", "Is munge at work here? `munge -n | unmunge` tells"},
        {"munge", "Is munge at work here? `munge -n | unmunge` tells"},
        {"time limit",
         "`sinfo -s` shows the longest time of each partition: --time T; longer runs are queued again"},
        {"submit limit",
         "You have as many jobs as you may: wait, or submit part of the study with --only RULE"},
        {"violates", "A limit of your account: lower --gpus-per-job, --cpus-per-job, --time, or wait"},
        {"job array",
         "The cluster takes fewer tasks in one job (MaxArraySize): submit part of it with --only RULE"},
        {"configuration is not available",
         "No node has that much: lower --gpus-per-job, --cpus-per-job or --memory (`sinfo -o \"%P %G %c "
         "%m\"`)"},
    }};
    for (const Known& each : known)
        if (has(words, each.part)) return std::string(each.hint);
    return "Correct what it names (options of study run, or cluster.json) and give the command again";
}

}  // namespace braid
