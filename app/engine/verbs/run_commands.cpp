// run pause | resume | checkpoint | stop | rm
#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "app/engine/cli/output.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/run_json.h"
#include "app/engine/cli/settings.h"
#include "app/engine/verbs/run_verbs.h"
#include "core/engine/trainer.h"
#include "core/launch/launcher.h"
#include "core/record/inbox.h"

namespace braid::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto patience = 10s;

struct CommandOptions {
    std::vector<std::string> runs;
    std::string project;
    bool json = false;
    std::vector<std::string> settings;  // of a resume
    bool forever = false;
    bool kill = false;
};

bool works(const RunStatus& status) {
    return status.state == RunState::running || status.state == RunState::paused;
}

// What one run answered.
struct Answer {
    std::string id;
    std::string text = {};
    double acknowledged_ms = -1;  // after the command was posted; below 0: not asked
    std::optional<Error> error = {};
};

// Posts a command and waits until it was acknowledged and has taken effect, or the engine has ended.
Answer command(const RunFolder& folder, const std::string& kind) {
    Answer answer{.id = folder.name()};
    RunReader reader(folder, {.series = false, .events = false});
    const auto begin = Clock::now();
    const Result<std::string> id = post_command(folder, kind);
    if (!id) {
        answer.error = id.error();
        return answer;
    }
    while (Clock::now() - begin < patience) {
        const std::shared_ptr<const RunSnapshot> run = reader.poll();
        for (const CommandRecord& record : run->commands) {
            if (record.id != *id) continue;
            if (!record.acknowledged.empty() && answer.acknowledged_ms < 0)
                answer.acknowledged_ms =
                    std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
            if (!record.done.empty()) {
                answer.text = record.answer.empty() ? "done" : record.answer;
                return answer;
            }
        }
        if (!works(run->status)) {
            answer.text = std::string(to_text(run->status.state));
            return answer;
        }
        std::this_thread::sleep_for(10ms);
    }
    if (answer.acknowledged_ms >= 0)
        answer.text = "acknowledged; takes effect after the present micro-batch";
    else
        answer.error = Error{.kind = ErrorKind::unavailable,
                             .message = "the engine did not answer within 10 s",
                             .path = folder.path(),
                             .hint = "braid-engine run stop --kill ends it; it can be resumed"};
    return answer;
}

Answer need_working(const RunFolder& folder, const std::string& kind) {
    const Result<RunStatus> status = read_run_status(folder);
    if (!status) return {.id = folder.name(), .text = {}, .error = status.error()};
    if (!works(*status))
        return {.id = folder.name(),
                .text = {},
                .error = Error{
                    .kind = ErrorKind::unavailable,
                    .message = "no engine works on this run; it is " + std::string(to_text(status->state)),
                    .path = folder.path(),
                    .hint = status->state == RunState::finished ? "" : "braid-engine run resume goes on"}};
    return command(folder, kind);
}

// What may change between two attempts without changing what is trained.
constexpr std::array<std::string_view, 9> changeable = {
    "micro_batches",    "activation_memory", "device",           "gpus", "threads", "evaluate_every",
    "checkpoint_every", "keep_checkpoints",  "trace_checkpoints"};

std::string changeable_text() {
    std::string text;
    for (const std::string_view key : changeable) text.append(text.empty() ? "" : ", ").append(key);
    return text;
}

Result<void> change_plan(const RunFolder& folder, const std::vector<std::string>& settings) {
    Result<RunPlan> plan = folder.plan();
    if (!plan) return fail(plan.error());
    Diagnostics problems = apply_settings(settings, plan->training, plan->data);
    for (const std::string& setting : settings) {
        const std::string key = setting.substr(0, setting.find('='));
        if (std::find(changeable.begin(), changeable.end(), key) == changeable.end())
            problems.push_back(
                {.path = "--set " + key,
                 .rule = "would train something else; a resume can change " + changeable_text(),
                 .found = setting});
    }
    for (Diagnostic problem : validate(TrainerSetup{.architecture = plan->architecture,
                              .training = plan->training,
                              .data = plan->data,
                              .phases = plan->phases}))
        problems.push_back(std::move(problem));
    if (!problems.empty()) return fail(to_error(problems));
    return write_plan(folder.plan_file(), *plan);
}

// A paused run goes on; one that no engine works on is started again.
Answer resume(const RunFolder& folder, const std::vector<std::string>& settings) {
    const Result<RunStatus> status = read_run_status(folder);
    if (!status) return {.id = folder.name(), .text = {}, .error = status.error()};
    if (works(*status) && !settings.empty())
        return {.id = folder.name(),
                .text = {},
                .error = Error{.kind = ErrorKind::busy,
                               .message = "an engine works on this run: its plan cannot change now",
                               .path = folder.path(),
                               .hint = "Stop it first: braid-engine run stop " + folder.name()}};
    if (works(*status)) return command(folder, "resume");
    if (status->state == RunState::finished) return {.id = folder.name(), .text = "finished already"};
    if (!settings.empty())
        if (const Result<void> changed = change_plan(folder, settings); !changed)
            return {.id = folder.name(), .text = {}, .error = changed.error()};
    const Result<EngineProcess> process = start_run(folder);
    if (!process) return {.id = folder.name(), .text = {}, .error = process.error()};
    return {.id = folder.name(), .text = "started, process " + std::to_string(process->identity().pid)};
}

