// Sums over the ranks of a run. Each operation works on the ops' device, in place, on a contiguous tensor;
// every rank begins the same ones in the same order. The result is the same in every bit on all ranks.
//
// Implementations: NCCL in libbraid_cuda.so, OpenMPI in libbraid_mpi.so (tests, and CPU ranks).
// They throw RanksEnded (core/engine/parallel/rank_channel.h) where a rank has gone.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "core/base/error.h"
#include "core/engine/parallel/rank_channel.h"

namespace braid {

class Collective {
public:
    virtual ~Collective() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual std::string name() const = 0;  // "NCCL 2.28.9", "OpenMPI"

    // Begins x <- sum over all ranks of x, behind what the device has been given so far, and returns. x is
    // left alone until finish().
    virtual void begin_sum(const at::Tensor& x) = 0;
    // Likewise x <- x of rank 0.
    virtual void begin_broadcast(const at::Tensor& x) = 0;
    // What the device is given from now on comes after all that was begun. The host need not wait.
    virtual void finish() = 0;
    // The host waits until the device is done with everything; to be called before anything else that waits
    // for the device behind a finish(), for a rank that has gone is noticed here.
    virtual void settle() = 0;
    // Of a number that the host knows; the device is not asked.
    virtual std::int64_t sum_on_host(std::int64_t number) = 0;
};

class Ops;

// NCCL for the ops of a GPU, OpenMPI for those of the CPU; every rank calls it at the same point, after
// RankChannel::wait_for_all(). `channel` must outlive the answer. Errors: unavailable, with what is missing.
Result<std::unique_ptr<Collective>> open_collective(RankChannel& channel, const Ops& ops);

namespace plugin {
// libbraid_cuda.so: void braid_plugin_make_collective(RankChannel*, std::int64_t device, ...); never throws;
// absent where it was built without NCCL
using MakeNccl = void (*)(RankChannel*, std::int64_t, std::unique_ptr<Collective>*, Error*);
// libbraid_mpi.so: const char* braid_mpi_version(); void braid_mpi_make_collective(RankChannel*, ...)
using MakeMpi = void (*)(RankChannel*, std::unique_ptr<Collective>*, Error*);
}  // namespace plugin

}  // namespace braid
