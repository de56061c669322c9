#include "app/engine/verbs/run_control.h"

#include <chrono>
#include <thread>

#include "app/engine/cli/output.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/run_json.h"
#include "app/engine/verbs/run_verbs.h"
#include "core/record/inbox.h"

namespace braid::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto patience = 10s;

Result<void> for_each(const ControlOptions& options, const Control& control) {
    Table table({{"RUN"}, {"ANSWER"}, {"ACKNOWLEDGED", true}});
    Json document = Json::array();
    std::vector<Error> errors;
    for (const std::string& text : options.runs) {
        const Result<RunFolder> folder = find_run(text, options.project);
        const ControlAnswer answer = folder ? control(*folder, options)
                                            : ControlAnswer{.id = text, .text = {}, .error = folder.error()};
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

}  // namespace

bool works(const RunStatus& status) {
    return status.state == RunState::running || status.state == RunState::paused;
}

ControlAnswer command(const RunFolder& folder, const std::string& kind) {
    ControlAnswer answer{.id = folder.name()};
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

CLI::App& add_control(CommandLine& line, CLI::App& run, VerbText text, const Control& control) {
    const auto options = std::make_shared<ControlOptions>();
    CLI::App& verb =
        line.verb(run, std::move(text), [options, control] { return for_each(*options, control); });
    verb.add_option("RUN", options->runs, run_help)->required();
    add_project_option(verb, options->project);
    add_json_option(verb, options->json);
    return verb;
}

}  // namespace braid::cli
