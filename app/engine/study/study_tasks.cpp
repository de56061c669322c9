#include "app/engine/study/study_tasks.h"

#include <algorithm>

#include "core/spec/study_cost.h"

namespace braid::cli {

bool holds_any(const std::vector<RowRule>& rules, const StudyFields& fields) {
    return std::any_of(rules.begin(), rules.end(), [&](const RowRule& rule) {
        return holds(rule, [&](const std::string& column) -> std::optional<std::string> {
            for (const auto& [name, value] : fields)
                if (name == column) return value;
            return std::nullopt;
        });
    });
}

std::vector<std::vector<std::size_t>> tasks_of(const StudySpec& spec,
                                               const std::vector<PlannedPoint>& planned,
                                               const std::vector<std::size_t>& points) {
    std::vector<std::vector<std::size_t>> tasks;
    const auto related = [&](std::size_t a, std::size_t b) {
        return spec.branching && planned[a].point.budget && planned[b].point.budget &&
               (can_branch(planned[a], planned[b]) || can_branch(planned[b], planned[a]));
    };
    for (const std::size_t point : points) {
        const auto task = std::find_if(tasks.begin(), tasks.end(), [&](const std::vector<std::size_t>& each) {
            return std::any_of(each.begin(), each.end(),
                               [&](std::size_t other) { return related(point, other); });
        });
        if (task == tasks.end())
            tasks.push_back({point});
        else
            task->push_back(point);
    }
    for (std::vector<std::size_t>& task : tasks)
        std::stable_sort(task.begin(), task.end(), [&](std::size_t a, std::size_t b) {
            return planned[a].training.steps < planned[b].training.steps;
        });
    return tasks;
}

Result<void> make_runs(const OpenedStudy& study, StudyState& state, const std::vector<std::size_t>& points,
                       const std::string& device) {
    for (const std::size_t point : points) {
        PointState& missing = state.points[point];
        if (missing.run) continue;
        RunPlan plan = run_plan_of(study.spec, missing.planned);
        if (!device.empty()) plan.training.device = device;
        Result<RunFolder> made = study.project.add_run(std::move(plan));
        if (!made) return fail(std::move(made.error()));
        missing.run = RunEntry{.id = RunId(made->name()), .folder = *made};
    }
    return {};
}

}  // namespace braid::cli
