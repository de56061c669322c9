// What serve answers: the window's questions, with the same JSON as the verbs.
#include "app/engine/cli/architecture_json.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/run_json.h"
#include "app/engine/cli/spec_argument.h"
#include "app/engine/cli/version.h"
#include "app/engine/serve/capture_method.h"
#include "app/engine/serve/rpc.h"
#include "app/engine/study/study_file.h"
#include "app/engine/study/study_json.h"
#include "core/base/json_reader.h"
#include "core/engine/device.h"
#include "core/mixers/builtin.h"
#include "core/record/inbox.h"
#include "core/spec/validate.h"

namespace braid::cli {
namespace {

constexpr std::int64_t max_context = std::int64_t{1} << 30;

// The parameters of a call: read all, refuse the rest, then look at the problems.
struct Parameters {
    explicit Parameters(const Json& json) : reader(json, "params", problems) {}
    Result<void> check() {
        reader.refuse_unknown_keys();
        if (!problems.empty()) return fail(to_error(problems));
        return {};
    }
    Diagnostics problems;
    JsonReader reader;
};

Result<Json> arch_cost(const Json& params, const std::string& default_project) {
    Parameters given(params);
    SpecRequest request;
    std::int64_t context = 16'384;
    std::string project = default_project;
    const Json* spec = given.reader.find("spec");
    given.reader.text("scale", request.scale);
    given.reader.text("project", project);
    given.reader.integer("context", context, 1, max_context);
    given.reader.integer("vocab", request.vocab, 0, std::int64_t{1} << 31);
    if (spec == nullptr)
        given.problems.push_back({.path = "params.spec", .rule = "must be given", .found = ""});
    if (Result<void> good = given.check(); !good) return fail(good.error());
    if (spec->is_object()) {
        const Checked<ArchitectureSpec> parsed = architecture_from_json(*spec);
        if (!parsed) return fail(to_error(parsed.error()));
        if (const Diagnostics wrong = validate(*parsed, builtin_mixers()); !wrong.empty())
            return fail(to_error(wrong));
        return cost_json(*parsed, context);
    }
    if (!spec->is_string())
        return fail(
            to_error({{.path = "params.spec", .rule = "must be a SPEC text or a spec object", .found = ""}}));
    request.text = spec->get<std::string>();
    if (const Result<Project> found = find_project(project)) request.project_folder = found->folder();
    const Result<ArchitectureSpec> resolved = resolve_spec(request);
    if (!resolved) return fail(resolved.error());
    return cost_json(*resolved, context);
}

Result<Json> run_list(const Json& params, const std::string& default_project) {
    Parameters given(params);
    std::string folder = default_project;
    given.reader.text("project", folder);
    if (Result<void> good = given.check(); !good) return fail(good.error());
    const Result<Project> project = find_project(folder);
    if (!project) return fail(project.error());
    Json list = Json::array();
    for (const RunEntry& run : project->runs()) list.push_back(to_json(run));
    return list;
}

Result<RunFolder> run_of(Parameters& given, const std::string& default_project) {
    std::string run;
    std::string folder = default_project;
    given.reader.require("run");
    given.reader.text("run", run);
    given.reader.text("project", folder);
    if (Result<void> good = given.check(); !good) return fail(good.error());
    return find_run(run, folder);
}

Result<Json> run_status(const Json& params, const std::string& default_project) {
    Parameters given(params);
    const Result<RunFolder> folder = run_of(given, default_project);
    if (!folder) return fail(folder.error());
    const Result<RunStatus> status = read_run_status(*folder);
    if (!status) return fail(status.error());
    return to_json(*status);
}

Result<Json> run_command(const Json& params, const std::string& default_project) {
    Parameters given(params);
    std::string kind;
    given.reader.require("command");
    given.reader.text("command", kind);
    const Result<RunFolder> folder = run_of(given, default_project);
    if (!folder) return fail(folder.error());
    const Result<std::string> id = post_command(*folder, kind);
    if (!id) return fail(id.error());
    return Json{{"id", *id}};
}

Result<Json> study_state(const Json& params, const std::string& default_project) {
    Parameters given(params);
    std::string name;
    std::string folder = default_project;
    given.reader.require("study");
    given.reader.text("study", name);
    given.reader.text("project", folder);
    if (Result<void> good = given.check(); !good) return fail(good.error());
    Result<OpenedStudy> study = open_study(name, folder, {}, DataNeed::optional);
    if (!study) return fail(std::move(study.error()));
    return study_json(study->spec, state_of(*study));
}

Result<Json> devices(const Json& params) {
    Parameters given(params);
    bool cuda = false;
    given.reader.flag("cuda", cuda);
    if (Result<void> good = given.check(); !good) return fail(good.error());
    Error problem;
    Json list = Json::array();
    for (const DeviceInfo& device : list_devices(cuda, &problem))
        list.push_back({{"name", device.name},
                        {"title", device.title},
                        {"memory", device.memory},
                        {"details", device.details}});
    return Json{{"devices", list}, {"problem", problem.message}};
}

}  // namespace

void RpcServer::add_methods() {
    methods_["ping"] = {.help = "Answers \"pong\"",
                        .parameters = "",
                        .call = [](const Json&) -> Result<Json> { return Json("pong"); }};
    methods_["version"] = {
        .help = "Version, commit, LibTorch", .parameters = "", .call = [](const Json&) -> Result<Json> {
            return Json{
                {"version", braid_version()}, {"commit", braid_commit()}, {"libtorch", torch_version()}};
        }};
    methods_["devices"] = {.help = "Where models can run; with cuda: true the plugin is loaded",
                           .parameters = "cuda?",
                           .call = [](const Json& params) { return devices(params); }};
    methods_["arch.cost"] = {.help = "As arch show --json; spec is a SPEC text or a spec object",
                             .parameters = "spec, scale?, context?, vocab?, project?",
                             .call = [this](const Json& params) { return arch_cost(params, project_); }};
    methods_["run.list"] = {.help = "As run list --json",
                            .parameters = "project?",
                            .call = [this](const Json& params) { return run_list(params, project_); }};
    methods_["run.status"] = {.help = "State, step and latest values of a run",
                              .parameters = "run, project?",
                              .call = [this](const Json& params) { return run_status(params, project_); }};
    methods_["run.command"] = {.help = "Posts pause, resume, checkpoint or stop; run.status tells the effect",
                               .parameters = "run, command, project?",
                               .call = [this](const Json& params) { return run_command(params, project_); }};
    methods_["capture"] = {
        .help = "As capture --json, in short; progress is told by notifications, and cancel stops it",
        .parameters = capture_parameters,
        .begin = [this](const Json& params) { return capture_work(params, project_, models_); }};
    methods_["cancel"] = {.help =
                              "Stops the request with this id, which is answered as interrupted; false: "
                              "there is none that is not answered yet",
                          .parameters = "id",
                          .call = [this](const Json& params) -> Result<Json> {
                              Parameters given(params);
                              const Json* id = given.reader.require("id");
                              if (Result<void> good = given.check(); !good) return fail(good.error());
                              return Json(worker_.cancel(*id));
                          }};
    methods_["study.state"] = {.help = "As study show --json",
                               .parameters = "study, project?",
                               .call = [this](const Json& params) { return study_state(params, project_); }};
}

}  // namespace braid::cli
