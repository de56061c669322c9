// The tasks of a study that a cluster has: submits, watches, and keeps in the project what was submitted
// (core/record/study_jobs.h), so that whoever comes next knows of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/launch/cluster.h"
#include "core/record/study_jobs.h"

namespace braid {

struct SubmittedTask {
    std::int64_t submission = 0;
    std::vector<std::string> points = {};  // keys
    TaskReport last = {};
    int absences = 0;  // polls in a row without a word about it
    std::string id() const { return last.job + "_" + std::to_string(last.task); }
};

class SubmittedTasks {
public:
    // For the holder of the study's lock. What earlier watchers have submitted and still waits or works is
    // found again, also where one ended before it could write the job's id down.
    static Result<SubmittedTasks> open(const Cluster& cluster, const std::string& project_folder,
                                       const std::string& study);

    // Those that have not ended.
    const std::vector<SubmittedTask>& tasks() const { return tasks_; }
    std::vector<std::string> jobs() const;

    // One array of tasks that train these points; `command` makes its words of the submission's number. The
    // record is written before the scheduler is asked; a refusal leaves nothing in it.
    struct Request {
        std::vector<std::vector<std::string>> tasks = {};
        std::string device = {};
        ClusterSettings settings = {};
        std::function<std::vector<std::string>(std::int64_t number)> command = {};
    };
    Result<std::string> submit(const Request& request);

    // Asks the scheduler; those that have ended, which are then no longer in tasks(). One that it does not
    // know three times in a row has ended as lost.
    Result<std::vector<SubmittedTask>> poll();

    // Of an ended one, too; it may not be there.
    std::string log_file(const SubmittedTask& task) const;

private:
    SubmittedTasks(const Cluster& cluster, std::string project_folder, std::string study)
        : cluster_(&cluster), project_folder_(std::move(project_folder)), study_(std::move(study)) {}
    Result<void> find_again();
    Result<void> save() const { return write_study_jobs(project_folder_, study_, jobs_); }
    void close_submissions();

    const Cluster* cluster_;
    std::string project_folder_, study_;
    StudyJobs jobs_;
    std::vector<SubmittedTask> tasks_;
};

// Ids of the study's jobs that wait or work, asked of their scheduler.
Result<std::vector<std::string>> live_jobs(const std::string& project_folder, const std::string& study);
// The same are told to save and end. Returns their ids.
Result<std::vector<std::string>> stop_jobs(const std::string& project_folder, const std::string& study);

}  // namespace braid
