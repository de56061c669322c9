// run list | show
#include "app/engine/cli/output.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/run_json.h"
#include "app/engine/verbs/run_verbs.h"
#include "core/mixers/builtin.h"
#include "core/spec/shorthand.h"

namespace braid::cli {
namespace {

struct ListOptions {
    std::string project, study;
    bool json = false;
};

struct ShowOptions {
    std::string run, project;
    bool json = false;
};

std::string step_text(const RunStatus& status, std::int64_t steps) {
    return std::to_string(status.step.value) + (steps > 0 ? "/" + std::to_string(steps) : "");
}

std::string latest(const RunStatus& status, const char* metric, int decimals) {
    const auto found = status.latest.find(metric);
    return found == status.latest.end() ? "" : real_text(found->second, decimals);
}

Result<void> list(const ListOptions& options) {
    const Result<Project> project = find_project(options.project);
    if (!project) return fail(project.error());
    Table table({{"RUN"}, {"STATE"}, {"STEP", true}, {"LOSS", true}, {"CREATED"}, {"STUDY"}, {"NAME"}});
    Json document = Json::array();
    for (const RunEntry& run : project->runs()) {
        if (!options.study.empty() && run.study.str() != options.study) continue;
        document.push_back(to_json(run));
        table.add({run.id.str(), run.problem ? "broken" : std::string(to_text(run.status.state)),
                   step_text(run.status, run.steps), latest(run.status, "loss", 3), run.created,
                   run.study.str(), run.problem ? describe(*run.problem) : run.name});
    }
    if (options.json)
        print(document);
    else if (table.empty())
        print("no runs in " + project->folder() + "\n");
    else
        print(table);
    return {};
}

Json list_json(const auto& values) {
    Json json = Json::array();
    for (const auto& value : values) json.push_back(to_json(value));
    return json;
}

// Of the last event of a kind; empty where there is none.
std::string last_message(const RunSnapshot& run, std::string_view kind) {
    std::string message;
    for (const RunEvent& event : run.events)
        if (event.kind == kind) message = event.message;
    return message;
}

Result<void> show(const ShowOptions& options) {
    const Result<RunFolder> folder = find_run(options.run, options.project);
    if (!folder) return fail(folder.error());
    const Result<RunPlan> plan = folder->plan();
    if (!plan) return fail(plan.error());
    RunReader reader(*folder);
    const std::shared_ptr<const RunSnapshot> run = reader.poll();
    if (run->problem) return fail(*run->problem);
    if (options.json) {
        Json document = {{"id", plan->id.str()},
                         {"folder", folder->path()},
                         {"plan", to_json(*plan)},
                         {"status", to_json(run->status)},
                         {"attempts", list_json(run->attempts)},
                         {"checkpoints", list_json(run->checkpoints)},
                         {"commands", list_json(run->commands)},
                         {"events", list_json(run->events)}};
        print(document);
        return {};
    }
    const RunStatus& status = run->status;
    std::string text;
    const auto line = [&text](const std::string& label, const std::string& value) {
        if (!value.empty())
            text += label + std::string(14 - std::min<std::size_t>(13, label.size()), ' ') + value + "\n";
    };
    line("run", plan->id.str() + (plan->name.empty() ? "" : "  " + plan->name));
    line("folder", folder->path());
    line("state", std::string(to_text(status.state)) + (status.message.empty() ? "" : ": " + status.message));
    line("step", step_text(status, total_steps(*plan)));
    line("architecture", format_pattern(plan->architecture.layers, plan->architecture, builtin_mixers()));
    line("data", plan->data.kind + (plan->data.corpus.empty() ? "" : " " + plan->data.corpus));
    line("study", plan->study.empty() ? "" : plan->study.str() + " " + plan->point);
    line("created", plan->created);
    line("updated", status.updated);
    line("checkpoint", status.checkpoint ? "step " + std::to_string(status.checkpoint->value) : "");
    line("steps are", last_message(*run, "step"));
    line("kernels", last_message(*run, "kernels"));
    line("command", plan->command);
    Table metrics({{"METRIC"}, {"LATEST", true}, {"VALUES", true}});
    for (const auto& [metric, series] : run->series)
        if (series.size() > 0)
            metrics.add({metric, real_text(series.values.back(), 4),
                         with_commas(static_cast<std::int64_t>(series.size()))});
    if (!metrics.empty()) text += "\n" + metrics.text();
    Table attempts({{"ATTEMPT", true}, {"FROM", true}, {"HOST"}, {"PID", true}, {"STARTED"}, {"ENDED"}});
    for (const Attempt& attempt : run->attempts)
        attempts.add({std::to_string(attempt.number.value),
                      attempt.from.value < 0 ? "" : std::to_string(attempt.from.value), attempt.process.host,
                      std::to_string(attempt.process.pid), attempt.started, attempt.ended});
    if (!attempts.empty()) text += "\n" + attempts.text();
    print(text);
    return {};
}

}  // namespace

void add_run_list(CommandLine& line, CLI::App& run) {
    const auto listing = std::make_shared<ListOptions>();
    CLI::App& list_verb = line.verb(
        run,
        {.name = "list", .summary = "Runs of the project, oldest first", .example = "braid-engine run list"},
        [listing] { return list(*listing); });
    list_verb.add_option("--study", listing->study, "Only the runs of this study")->type_name("NAME");
    add_project_option(list_verb, listing->project);
    add_json_option(list_verb, listing->json);

    const auto showing = std::make_shared<ShowOptions>();
    CLI::App& show_verb =
        line.verb(run,
                  {.name = "show",
                   .summary = "State, plan, attempts, checkpoints and latest values of a run",
                   .example = "braid-engine run show a91f --json"},
                  [showing] { return show(*showing); });
    show_verb.add_option("RUN", showing->run, run_help)->required();
    add_project_option(show_verb, showing->project);
    add_json_option(show_verb, showing->json);
}

}  // namespace braid::cli
