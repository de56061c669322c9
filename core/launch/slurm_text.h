// What Slurm's commands print, read. What cannot be read is left out: a cluster may print more than it
// should.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/launch/cluster.h"

namespace braid {

// What squeue is asked for with --format; one task a line.
inline constexpr const char* squeue_format = "%F|%K|%T|%N|%r";
std::vector<TaskReport> parse_squeue(std::string_view text);

// sacct --noheader --parsable2 --allocations --format=JobID,State,NodeList: "12_3|CANCELLED by 0|node1".
// Tasks that wait stand together, "12_[3-5,7%2]", and are left out: squeue tells of them.
std::vector<TaskReport> parse_sacct(std::string_view text);

// sbatch --parsable: "12", or "12;cluster". Nothing where it is no job.
std::optional<std::string> parse_sbatch(std::string_view text);

// "OUT_OF_MEMORY", "CANCELLED by 1000": a word that we do not know works on.
TaskPhase phase_of(std::string_view state);

// What to do about a refusal in Slurm's words.
std::string hint_for_refusal(std::string_view words);

}  // namespace braid
