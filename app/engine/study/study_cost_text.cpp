#include "app/engine/study/study_cost_text.h"

#include <algorithm>

#include "app/engine/cli/output.h"
#include "core/mixers/builtin.h"
#include "core/record/measured_speed.h"
#include "core/spec/study_cost.h"

namespace braid::cli {
namespace {

struct Left {
    std::size_t runs = 0;
    double tokens = 0;
    double flops = 0;
};

// Of unfinished runs, what lies behind their last step.
Left left_of(const StudyState& state, const StudyCost& cost) {
    Left left;
    for (std::size_t i = 0; i < state.points.size(); ++i) {
        const PointState& point = state.points[i];
        if (point.finished()) continue;
        ++left.runs;
        const PointCost& own = cost.points[i];
        const std::int64_t done = point.run ? point.run->status.step.value : own.steps - own.own_steps;
        const double share =
            own.own_steps > 0
                ? static_cast<double>(std::clamp<std::int64_t>(own.steps - done, 0, own.own_steps)) /
                      static_cast<double>(own.own_steps)
                : 0;
        left.tokens += share * static_cast<double>(own.own_tokens);
        left.flops += share * own.flops;
    }
    return left;
}

std::vector<PlannedPoint> planned_of(const StudyState& state) {
    std::vector<PlannedPoint> points;
    for (const PointState& point : state.points) points.push_back(point.planned);
    return points;
}

}  // namespace

std::string cost_text(const OpenedStudy& study, const StudyState& state) {
    const StudyCost cost = study_cost(study.spec, planned_of(state), builtin_mixers());
    const Left left = left_of(state, cost);
    std::string text = std::to_string(state.points.size()) + " runs, " +
                       short_number(static_cast<double>(cost.tokens)) + " tokens";
    if (cost.tokens_saved > 0)
        text += " (" + short_number(static_cast<double>(cost.tokens_saved)) + " saved by branching)";
    text += ", " + short_number(cost.flops) + "FLOP, " + bytes_text(cost.disk_bytes) + " of checkpoints\n";
    if (left.runs > 0 && left.runs < state.points.size())
        text += "left: " + std::to_string(left.runs) + " runs, " + short_number(left.tokens) + " tokens, " +
                short_number(left.flops) + "FLOP\n";
    if (left.runs == 0) return text;
    const std::vector<MeasuredSpeed> speeds = measured_speeds(runs_of_study(study.project), builtin_mixers());
    for (const MeasuredSpeed& speed : speeds)
        text += "about " + duration_text(left.flops / speed.flops_per_s) + " on " + speed.device +
                ", one run at a time (" + short_number(speed.flops_per_s) + "FLOP/s, measured in " +
                std::to_string(speed.runs) + (speed.runs == 1 ? " run" : " runs") + ")\n";
    if (speeds.empty()) text += "nothing has been trained in this project yet: the time is not known\n";
    if (!study.knows_data) text += "the corpus " + study.spec.data.corpus + " is not there yet\n";
    return text;
}

Json cost_json(const OpenedStudy& study, const StudyState& state) {
    const StudyCost cost = study_cost(study.spec, planned_of(state), builtin_mixers());
    const Left left = left_of(state, cost);
    Json time = Json::array();
    for (const MeasuredSpeed& speed : measured_speeds(runs_of_study(study.project), builtin_mixers()))
        time.push_back({{"device", speed.device},
                        {"seconds", left.flops / speed.flops_per_s},
                        {"flops_per_s", speed.flops_per_s},
                        {"measured_runs", speed.runs}});
    return {{"runs", state.points.size()},
            {"tokens", cost.tokens},
            {"tokens_saved", cost.tokens_saved},
            {"flops", cost.flops},
            {"disk_bytes", cost.disk_bytes},
            {"left", {{"runs", left.runs}, {"tokens", left.tokens}, {"flops", left.flops}}},
            {"time", std::move(time)}};
}

}  // namespace braid::cli
