#include "app/engine/study/study_state.h"

#include <algorithm>

#include "app/engine/cli/run_json.h"
#include "app/engine/cli/training_text.h"
#include "app/engine/study/study_file.h"
#include "core/data/batch.h"
#include "core/mixers/builtin.h"
#include "core/record/run_reader.h"

namespace braid::cli {
namespace {

// Only what changes the result.
TrainingSpec comparable(TrainingSpec training) {
    const TrainingSpec standard;
    training.device = standard.device;
    training.gpus = standard.gpus;
    training.threads = standard.threads;
    training.checkpoint_every = standard.checkpoint_every;
    training.keep_checkpoints = standard.keep_checkpoints;
    training.trace_checkpoints = standard.trace_checkpoints;
    return training;
}

bool does_the_same(const RunPlan& a, const RunPlan& b) {
    return comparable(a.training) == comparable(b.training) && a.data == b.data &&
           content_hash(a.architecture, builtin_mixers()) == content_hash(b.architecture, builtin_mixers());
}

// Finished before unfinished, then the newer one (runs() is sorted by time).
bool is_better(const RunEntry& candidate, const std::optional<RunEntry>& present) {
    return !present || present->status.state != RunState::finished ||
           candidate.status.state == RunState::finished;
}

}  // namespace

Result<StudyState> read_study_state(const Project& project, const StudySpec& spec) {
    StudyState state;
    const Result<std::unique_ptr<DataSource>> data =
        make_data_source(spec.data, spec.training, project.folder());
    if (!data) return fail(data.error());
    for (const StudyPoint& point : study_points(spec)) {
        const StudyVariant& variant = spec.variants[point.variant];
        const Result<ArchitectureSpec> architecture = architecture_of(project, variant, (*data)->vocab());
        if (!architecture) return fail(architecture.error());
        PointState made{.point = point,
                        .label = variant.label,
                        .plan = {.name = variant.label + ", seed " + std::to_string(point.seed),
                                 .architecture = *architecture,
                                 .training = training_of(spec, point),
                                 .data = spec.data,
                                 .study = StudyId(spec.name),
                                 .point = point.key,
                                 .command = "braid-engine study run " + shell_word(spec.name) + " --seeds " +
                                            std::to_string(point.seed)}};
        made.plan.architecture.name = variant.label;
        state.points.push_back(std::move(made));
    }
    for (const RunEntry& run : project.runs()) {
        if (run.study.str() != spec.name || run.problem) continue;
        const Result<RunPlan> plan = run.folder.plan();
        if (!plan) continue;
        const auto point =
            std::find_if(state.points.begin(), state.points.end(), [&](const PointState& each) {
                return each.point.key == run.point && does_the_same(each.plan, *plan);
            });
        if (point == state.points.end())
            ++state.other_runs;
        else if (is_better(run, point->run))
            point->run = run;
    }
    return state;
}

StudySpec with_seeds_of_runs(const Project& project, StudySpec spec) {
    for (const RunEntry& run : project.runs()) {
        if (run.study.str() != spec.name || run.problem) continue;
        const Result<RunPlan> plan = run.folder.plan();
        if (plan && std::find(spec.seeds.begin(), spec.seeds.end(), plan->training.seed) == spec.seeds.end())
            spec.seeds.push_back(plan->training.seed);
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
            reached.tokens = values.steps[i] * point.plan.training.tokens_per_step();
            break;
        }
    return reached;
}

Json study_json(const StudySpec& spec, const StudyState& state) {
    Json points = Json::array();
    Json states = Json::object();
    for (const PointState& point : state.points) {
        const Reached reached = threshold_of(point, spec.measure);
        const std::string name(to_text(point.state()));
        states[name] = states.value(name, 0) + 1;
        points.push_back({{"key", point.point.key},
                          {"label", point.label},
                          {"variant", point.point.variant},
                          {"seed", point.point.seed},
                          {"run", point.run ? Json(point.run->id.str()) : Json(nullptr)},
                          {"folder", point.run ? Json(point.run->folder.path()) : Json(nullptr)},
                          {"state", name},
                          {"message", point.run ? point.run->status.message : ""},
                          {"step", point.run ? point.run->status.step.value : 0},
                          {"steps", point.plan.training.steps},
                          {"step_to_threshold", reached.step ? Json(*reached.step) : Json(nullptr)},
                          {"tokens_to_threshold", reached.tokens ? Json(*reached.tokens) : Json(nullptr)},
                          {"last", reached.last ? number(*reached.last) : Json(nullptr)}});
    }
    return {{"name", spec.name},
            {"title", spec.title},
            {"description", spec.description},
            {"measure", {{"metric", spec.measure.metric}, {"threshold", spec.measure.threshold}}},
            {"seeds", spec.seeds},
            {"states", std::move(states)},
            {"points", std::move(points)},
            {"other_runs", state.other_runs}};
}

}  // namespace braid::cli
