// What of a study was given to a scheduler: <project>/jobs/NAME.json. It is what a later `study run --on`
// goes by, so that no point is submitted twice; only the holder of the study's lock writes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace braid {

inline constexpr int study_jobs_schema_version = 1;

// One job array: task i trains tasks[i], the keys of points, one after the other.
struct JobSubmission {
    std::int64_t number = 0;     // 1, 2, ..: of this study
    std::string scheduler = {};  // "slurm"
    std::string name = {};       // of the jobs: unique, so that they can be found by it
    std::string job = {};        // the scheduler's id; empty until it is known to have been accepted
    std::string device = {};     // given on the command line; empty: as the study says
    std::string submitted = {};  // ISO 8601, UTC
    bool over = false;           // none of its tasks waits or works any more
    std::vector<std::vector<std::string>> tasks = {};
    bool operator==(const JobSubmission&) const = default;
};

struct StudyJobs {
    std::vector<JobSubmission> submissions = {};  // oldest first
    bool operator==(const StudyJobs&) const = default;
    const JobSubmission* find(std::int64_t number) const;
    std::vector<const JobSubmission*> open() const;
};

Json to_json(const StudyJobs& jobs);
// Syntax, types, unknown keys, a point twice in one submission; every problem. A newer version is one
// diagnostic.
Checked<StudyJobs> study_jobs_from_json(const Json& json);

// Where jobs, their scripts and their logs are.
std::string jobs_folder(const std::string& project_folder);
std::string jobs_file(const std::string& project_folder, const std::string& study);

// Nothing was submitted where there is no file.
Result<StudyJobs> read_study_jobs(const std::string& project_folder, const std::string& study);
// Of those that are over only the last few are kept.
Result<void> write_study_jobs(const std::string& project_folder, const std::string& study, StudyJobs jobs);

}  // namespace braid
