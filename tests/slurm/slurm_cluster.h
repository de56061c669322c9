// A real Slurm of two nodes on this machine: munged, slurmctld and two slurmd, all of this user, in a folder
// and on ports of its own.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>

#include "tests/app_engine/program.h"

namespace braid::testing {

class SlurmCluster {
public:
    // Nothing where a program is missing or the nodes do not come up; `why` says so.
    static std::unique_ptr<SlurmCluster> start(std::string& why);
    // Ends every process that came of it, jobs included.
    ~SlurmCluster();

    // What Slurm's commands and braid-engine need to find it.
    std::map<std::string, std::string> environment() const { return {{"SLURM_CONF", conf_}}; }
    // One of its commands, by its name.
    Finished call(const std::string& program, std::vector<std::string> arguments) const;

    enum class Loss {
        daemon,  // slurmd alone; what it has started works on
        node,    // all that works there, as when a machine loses its power
    };
    void kill_node(const std::string& node, Loss loss);
    bool start_node(const std::string& node);  // false: it does not come up

private:
    explicit SlurmCluster(const std::map<std::string, std::string>& programs) : programs_(programs) {}
    pid_t spawn(const std::string& program, const std::vector<std::string>& arguments);
    bool is_idle(const std::string& node) const;
    void write_conf();

    Workplace place_;
    std::map<std::string, std::string> programs_;  // by name: where it is
    std::string conf_;
    std::map<std::string, pid_t> nodes_;
};

}  // namespace braid::testing
