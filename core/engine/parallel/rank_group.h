// The ranks of a run as its training code sees them: what rank 0 orders, what the others obey
// (core/engine/parallel/follow_run.h), and their sums.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/id.h"
#include "core/engine/parallel/collective.h"
#include "core/engine/parallel/rank_channel.h"
#include "core/record/run_plan.h"

namespace braid {

// What rank 0 says, in this order: the plan (say_plan), where the run goes on from (say_start), then any of
// these until `end`. After `advance` comes, for every micro-batch, `go` or `give_up`.
namespace rank_command {
inline constexpr std::string_view advance = "advance";
inline constexpr std::string_view go = "go";
inline constexpr std::string_view give_up = "give up";
inline constexpr std::string_view evaluate = "evaluate";
inline constexpr std::string_view compare = "compare";
inline constexpr std::string_view end = "end";
}  // namespace rank_command

struct RankPlan {
    RunPlan plan = {};
    std::string project_folder = {};
};

struct RankStart {
    Step step = {};
    std::int64_t optimizer_steps = 0;
};

class RankGroup {
public:
    // All ranks are there: RankChannel::wait_for_all(). The channel outlives the group.
    explicit RankGroup(RankChannel& channel) : channel_(channel) {}

    RankChannel& channel() { return channel_; }
    const RankPlace& place() const { return channel_.place(); }

    // The device of this rank, and sums with the others; every rank calls it behind the plan. Errors:
    // unavailable (no device of its own, NCCL or OpenMPI missing, ranks on devices of different kinds).
    Result<std::shared_ptr<Ops>> open_device(const TrainingSpec& training);
    Collective& sums() { return *sums_; }

    // All but hear() and the hear_..() are rank 0's. They throw RanksEnded.
    void say_plan(const RunPlan& plan, const std::string& project_folder);
    Result<RankPlan> hear_plan();
    void say_start(const RankStart& start);
    Result<RankStart> hear_start();
    void say(std::string_view command) { channel_.tell(std::string(command)); }
    void say_end() {
        say(rank_command::end);
        channel_.dismiss();
    }
    std::string hear() { return channel_.hear(); }

    // Every rank gives its checksum. Error on rank 0: corrupt, which ranks differ from it.
    Result<void> compare(std::int64_t checksum);

private:
    Result<void> check_devices(const Ops& ops);

    RankChannel& channel_;
    std::unique_ptr<Collective> sums_;
};

}  // namespace braid
