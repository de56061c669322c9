// How a study stands: which run belongs to which of its points, and what the study asks of each.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/record/project.h"
#include "core/record/run_plan.h"
#include "core/spec/study_plan.h"

namespace braid {

// A run that may belong to a study; the plan is never null.
struct StudyRun {
    RunEntry entry;
    std::shared_ptr<const RunPlan> plan;
};

struct PointState {
    PlannedPoint planned;
    std::optional<RunEntry> run = {};  // the run that does just this: a finished one first, else the newest
    RunState state() const { return run ? run->status.state : RunState::planned; }
    bool finished() const { return state() == RunState::finished; }
};

struct StudyState {
    std::vector<PointState> points;
    std::size_t other_runs = 0;  // of this study by name, but of an older version of it
};

// A run counts for a point if architecture, training and data are the same; device, threads, checkpoint
// settings and where it branched from do not matter. `any_vocab`: nor does the vocabulary, where the study
// was planned without knowing the data.
StudyState match_runs(const StudySpec& spec, std::vector<PlannedPoint> points, std::span<const StudyRun> runs,
                      const MixerCatalog& catalog, bool any_vocab = false);

// Runs of the project that name this study (empty: all runs), with their plans; those that cannot be read are
// left out.
std::vector<StudyRun> runs_of_study(const Project& project, const std::string& study = {});

// What the run of a point does: everything but its id.
RunPlan run_plan_of(const StudySpec& spec, const PlannedPoint& planned);

// "Window 4, S1, 100N, seed 1"
std::string name_of(const StudyPoint& point);

// As the study is, with the seeds of its runs added: what `study show` shows after `study run --seeds 1-5`.
StudySpec with_seeds_of_runs(std::span<const StudyRun> runs, StudySpec spec);

// The first evaluation that reached the threshold, and the last value.
struct Reached {
    std::optional<std::int64_t> step = {};
    std::optional<std::int64_t> tokens = {};
    std::optional<double> last = {};
};
Reached threshold_of(const PointState& point, const StudyMeasure& measure);

// The finished run that a point can branch from with the least left to train, or a working one that has
// passed its stable part: its run and step. Nothing where there is none, or the point is no branch.
std::optional<BranchOrigin> trunk_for(const StudySpec& spec, const StudyState& state, std::size_t point);
// Whether a point should wait: the run it would best branch from has not come so far, and may_come(its
// point).
bool waits_for_trunk(const StudySpec& spec, const StudyState& state, std::size_t point,
                     const std::function<bool(std::size_t)>& may_come);

}  // namespace braid
