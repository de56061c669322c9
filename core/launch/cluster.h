// A scheduler that trains runs on other machines. Another one is one more file and one line of clusters().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/launch/cluster_settings.h"

namespace braid {

// Jobs that differ in one number, 0 .. tasks-1, the last word of what they run.
struct JobArray {
    std::string name = {};    // unique, no blanks: the jobs can be found by it; also of script and logs
    std::string folder = {};  // where script and logs are to be
    std::int64_t tasks = 1;
    std::vector<std::string> command = {};  // program and arguments, on all machines the same
    ClusterSettings settings = {};
};

enum class TaskPhase {
    waiting,
    working,
    done,
    failed,   // its command ended with an error, or used more than it may
    stopped,  // cancelled by somebody
    lost,     // its machine failed, its time was over, it had to make way: it can be submitted again
};

struct TaskReport {
    std::string job;  // of the array
    std::int64_t task = 0;
    TaskPhase phase = TaskPhase::waiting;
    std::string word = {};    // the scheduler's own: "PENDING"
    std::string reason = {};  // "Priority"; why it waits or has ended
    std::string node = {};
};

class Cluster {
public:
    virtual ~Cluster() = default;
    virtual std::string id() const = 0;     // "slurm"
    virtual std::string title() const = 0;  // "Slurm"

    // Whether its programs are here and answer. Errors: unavailable.
    virtual Result<void> check() const = 0;
    // Writes the script and submits it; the id of the array. A refusal has the scheduler's own words and what
    // to do.
    virtual Result<std::string> submit(const JobArray& array) const = 0;
    // Tasks that it knows of; those that ended a while ago may be missing, and so may whole jobs.
    virtual Result<std::vector<TaskReport>> tasks(const std::vector<std::string>& jobs) const = 0;
    // The job of this name that waits or works, or an empty text.
    virtual Result<std::string> find(const std::string& name) const = 0;
    // Tasks that wait are cancelled; those that work are asked to save and end, as long as that takes.
    virtual Result<void> stop(const std::vector<std::string>& jobs) const = 0;
    // The command with which somebody ends a job at once.
    virtual std::string cancel_command(const std::string& job) const = 0;
    // Inside a job: to wait again and go on later, with the job's id of before.
    virtual Result<void> queue_this_again() const = 0;
};

std::string log_file_of(const JobArray& array, std::int64_t task);

// "slurm". Errors: invalid_input, with those there are.
Result<std::unique_ptr<Cluster>> open_cluster(const std::string& id);

}  // namespace braid
