#include "core/record/study_state.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/record/run_reader.h"
#include "core/spec/schedule.h"
#include "core/spec/study_cost.h"

namespace braid {
namespace {

bool does_the_same(const PlannedPoint& planned, const RunPlan& plan, const MixerCatalog& catalog,
                   bool any_vocab) {
    if (!(computed_alike(planned.training) == computed_alike(plan.training)) ||
        !(planned.data == plan.data) || !plan.phases.empty() || plan.weights_from)
        return false;
    ArchitectureSpec architecture = planned.architecture;
    if (any_vocab) architecture.vocab = plan.architecture.vocab;
    return content_hash(architecture, catalog) == content_hash(plan.architecture, catalog);
}

// Finished before unfinished, then the newer one (runs are sorted by time).
bool is_better(const RunEntry& candidate, const std::optional<RunEntry>& present) {
    return !present || present->status.state != RunState::finished ||
           candidate.status.state == RunState::finished;
}

bool branches(const StudySpec& spec, const PlannedPoint& planned) {
    return spec.branching && planned.point.budget.has_value();
}

// The step at which others branch from a run of this point, if its checkpoint there is complete.
std::optional<Step> branch_step(const PointState& point) {
    if (!point.run) return std::nullopt;
    const Step step(stable_steps(point.planned.training));
    std::error_code ignored;
    const std::string folder = point.run->folder.checkpoint_folder(step);
    // Complete folders alone have their name; traces have no optimizer.
    if (!std::filesystem::exists(folder + "/optimizer.safetensors", ignored)) return std::nullopt;
    return step;
}

}  // namespace

StudyState match_runs(const StudySpec& spec, std::vector<PlannedPoint> points, std::span<const StudyRun> runs,
                      const MixerCatalog& catalog, bool any_vocab) {
    StudyState state;
    std::map<std::string, std::size_t> by_key;
    for (PlannedPoint& planned : points) {
        by_key.emplace(planned.point.key, state.points.size());
        state.points.push_back({.planned = std::move(planned)});
    }
    for (const StudyRun& run : runs) {
        if (run.entry.study.str() != spec.name) continue;
        const auto found = by_key.find(run.plan->point);
        if (found == by_key.end() ||
            !does_the_same(state.points[found->second].planned, *run.plan, catalog, any_vocab))
            ++state.other_runs;
        else if (PointState& point = state.points[found->second]; is_better(run.entry, point.run))
            point.run = run.entry;
    }
    return state;
}

std::vector<StudyRun> runs_of_study(const Project& project, const std::string& study) {
    std::vector<StudyRun> runs;
    for (RunEntry& run : project.runs()) {
        if ((!study.empty() && run.study.str() != study) || run.problem) continue;
        Result<RunPlan> plan = run.folder.plan();
        if (plan) runs.push_back({std::move(run), std::make_shared<const RunPlan>(*std::move(plan))});
    }
    return runs;
}

std::string name_of(const StudyPoint& point) { return point.label + ", seed " + std::to_string(point.seed); }

RunPlan run_plan_of(const StudySpec& spec, const PlannedPoint& planned) {
    RunPlan plan{
        .name = name_of(planned.point),
        .architecture = planned.architecture,
        .training = planned.training,
        .data = planned.data,
        .study = StudyId(spec.name),
        .point = planned.point.key,
        .command = "braid-engine study run " + spec.name + " --seeds " + std::to_string(planned.point.seed)};
    const std::int64_t stable = stable_steps(planned.training);
    if (branches(spec, planned) && stable > 0 && stable < planned.training.steps) plan.kept_steps = {stable};
    return plan;
}

StudySpec with_seeds_of_runs(std::span<const StudyRun> runs, StudySpec spec) {
    for (const StudyRun& run : runs) {
        const std::uint64_t seed = run.plan->training.seed;
        if (std::find(spec.seeds.begin(), spec.seeds.end(), seed) == spec.seeds.end())
            spec.seeds.push_back(seed);
    }
    std::sort(spec.seeds.begin(), spec.seeds.end());
    return spec;
}

Reached threshold_of(const PointState& point, const StudyMeasure& measure) {
    Reached reached;
    if (!point.run) return reached;
    RunReader reader(point.run->folder, {.events = false});
    const std::shared_ptr<const RunSnapshot> run = reader.poll();
    const auto series = run->series.find(measure.metric);
    if (series == run->series.end()) return reached;
    const Series& values = series->second;
    if (values.size() > 0) reached.last = values.values.back();
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values.values[i] >= measure.threshold) {
            reached.step = values.steps[i];
            reached.tokens = values.steps[i] * point.planned.training.tokens_per_step();
            break;
        }
    return reached;
}

std::optional<BranchOrigin> trunk_for(const StudySpec& spec, const StudyState& state, std::size_t point) {
    const PlannedPoint& planned = state.points[point].planned;
    if (!branches(spec, planned)) return std::nullopt;
    std::optional<BranchOrigin> best;
    for (const PointState& other : state.points) {
        if (!can_branch(planned, other.planned)) continue;
        const std::optional<Step> step = branch_step(other);
        if (step && (!best || best->step < *step))
            best = BranchOrigin{.run = RunId(other.run->folder.name()), .step = *step};
    }
    return best;
}

bool waits_for_trunk(const StudySpec& spec, const StudyState& state, std::size_t point,
                     const std::function<bool(std::size_t)>& may_come) {
    const PlannedPoint& planned = state.points[point].planned;
    if (!branches(spec, planned)) return false;
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < state.points.size(); ++i) {
        const PlannedPoint& other = state.points[i].planned;
        if (can_branch(planned, other) && (branch_step(state.points[i]) || may_come(i)) &&
            (!last || state.points[*last].planned.training.steps < other.training.steps))
            last = i;
    }
    return last && !branch_step(state.points[*last]);
}

}  // namespace braid
