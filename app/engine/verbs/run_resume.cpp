// run resume
#include <algorithm>
#include <array>

#include "app/engine/cli/settings.h"
#include "app/engine/verbs/run_control.h"
#include "app/engine/verbs/run_verbs.h"
#include "core/engine/trainer.h"
#include "core/launch/launcher.h"

namespace braid::cli {
namespace {

// What may change between two attempts without changing what is trained.
constexpr std::array<std::string_view, 12> changeable = {
    "micro_batches",     "activation_memory",  "device",       "gpus",           "threads",
    "kernels.attention", "kernels.recurrence", "kernels.step", "evaluate_every", "checkpoint_every",
    "keep_checkpoints",  "trace_checkpoints"};

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
ControlAnswer resume(const RunFolder& folder, const std::vector<std::string>& settings) {
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

}  // namespace

void add_run_resume(CommandLine& line, CLI::App& run) {
    const auto settings = std::make_shared<std::vector<std::string>>();
    add_control(
        line, run,
        {.name = "resume",
         .summary = "Let a paused run go on, or start a stopped, failed or lost one from its last checkpoint",
         .example = "braid-engine run resume a91f\nbraid-engine run resume a91f --set micro_batches=8"},
        [settings](const RunFolder& folder, const ControlOptions&) { return resume(folder, *settings); })
        .add_option("--set", *settings, "Before it starts again, any of " + changeable_text())
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

}  // namespace braid::cli
