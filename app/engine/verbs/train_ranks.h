// The processes of one run: who else there is, started by a launcher or by us, and how they end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/engine/parallel/rank_channel.h"
#include "core/launch/local_ranks.h"
#include "core/record/run_folder.h"

namespace braid::cli {

// Rank 0's side.
class RunRanks {
public:
    // Listens where a launcher has started several ranks, so that they are told whatever happens next.
    static Result<RunRanks> open(const RankPlace& place);

    bool launched() const { return channel_ != nullptr && !local_; }  // by torchrun, Slurm, mpirun

    // Waits for all ranks; where no launcher has started any and `gpus` is more than 1, starts them here.
    // Null: we are alone. Errors: unavailable (too few GPUs, a rank that did not come), interrupted.
    Result<RankChannel*> join(const RunFolder& folder, std::int64_t gpus);

    // The run has failed: the others are told, the error is printed, and the process ends without waiting
    // for a device or a library that waits for them. Returns where we are alone.
    void end_failed(const Error& error);

private:
    RunRanks() = default;
    std::optional<LocalRanks> local_;  // after the channel is closed they end by themselves
    std::unique_ptr<RankChannel> channel_;
};

// Any other rank: joins rank 0 and obeys it to the end of the run.
Result<void> follow(const RankPlace& place);

}  // namespace braid::cli
