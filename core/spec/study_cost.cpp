#include "core/spec/study_cost.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/spec/cost.h"
#include "core/spec/schedule.h"

namespace braid {
namespace {

constexpr std::int64_t float_bytes = 4;

// What points that can share a stable part agree in.
std::string family(const PlannedPoint& planned) {
    const StudyPoint& point = planned.point;
    std::string key = std::to_string(point.variant) + "/" + std::to_string(point.scale.value_or(0)) + "/" +
                      std::to_string(point.seed);
    for (const std::size_t value : point.axes) key += "/" + std::to_string(value);
    return key;
}

}  // namespace

std::int64_t checkpoint_bytes(const ArchitectureSpec& spec, const MixerCatalog& catalog) {
    const ArchitectureCost all = cost(spec, catalog, 1);
    const std::int64_t tables = all.total_parameters - all.non_embedding_parameters;
    return float_bytes * (2 * all.total_parameters + tables);
}

std::int64_t training_memory_bytes(const ArchitectureSpec& spec, const TrainingSpec& training,
                                   const MixerCatalog& catalog) {
    constexpr std::int64_t per_parameter = 4 + 2 + 4 + 8;
    constexpr std::int64_t of_cuda = std::int64_t{1} << 30;
    const std::int64_t tokens =
        training.tokens_per_step() / std::max<std::int64_t>(1, training.micro_batches);
    const std::int64_t values = 8 * spec.d_model + 4 * spec.ffn_width;  // of one token in one layer
    std::int64_t activations = tokens * static_cast<std::int64_t>(spec.layers.size()) * values * 2;
    if (training.activation_memory > 0)
        activations = std::min(activations, activation_memory_bytes(training));
    return cost(spec, catalog, 1).total_parameters * per_parameter + activations + of_cuda;
}

bool can_branch(const PlannedPoint& late, const PlannedPoint& early) {
    return family(late) == family(early) && share_stable_part(late.training, early.training) &&
           stable_steps(early.training) <= stable_steps(late.training) &&
           early.training.steps < late.training.steps &&
           early.training.warmup_steps <= stable_steps(early.training);
}

StudyCost study_cost(const StudySpec& spec, std::span<const PlannedPoint> points,
                     const MixerCatalog& catalog) {
    StudyCost all;
    std::map<std::string, std::vector<std::size_t>> families;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const PlannedPoint& planned = points[i];
        PointCost point{.steps = planned.training.steps, .own_steps = planned.training.steps};
        if (spec.branching) {
            std::vector<std::size_t>& earlier = families[family(planned)];
            for (const std::size_t other : earlier)
                if (can_branch(planned, points[other]) &&
                    (!point.trunk || points[other].training.steps > points[*point.trunk].training.steps))
                    point.trunk = other;
            earlier.push_back(i);
        }
        if (point.trunk) point.own_steps -= stable_steps(points[*point.trunk].training);
        point.tokens = planned.tokens();
        point.own_tokens = point.own_steps * planned.training.tokens_per_step();
        point.flops = static_cast<double>(point.own_tokens) *
                      cost(planned.architecture, catalog, planned.training.context).training_flops_per_token;
        const std::int64_t whole = checkpoint_bytes(planned.architecture, catalog);
        const std::int64_t taken = planned.training.checkpoint_every > 0
                                       ? planned.training.steps / planned.training.checkpoint_every
                                       : 0;
        const std::int64_t kept = planned.training.keep_checkpoints == 0
                                      ? taken + 1
                                      : std::min(taken + 1, planned.training.keep_checkpoints);
        const bool is_trunk = spec.branching && planned.point.budget && spec.budgets.size() > 1;
        point.disk_bytes = whole * (kept + (is_trunk ? 1 : 0));
        point.disk_bytes +=
            static_cast<std::int64_t>(
                trace_steps(planned.training.trace_checkpoints, planned.training.steps).size()) *
            cost(planned.architecture, catalog, 1).total_parameters * float_bytes;
        all.tokens += point.own_tokens;
        all.tokens_saved += point.tokens - point.own_tokens;
        all.flops += point.flops;
        all.disk_bytes += point.disk_bytes;
        all.points.push_back(point);
    }
    return all;
}

}  // namespace braid
