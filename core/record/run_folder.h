// Where a run keeps what. A run folder is self-contained: it can be copied, moved or deleted.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/record/run_plan.h"

namespace braid {

class RunFolder {
public:
    RunFolder() = default;
    explicit RunFolder(std::string path);  // made absolute and normal; nothing is looked up

    const std::string& path() const { return path_; }
    std::string name() const;  // last part of the path; the run's id where the project made it

    std::string plan_file() const { return path_ + "/plan.json"; }
    std::string database_file() const { return path_ + "/run.db"; }
    std::string lock_file() const { return path_ + "/lock"; }
    std::string log_file() const { return path_ + "/engine.log"; }
    std::string inbox_folder() const { return path_ + "/inbox"; }
    std::string checkpoints_folder() const { return path_ + "/checkpoints"; }
    std::string scores_folder() const { return path_ + "/scores"; }  // core/record/score.h; made when needed
    std::string measurements_folder() const { return path_ + "/measurements"; }  // core/record/measurement.h
    std::string captures_folder() const { return path_ + "/captures"; }          // core/record/capture.h
    // checkpoints/step-00000400: the folder of one checkpoint
    std::string checkpoint_folder(Step step) const;

    bool exists() const;  // there is a plan.json
    Result<RunPlan> plan() const { return read_plan(plan_file()); }

    bool operator==(const RunFolder&) const = default;

private:
    std::string path_;
};

// The folder (which may exist if it is empty), inbox/, checkpoints/, and last plan.json: a folder that has
// one is complete. A folder with a plan is ErrorKind::already_exists.
Result<RunFolder> create_run_folder(const std::string& path, const RunPlan& plan);

}  // namespace braid
