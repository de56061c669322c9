// Which of the processes of a run this one is, from the environment of whatever started them.
#pragma once

#include <functional>
#include <string>

#include "core/base/error.h"

namespace braid {

struct RankPlace {
    int rank = 0;
    int size = 1;
    int local_rank = 0;         // among those on this machine: the GPU it takes
    int local_size = 1;         // ranks on this machine; they share its cores
    std::string master = {};    // host of rank 0
    int port = 0;               // on which rank 0 listens
    std::string launcher = {};  // "torchrun", "Slurm", "mpirun", for messages; empty: none, a process alone
    bool alone() const { return size == 1; }
};

// The value of a variable; null where it is not set.
using Environment = std::function<const char*(const char*)>;

// In this order:
//   torchrun, and braid-engine --gpus:  RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR,
//   MASTER_PORT mpirun:   OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE; on several machines
//   MASTER_ADDR, too srun:     SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_LOCALID, SLURM_STEP_NODELIST. A
//   batch script is no
//             rank, whatever it has reserved.
// MASTER_ADDR and MASTER_PORT, where set, go before what Slurm and mpirun say; without them the port follows
// from the job. torchrun keeps its own store at MASTER_PORT: the port after it is taken then.
// Errors: invalid_input, every variable that is missing or is no number, with its launcher.
Checked<RankPlace> rank_place(const Environment& environment);
Result<RankPlace> rank_place_of_process();

// "node[03-05,9],login" -> "node03". Empty for what is no list.
std::string first_host(const std::string& node_list);

}  // namespace braid