Answer stop(const RunFolder& folder, bool kill) {
    const Result<RunStatus> status = read_run_status(folder);
    if (!status) return {.id = folder.name(), .text = {}, .error = status.error()};
    if (!works(*status))
        return {.id = folder.name(), .text = std::string(to_text(status->state)) + " already"};
    if (!kill) return command(folder, "stop");
    if (const Result<void> stopped = stop_run(folder, {.kill = true}); !stopped)
        return {.id = folder.name(), .text = {}, .error = stopped.error()};
    return {.id = folder.name(), .text = "stopped"};
}

Answer remove(const RunFolder& folder, const CommandOptions& options) {
    const std::string place = options.project.empty() ? project_folder_of(folder) : options.project;
    const Result<Project> project = Project::open(place);
    if (!project) return {.id = folder.name(), .text = {}, .error = project.error()};
    const Result<std::string> trashed =
        project->remove_run(folder, options.forever ? Project::Removal::forever : Project::Removal::to_trash);
    if (!trashed) return {.id = folder.name(), .text = {}, .error = trashed.error()};
    return {.id = folder.name(), .text = trashed->empty() ? "removed" : "moved to " + *trashed};
}

Result<void> for_each(const CommandOptions& options, const std::function<Answer(const RunFolder&)>& act) {
    Table table({{"RUN"}, {"ANSWER"}, {"ACKNOWLEDGED", true}});
    Json document = Json::array();
    std::vector<Error> errors;
    for (const std::string& text : options.runs) {
        const Result<RunFolder> folder = find_run(text, options.project);
        const Answer answer = folder ? act(*folder) : Answer{.id = text, .text = {}, .error = folder.error()};
        const std::string said = answer.error ? describe(*answer.error) : answer.text;
        if (answer.error) errors.push_back(*answer.error);
        table.add({answer.id, said,
                   answer.acknowledged_ms < 0 ? "" : real_text(answer.acknowledged_ms, 0) + " ms"});
        document.push_back(
            {{"run", answer.id},
             {"ok", !answer.error.has_value()},
             {"answer", said},
             {"acknowledged_ms", answer.acknowledged_ms < 0 ? Json(nullptr) : Json(answer.acknowledged_ms)}});
    }
    if (options.json)
        print(document);
    else if (options.runs.size() > 1 || errors.empty())
        print(table);
    if (errors.empty()) return {};
    if (errors.size() == 1) return fail(errors.front());
    return fail(errors.front().kind, std::to_string(errors.size()) + " of " +
                                         std::to_string(options.runs.size()) +
                                         " runs could not; see the table");
}

using Act = std::function<Answer(const RunFolder&, const CommandOptions&)>;

CLI::App& add(CommandLine& line, CLI::App& run, VerbText text, const Act& act,
              const std::shared_ptr<CommandOptions>& options) {
    CLI::App& verb = line.verb(run, std::move(text), [options, act] {
        return for_each(*options, [&](const RunFolder& folder) { return act(folder, *options); });
    });
    verb.add_option("RUN", options->runs, run_help)->required();
    add_project_option(verb, options->project);
    add_json_option(verb, options->json);
    return verb;
}

}  // namespace

void add_run_commands(CommandLine& line, CLI::App& run) {
    const auto options = [] { return std::make_shared<CommandOptions>(); };
    add(
        line, run,
        {.name = "pause",
         .summary = "Let a run wait, its engine kept",
         .example = "braid-engine run pause a91f"},
        [](const RunFolder& folder, const CommandOptions&) { return need_working(folder, "pause"); },
        options());
    const auto resuming = options();
    CLI::App& resume_verb = add(
        line, run,
        {.name = "resume",
         .summary = "Let a paused run go on, or start a stopped, failed or lost one from its last checkpoint",
         .example = "braid-engine run resume a91f\nbraid-engine run resume a91f --set micro_batches=8"},
        [](const RunFolder& folder, const CommandOptions& given) { return resume(folder, given.settings); },
        resuming);
    resume_verb
        .add_option("--set", resuming->settings, "Before it starts again, any of " + changeable_text())
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add(
        line, run,
        {.name = "checkpoint", .summary = "Save a run now", .example = "braid-engine run checkpoint a91f"},
        [](const RunFolder& folder, const CommandOptions&) { return need_working(folder, "checkpoint"); },
        options());
    const auto stopping = options();
    CLI::App& stop_verb = add(
        line, run,
        {.name = "stop",
         .summary = "Save a run and end its engine",
         .example = "braid-engine run stop a91f 7c2"},
        [](const RunFolder& folder, const CommandOptions& given) { return stop(folder, given.kill); },
        stopping);
    stop_verb.add_flag("--kill", stopping->kill,
                       "End an engine that does not answer; work since its last checkpoint is lost");
    const auto removing = options();
    CLI::App& rm_verb = add(
        line, run,
        {.name = "rm", .summary = "Move runs to the project's trash", .example = "braid-engine run rm a91f"},
        [](const RunFolder& folder, const CommandOptions& given) { return remove(folder, given); }, removing);
    rm_verb.add_flag("--forever", removing->forever, "Delete them instead");
}

}  // namespace braid::cli
