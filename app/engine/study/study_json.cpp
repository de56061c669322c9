#include "app/engine/study/study_json.h"

#include "app/engine/cli/run_json.h"

namespace braid::cli {

Json study_json(const StudySpec& spec, const StudyState& state) {
    Json points = Json::array();
    Json states = Json::object();
    for (const PointState& point : state.points) {
        const Reached reached = threshold_of(point, spec.measure);
        const std::string name(to_text(point.state()));
        states[name] = states.value(name, 0) + 1;
        Json fields = Json::object();
        for (const auto& [field, value] : fields_of(spec, point.planned.point)) fields[field] = value;
        points.push_back({{"key", point.planned.point.key},
                          {"label", point.planned.point.label},
                          {"variant", point.planned.point.variant},
                          {"seed", point.planned.point.seed},
                          {"fields", std::move(fields)},
                          {"parameters", point.planned.parameters},
                          {"tokens", point.planned.tokens()},
                          {"run", point.run ? Json(point.run->id.str()) : Json(nullptr)},
                          {"folder", point.run ? Json(point.run->folder.path()) : Json(nullptr)},
                          {"state", name},
                          {"message", point.run ? point.run->status.message : ""},
                          {"step", point.run ? point.run->status.step.value : 0},
                          {"steps", point.planned.training.steps},
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
