#include "core/engine/branch.h"

#include <filesystem>
#include <map>
#include <vector>

#include "core/engine/trainer.h"
#include "core/mixers/builtin.h"
#include "core/record/run_reader.h"
#include "core/spec/schedule.h"

namespace braid {
namespace {

RunFolder trunk_of(const RunFolder& branch, const BranchOrigin& origin) {
    return RunFolder(
        (std::filesystem::path(branch.path()).parent_path() / origin.run.str()).lexically_normal().string());
}

Result<void> check(const RunFolder& trunk, const RunPlan& plan) {
    const BranchOrigin& origin = *plan.branch_from;
    const std::string name = "run " + origin.run.str();
    if (!can_resume_from(trunk.checkpoint_folder(origin.step)))
        return fail(ErrorKind::not_found,
                    "the checkpoint at step " + std::to_string(origin.step.value) + " of " + name +
                        ", which this run branches from, is gone",
                    trunk.path(), "Remove this run; its study then trains the point from what there is");
    const Result<RunPlan> other = trunk.plan();
    if (!other) return fail(other.error());
    const std::int64_t common = std::min(stable_steps(plan.training), stable_steps(other->training));
    std::string problem;
    if (!share_stable_part(plan.training, other->training))
        problem = "it was trained otherwise than this run is to be";
    else if (content_hash(plan.architecture, builtin_mixers()) !=
             content_hash(other->architecture, builtin_mixers()))
        problem = "it has another architecture";
    else if (!(plan.data == other->data))
        problem = "it reads other data";
    else if (!plan.phases.empty() || !other->phases.empty())
        problem = "a run in phases has no common stable part";
    else if (other->weights_from != plan.weights_from)
        problem = "it began from other weights";
    else if (origin.step.value > common)
        problem = "step " + std::to_string(origin.step.value) + " lies in a decay, which begins after step " +
                  std::to_string(common);
    if (problem.empty()) return {};
    return fail(ErrorKind::invalid_input, "this run cannot branch from " + name + ": " + problem,
                trunk.path());
}

}  // namespace

Result<CheckpointState> load_branch(const RunFolder& branch, const RunPlan& plan, Trainer& trainer) {
    const RunFolder trunk = trunk_of(branch, *plan.branch_from);
    if (Result<void> good = check(trunk, plan); !good) return fail(std::move(good.error()));
    return load_checkpoint(trunk.checkpoint_folder(plan.branch_from->step), trainer);
}

Result<std::int64_t> adopt_trunk(const RunPlan& plan, RunWriter& writer) {
    const BranchOrigin& origin = *plan.branch_from;
    const RunFolder trunk = trunk_of(writer.folder(), origin);
    RunReader reader(trunk, {.events = false});
    const std::shared_ptr<const RunSnapshot> run = reader.poll();
    std::map<std::int64_t, std::vector<MetricValue>> steps;
    for (const auto& [metric, series] : run->series)
        for (std::size_t i = 0; i < series.size() && series.steps[i] <= origin.step.value; ++i)
            steps[series.steps[i]].push_back({.metric = metric, .value = series.values[i]});
    for (const auto& [step, values] : steps) writer.append(Step(step), values);
    if (Result<void> written = writer.flush(); !written) return fail(std::move(written.error()));
    return copy_checkpoint(trunk.checkpoint_folder(origin.step),
                           writer.folder().checkpoint_folder(origin.step));
}

}  // namespace braid
