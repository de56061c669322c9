// Slurm through its own commands: sbatch, squeue, sacct where there is one, scancel, scontrol.
#pragma once

#include "core/launch/cluster.h"

namespace braid {

class Slurm : public Cluster {
public:
    std::string id() const override { return "slurm"; }
    std::string title() const override { return "Slurm"; }
    Result<void> check() const override;
    Result<std::string> submit(const JobArray& array) const override;
    Result<std::vector<TaskReport>> tasks(const std::vector<std::string>& jobs) const override;
    Result<std::string> find(const std::string& name) const override;
    Result<void> stop(const std::vector<std::string>& jobs) const override;
    std::string cancel_command(const std::string& job) const override { return "scancel " + job; }
    Result<void> queue_this_again() const override;
};

}  // namespace braid
