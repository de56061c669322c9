#include "core/record/run_plan.h"

#include "core/base/json_reader.h"

namespace braid {

Json to_json(const WeightsOrigin& origin) {
    return {{"folder", origin.folder},
            {"run", origin.run},
            {"step", origin.step.value},
            {"architecture_hash", origin.architecture_hash}};
}

Checked<WeightsOrigin> origin_from_json(const Json& json) {
    Diagnostics problems;
    WeightsOrigin origin;
    JsonReader reader(json, "", problems);
    reader.require("folder");
    reader.text("folder", origin.folder);
    reader.text("run", origin.run);
    reader.integer("step", origin.step.value, 0);
    reader.text("architecture_hash", origin.architecture_hash);
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return origin;
}

namespace {

void read_branch(const Json& json, JsonReader& plan, BranchOrigin& origin, Diagnostics& problems) {
    JsonReader reader(json, plan.place("branch_from"), problems);
    std::string run;
    reader.require("run");
    reader.require("step");
    reader.text("run", run);
    reader.integer("step", origin.step.value, 1);
    reader.refuse_unknown_keys();
    // It names a folder beside this run's.
    if (run.empty() || run.front() == '.' || run.find('/') != std::string::npos)
        reader.report(reader.place("run"), "must be the id of a run of the project", run);
    origin.run = RunId(run);
}

void read_kept_steps(const Json& json, JsonReader& plan, std::vector<std::int64_t>& steps) {
    if (!json.is_array()) plan.report("kept_steps", "must be a list of steps", json);
    for (std::size_t i = 0; json.is_array() && i < json.size(); ++i)
        if (json[i].is_number_integer() && json[i].get<std::int64_t>() >= 1)
            steps.push_back(json[i].get<std::int64_t>());
        else
            plan.report("kept_steps[" + std::to_string(i) + "]", "must be an integer from 1", json[i]);
}

}  // namespace

Json to_json(const RunPlan& plan) {
    Json json = {{"schema_version", plan_schema_version},
                 {"id", plan.id.str()},
                 {"name", plan.name},
                 {"created", plan.created},
                 {"architecture", to_json(plan.architecture)},
                 {"training", to_json(plan.training)},
                 {"data", to_json(plan.data)},
                 {"command", plan.command}};
    if (!plan.phases.empty()) {
        json["phases"] = Json::array();
        for (const TrainingPhase& phase : plan.phases) json["phases"].push_back(to_json(phase));
    }
    if (plan.weights_from) json["weights_from"] = to_json(*plan.weights_from);
    if (plan.branch_from)
        json["branch_from"] = {{"run", plan.branch_from->run.str()}, {"step", plan.branch_from->step.value}};
    if (!plan.kept_steps.empty()) json["kept_steps"] = plan.kept_steps;
    if (!plan.study.empty()) json["study"] = plan.study.str();
    if (!plan.point.empty()) json["point"] = plan.point;
    return json;
}

Checked<RunPlan> plan_from_json(const Json& json) {
    Diagnostics problems;
    JsonReader reader(json, "", problems);
    if (!reader.is_object() || !reader.schema_version(plan_schema_version))
        return tl::unexpected<Diagnostics>(std::move(problems));
    RunPlan plan;
    std::string id;
    std::string study;
    reader.require("id");
    reader.text("id", id);
    reader.text("name", plan.name);
    reader.text("created", plan.created);
    reader.text("study", study);
    reader.text("point", plan.point);
    reader.text("command", plan.command);
    plan.id = RunId(id);
    plan.study = StudyId(study);
    if (const Json* part = reader.require("architecture"))
        reader.take("architecture", architecture_from_json(*part), plan.architecture);
    if (const Json* part = reader.require("training")) {
        const std::size_t before = problems.size();
        reader.take("training", training_from_json(*part), plan.training);
        if (problems.size() == before) reader.add("training", validate(plan.training));
    }
    if (const Json* part = reader.require("data")) reader.take("data", data_from_json(*part), plan.data);
    if (const Json* phases = reader.find("phases")) {
        if (!phases->is_array()) reader.report("phases", "must be a list", *phases);
        for (std::size_t i = 0; phases->is_array() && i < phases->size(); ++i) {
            plan.phases.emplace_back();
            reader.take("phases[" + std::to_string(i) + "]", phase_from_json((*phases)[i]),
                        plan.phases.back());
        }
    }
    if (const Json* origin = reader.find("weights_from")) {
        WeightsOrigin read;
        reader.take("weights_from", origin_from_json(*origin), read);
        plan.weights_from = std::move(read);
    }
    if (const Json* branch = reader.find("branch_from"))
        read_branch(*branch, reader, plan.branch_from.emplace(), problems);
    if (const Json* kept = reader.find("kept_steps")) read_kept_steps(*kept, reader, plan.kept_steps);
    if (plan.branch_from && plan.weights_from)
        reader.report("branch_from", "cannot stand beside weights_from", plan.branch_from->run.str());
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected<Diagnostics>(std::move(problems));
    return plan;
}

Result<RunPlan> read_plan(const std::string& file) {
    return read_json(file).and_then([&](const Json& json) -> Result<RunPlan> {
        Checked<RunPlan> plan = plan_from_json(json);
        if (!plan) return fail(to_error(plan.error(), file));
        return std::move(*plan);
    });
}

Result<void> write_plan(const std::string& file, const RunPlan& plan) {
    return write_json_atomically(file, to_json(plan));
}

}  // namespace braid
