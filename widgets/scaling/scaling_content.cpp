#include "widgets/scaling/scaling_content.h"

#include <algorithm>

#include "core/mixers/builtin.h"

namespace braid::ui {

namespace {

using Architectures = std::map<std::string, std::shared_ptr<const ArchitectureSpec>>;

Checked<std::vector<PlannedPoint>> plan(const StudySpec& spec, const Architectures& architectures) {
    return plan_study(
        spec,
        {.catalog = builtin_mixers(),
         .find_architecture = [&](const std::string& name) -> Checked<ArchitectureSpec> {
             const auto found = architectures.find(name);
             if (found == architectures.end() || !found->second)
                 return tl::unexpected<Diagnostics>({{"architecture", "must be one of the project", name}});
             return *found->second;
         }});
}

std::vector<StudyRun> study_runs(const std::vector<RunPointer>& runs,
                                 std::map<std::string, RunPointer>& by_id) {
    std::vector<StudyRun> found;
    for (const RunPointer& run : runs) {
        if (!run || !run->plan) continue;
        by_id[run->folder.name()] = run;
        found.push_back({.entry = {.id = run->id,
                                   .folder = run->folder,
                                   .name = run->plan->name,
                                   .created = run->plan->created,
                                   .study = run->plan->study,
                                   .point = run->plan->point,
                                   .steps = run->steps(),
                                   .status = run->record->status},
                         .plan = run->plan});
    }
    // Older ones first, as they are found on disk.
    std::stable_sort(found.begin(), found.end(),
                     [](const StudyRun& a, const StudyRun& b) { return a.entry.created < b.entry.created; });
    return found;
}

}  // namespace

ScalingContentPtr make_content(const ScalingRequest& request) {
    auto content = std::make_shared<ScalingContent>();
    content->study = request.spec->name;
    content->file = request.file;
    content->written = request.spec;
    std::map<std::string, RunPointer> by_id;
    const std::vector<StudyRun> runs = study_runs(request.runs, by_id);
    content->spec = with_seeds_of_runs(runs, *request.spec);
    const ScalingContent* before = request.previous.get();
    if (before && before->planned && before->spec == content->spec && before->study == content->study) {
        content->planned = before->planned;
        content->cost = before->cost;
    } else {
        Checked<std::vector<PlannedPoint>> planned = plan(content->spec, request.architectures);
        if (!planned) {
            content->problems = planned.error();
            return content;
        }
        content->cost = study_cost(content->spec, *planned, builtin_mixers());
        content->planned = std::make_shared<const std::vector<PlannedPoint>>(*std::move(planned));
    }
    content->state = match_runs(content->spec, *content->planned, runs, builtin_mixers(), true);
    std::map<std::string, int> colours;
    for (const PointState& point : content->state.points) {
        RunPointer run;
        if (point.run)
            if (const auto found = by_id.find(point.run->folder.name()); found != by_id.end()) {
                run = found->second;
                colours.emplace(curve_of(content->spec, point.planned.point), run->paletteIndex);
            }
        content->runs.push_back(std::move(run));
    }
    content->metrics = scaling_metrics(content->spec, content->state);
    ScalingRecordPtr shown;
    for (ScalingRecord& record : scaling_records(request.folder, content->study)) {
        content->fitted.push_back(record.metric);
        if (std::find(content->metrics.begin(), content->metrics.end(), record.metric) ==
            content->metrics.end())
            content->metrics.push_back(record.metric);
        if (record.metric == request.metric || (request.metric.empty() && !shown))
            shown = std::make_shared<const ScalingRecord>(std::move(record));
    }
    const std::string metric = shown                     ? shown->metric
                               : !request.metric.empty() ? request.metric
                                                         : content->metrics.front();
    content->view = scaling_view(content->spec, content->state, std::move(shown), metric, colours);
    content->lines = scaling_lines(content->view);
    content->means = scaling_means(content->view);
    return content;
}

}  // namespace braid::ui
