// What a run is to do: the content of <run>/plan.json. It holds no presentation. Written once;
// only how a run is computed (micro-batches, device, how often it saves) may change before a resume.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/id.h"
#include "core/base/json.h"
#include "core/spec/architecture.h"
#include "core/spec/phases.h"
#include "core/spec/training.h"

namespace braid {

inline constexpr int plan_schema_version = 3;

// The checkpoint whose weights a run starts from; its optimizer starts anew.
struct WeightsOrigin {
    std::string folder = {};  // where it was when the run was planned
    std::string run = {};     // id of the run that wrote it, if it is known
    Step step = {};           // of that run
    std::string architecture_hash = {};
    bool operator==(const WeightsOrigin&) const = default;
};
Json to_json(const WeightsOrigin& origin);
Checked<WeightsOrigin> origin_from_json(const Json& json);

// The run whose stable part this one shares: it goes on from that run's checkpoint, weights, optimizer and
// measured rows, and decays on its own. Runs of one project lie side by side.
struct BranchOrigin {
    RunId run = {};
    Step step = {};
    bool operator==(const BranchOrigin&) const = default;
};

struct RunPlan {
    RunId id = {};
    std::string name = {};  // for people: "swa-64 nope, seed 2"; may be empty
    ArchitectureSpec architecture = {};
    TrainingSpec training = {};
    DataSpec data = {};
    std::vector<TrainingPhase> phases = {};          // after the one that `training` describes
    std::optional<WeightsOrigin> weights_from = {};  // absent: fresh weights
    std::optional<BranchOrigin> branch_from = {};    // absent: trained from step 0
    std::vector<std::int64_t> kept_steps = {};       // checkpoints that stay, for others to branch from
    std::string created = {};                        // ISO 8601, UTC: "2026-02-03T04:05:06Z"
    StudyId study = {};                              // of the study the run belongs to; empty: none
    std::string point = {};    // the study's key of this run: "swa-4/seed=2"; unique inside the study
    std::string command = {};  // that makes the same run again
    bool operator==(const RunPlan&) const = default;
};

// Steps of the whole run, phases included.
inline std::int64_t total_steps(const RunPlan& plan) { return total_steps(plan.training, plan.phases); }

Json to_json(const RunPlan& plan);

// Syntax, types, unknown keys and the rules of the training; all problems at once. A newer schema version is
// one diagnostic that says so; older ones are brought up to date.
Checked<RunPlan> plan_from_json(const Json& json);

// Problems become one ErrorKind::invalid_input that names the file.
Result<RunPlan> read_plan(const std::string& file);
Result<void> write_plan(const std::string& file, const RunPlan& plan);

}  // namespace braid
