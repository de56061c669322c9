// Trains what is missing of a study as jobs of a cluster that shares the project's file system.
//
// The runs' folders are made here, the jobs are a job array whose tasks are `braid-engine study work`: each
// trains its points as the local runner does, scores included. Budgets that branch from one another are one
// task, trained one after the other: an array with --dependency would have to be mended whenever one of its
// jobs is cancelled or lost. What was submitted is kept in the project (core/launch/submitted_tasks.h), so
// that ending this watcher ends no job, and the next one submits only what is missing. A job that its cluster
// loses is submitted again, twice at most; Slurm itself puts most of them back in the queue.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/engine/study/study_runner.h"
#include "core/launch/cluster.h"

namespace braid::cli {

struct ClusterRunOptions {
    std::string device = {};  // empty: as the study says
    std::vector<RowRule> only = {};
    std::vector<RowRule> first = {};
    ClusterSettings settings = {};
    bool submit_only = false;         // returns when all is submitted
    std::function<bool()> stop = {};  // stops watching; the jobs go on
};

struct ClusterOutcome {
    StudyOutcome study = {};
    std::vector<std::string> jobs = {};  // that still wait or work
};

// Needs the study's lock. Errors: unavailable (the scheduler is not here or refuses; the runs that were
// planned stay and can be trained without it), invalid_input (GPUs of a job).
Result<ClusterOutcome> run_study_on(const Cluster& cluster, const OpenedStudy& study,
                                    const ClusterRunOptions& options,
                                    const std::function<void(const StudyProgress&)>& progress,
                                    const std::function<void(const std::string&)>& message);

}  // namespace braid::cli
