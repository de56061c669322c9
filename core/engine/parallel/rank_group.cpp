#include "core/engine/parallel/rank_group.h"

#include <algorithm>
#include <map>
#include <thread>

#include "core/base/json_reader.h"
#include "core/engine/device.h"
#include "core/engine/ops.h"

namespace braid {
namespace {

Error not_understood() {
    return {.kind = ErrorKind::internal, .message = "what rank 0 said is not understood"};
}

// "cpu", or the id of a GPU.
std::string identity_of(const Ops& ops) {
    if (ops.device().is_cpu()) return "cpu";
    std::string name = "cuda:" + std::to_string(int{ops.device().index()});
    for (const DeviceInfo& device : list_devices(true, nullptr))
        if (device.name == name) return device.id;
    return name;
}

}  // namespace

Result<std::shared_ptr<Ops>> RankGroup::open_device(const TrainingSpec& training) {
    std::int64_t threads = training.threads;
    if (threads == 0 && place().local_size > 1)
        threads = std::max<std::int64_t>(
            1, static_cast<std::int64_t>(std::thread::hardware_concurrency()) / place().local_size);
    Result<std::shared_ptr<Ops>> ops = braid::open_device(training.device, threads, place().local_rank);
    if (!ops) return ops;
    if (Result<void> good = check_devices(**ops); !good) return fail(std::move(good.error()));
    Result<std::unique_ptr<Collective>> sums = open_collective(channel_, **ops);
    if (!sums) return fail(std::move(sums.error()));
    sums_ = std::move(*sums);
    return ops;
}

Result<void> RankGroup::check_devices(const Ops& ops) {
    const std::vector<std::string> devices = channel_.gather(identity_of(ops));
    std::map<std::string, std::size_t> first;  // the first rank on it
    for (std::size_t rank = 0; rank < devices.size(); ++rank) {
        const auto number = std::to_string(rank);
        if ((devices[rank] == "cpu") != (devices[0] == "cpu"))
            return fail(ErrorKind::unavailable,
                        "rank " + number + " found " + (devices[rank] == "cpu" ? "no GPU" : "a GPU") +
                            ", rank 0 " + (devices[0] == "cpu" ? "none" : "one"),
                        {}, "Give --device cpu or --device cuda");
        const auto [place, is_new] = first.emplace(devices[rank], rank);
        if (!is_new && devices[rank] != "cpu")
            return fail(ErrorKind::unavailable,
                        "ranks " + std::to_string(place->second) + " and " + number +
                            " would compute on the same GPU (" + devices[rank] + ")",
                        {}, "Start at most one rank a GPU");
    }
    return {};
}

void RankGroup::say_plan(const RunPlan& plan, const std::string& project_folder) {
    channel_.tell(Json{{"plan", to_json(plan)}, {"project_folder", project_folder}}.dump());
}

Result<RankPlan> RankGroup::hear_plan() {
    const Result<Json> json = parse_json(channel_.hear(), "plan");
    if (!json || !json->is_object() || !json->contains("plan")) return fail(not_understood());
    Checked<RunPlan> plan = plan_from_json((*json)["plan"]);
    if (!plan) return fail(to_error(plan.error()));
    return RankPlan{.plan = std::move(*plan), .project_folder = json->value("project_folder", "")};
}

void RankGroup::say_start(const RankStart& start) {
    channel_.tell(Json{{"step", start.step.value}, {"optimizer_steps", start.optimizer_steps}}.dump());
}

Result<RankStart> RankGroup::hear_start() {
    Diagnostics problems;
    const Result<Json> json = parse_json(channel_.hear(), "start");
    if (!json) return fail(not_understood());
    JsonReader reader(*json, "", problems);
    RankStart start;
    reader.integer("step", start.step.value);
    reader.integer("optimizer_steps", start.optimizer_steps);
    if (!problems.empty()) return fail(not_understood());
    return start;
}

Result<void> RankGroup::compare(std::int64_t checksum) {
    const std::string ours = std::to_string(checksum);
    const std::vector<std::string> all = channel_.gather(ours);
    std::string others;
    for (std::size_t rank = 1; rank < all.size(); ++rank)
        if (all[rank] != ours) others.append(others.empty() ? "" : ", ").append(std::to_string(rank));
    if (others.empty()) return {};
    return fail(ErrorKind::corrupt, "the weights of rank " + others + " are not those of rank 0", {},
                "A GPU or its memory may be faulty; the run can be resumed from its last checkpoint");
}

}  // namespace braid
