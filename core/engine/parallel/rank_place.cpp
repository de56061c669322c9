#include "core/engine/parallel/rank_place.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace braid {
namespace {

constexpr int first_port = 20'000;  // of those that follow from a job: below the ephemeral ones of Linux
constexpr int ports = 12'000;

std::optional<int> whole_number(std::string_view text) {
    int value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
    return value;
}

class Reader {
public:
    Reader(const Environment& environment, std::string launcher)
        : environment_(environment), launcher_(std::move(launcher)) {}

    std::string text(const char* name) const {
        const char* value = environment_(name);
        return value == nullptr ? std::string() : std::string(value);
    }

    int number(const char* name, int low, int high, std::optional<int> standard = std::nullopt) {
        const std::string value = text(name);
        if (value.empty() && standard) return *standard;
        const std::optional<int> read = whole_number(value);
        if (read && *read >= low && *read <= high) return *read;
        std::string rule = "must be a whole number from ";
        rule.append(std::to_string(low)).append(" to ").append(std::to_string(high));
        problem(name, rule.append(" where ").append(launcher_).append(" starts ranks"), value);
        return low;
    }

    void problem(std::string name, std::string rule, const std::string& found) {
        problems_.push_back({.path = std::move(name),
                             .rule = std::move(rule),
                             .found = found.empty() ? std::string("nothing") : "\"" + found + "\""});
    }

    Checked<RankPlace> checked(RankPlace place) {
        place.launcher = launcher_;
        if (problems_.empty()) return place;
        return tl::unexpected(std::move(problems_));
    }

private:
    const Environment& environment_;
    std::string launcher_;
    Diagnostics problems_;
};

constexpr int most_ranks = 100'000;
constexpr int last_port = 65'535;

int port_of_job(std::string_view job) {
    std::uint32_t hash = 2'166'136'261U;  // FNV-1a: the same in every process of the job
    for (const char c : job) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
    return first_port + static_cast<int>(hash % static_cast<std::uint32_t>(ports));
}

// "2(x3),1": tasks a node -> those of the node with this index.
int tasks_of_node(const std::string& text, int node) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string item = text.substr(at, end - at);
        const std::size_t times = item.find("(x");
        const int tasks = whole_number(item.substr(0, times)).value_or(1);
        const int nodes = times == std::string::npos
                              ? 1
                              : whole_number(item.substr(times + 2, item.find(')') - times - 2)).value_or(1);
        if (node < nodes) return tasks;
        node -= nodes;
        at = end + 1;
    }
    return 1;
}

Checked<RankPlace> of_torchrun(const Environment& environment) {
    Reader reader(environment, "torchrun");
    RankPlace place;
    place.size = reader.number("WORLD_SIZE", 1, most_ranks);
    place.rank = reader.number("RANK", 0, std::max(0, place.size - 1));
    place.local_rank = reader.number("LOCAL_RANK", 0, most_ranks, place.rank);
    place.local_size = reader.number("LOCAL_WORLD_SIZE", 1, most_ranks, 1);
    place.master = reader.text("MASTER_ADDR");
    if (place.master.empty()) reader.problem("MASTER_ADDR", "must name the host of rank 0", "");
    place.port = reader.number("MASTER_PORT", 1, last_port - 1);
    if (reader.text("TORCHELASTIC_USE_AGENT_STORE") == "True") ++place.port;
    return reader.checked(place);
}

Checked<RankPlace> of_slurm(const Environment& environment) {
    Reader reader(environment, "Slurm");
    RankPlace place;
    place.size = reader.number("SLURM_STEP_NUM_TASKS", 1, most_ranks);
    place.rank = reader.number("SLURM_PROCID", 0, std::max(0, place.size - 1));
    place.local_rank = reader.number("SLURM_LOCALID", 0, most_ranks);
    place.local_size = tasks_of_node(reader.text("SLURM_STEP_TASKS_PER_NODE"),
                                     reader.number("SLURM_NODEID", 0, most_ranks, 0));
    place.master = reader.text("MASTER_ADDR");
    if (place.master.empty()) {
        const std::string nodes = reader.text("SLURM_STEP_NODELIST");
        place.master = first_host(nodes);
        if (place.master.empty()) reader.problem("SLURM_STEP_NODELIST", "must name the nodes", nodes);
    }
    const std::string job = "slurm " + reader.text("SLURM_JOB_ID") + "." + reader.text("SLURM_STEP_ID");
    place.port = reader.number("MASTER_PORT", 1, last_port, port_of_job(job));
    return reader.checked(place);
}

Checked<RankPlace> of_mpirun(const Environment& environment) {
    Reader reader(environment, "mpirun");
    RankPlace place;
    place.size = reader.number("OMPI_COMM_WORLD_SIZE", 1, most_ranks);
    place.rank = reader.number("OMPI_COMM_WORLD_RANK", 0, std::max(0, place.size - 1));
    place.local_rank = reader.number("OMPI_COMM_WORLD_LOCAL_RANK", 0, most_ranks, place.rank);
    place.local_size = reader.number("OMPI_COMM_WORLD_LOCAL_SIZE", 1, most_ranks, 1);
    place.master = reader.text("MASTER_ADDR");
    if (place.master.empty()) {
        if (place.local_size < place.size)
            reader.problem("MASTER_ADDR",
                           "must name the host of rank 0 where mpirun uses several machines: mpirun -x "
                           "MASTER_ADDR=HOST",
                           "");
        place.master = "127.0.0.1";
    }
    std::string job = reader.text("PMIX_NAMESPACE");
    if (job.empty()) job = reader.text("OMPI_MCA_ess_base_jobid");
    place.port = reader.number("MASTER_PORT", 1, last_port, port_of_job("mpirun " + job));
    return reader.checked(place);
}

}  // namespace

std::string first_host(const std::string& node_list) {
    const std::size_t bracket = node_list.find('[');
    const std::size_t comma = node_list.find(',');
    if (bracket == std::string::npos || comma < bracket) return node_list.substr(0, comma);
    const std::size_t close = node_list.find(']', bracket);
    const std::size_t end = node_list.find_first_of("-,]", bracket);
    if (close == std::string::npos || end == bracket + 1) return {};
    std::string host = node_list.substr(0, bracket);
    host.append(node_list, bracket + 1, end - bracket - 1);
    // What follows the bracket belongs to every name: "n[1-2]-gpu".
    const std::size_t next = std::min(node_list.find(',', close), node_list.size());
    return host.append(node_list, close + 1, next - close - 1);
}

Checked<RankPlace> rank_place(const Environment& environment) {
    const auto set = [&](const char* name) {
        const char* value = environment(name);
        return value != nullptr && *value != '\0';
    };
    if (set("RANK") && set("WORLD_SIZE")) return of_torchrun(environment);
    if (set("OMPI_COMM_WORLD_SIZE")) return of_mpirun(environment);
    if (set("SLURM_STEP_NUM_TASKS") && set("SLURM_PROCID")) return of_slurm(environment);
    return RankPlace{};
}

Result<RankPlace> rank_place_of_process() {
    Checked<RankPlace> place = rank_place([](const char* name) { return std::getenv(name); });
    if (!place) return fail(to_error(place.error()));
    if (place->alone()) return RankPlace{};
    return std::move(*place);
}

}  // namespace braid
