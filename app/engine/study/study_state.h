// How a study stands: which run belongs to which of its points, and what the study asks of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/record/project.h"
#include "core/record/run_plan.h"
#include "core/spec/study.h"

namespace braid::cli {

struct PointState {
    StudyPoint point;
    std::string label;                 // of its variant
    RunPlan plan;                      // what its run does, or is to do (without id)
    std::optional<RunEntry> run = {};  // the run that does just this: a finished one first, else the newest
    RunState state() const { return run ? run->status.state : RunState::planned; }
};

struct StudyState {
    std::vector<PointState> points;
    std::size_t other_runs = 0;  // of this study by name, but of an older version of it
};

// Plans every point and finds its run among the project's. A run counts for a point if architecture, training
// and data are the same; device, threads and checkpoint settings do not matter.
Result<StudyState> read_study_state(const Project& project, const StudySpec& spec);

// As the study is, with the seeds of its runs added: what `study show` shows after `study run --seeds 1-5`.
StudySpec with_seeds_of_runs(const Project& project, StudySpec spec);

// The first evaluation that reached the threshold, and the last value.
struct Reached {
    std::optional<std::int64_t> step = {};
    std::optional<std::int64_t> tokens = {};
    std::optional<double> last = {};
};
Reached threshold_of(const PointState& point, const StudyMeasure& measure);

Json study_json(const StudySpec& spec, const StudyState& state);

}  // namespace braid::cli
