// run metrics | tail
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include "app/engine/cli/output.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/run_json.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/run_verbs.h"

namespace braid::cli {
namespace {

struct MetricsOptions {
    std::string run, project;
    std::vector<std::string> metrics;
    bool json = false;
};

struct TailOptions {
    std::string run, project;
    std::int64_t lines = 10;
    bool follow = false;
    bool json = false;
};

std::string exact(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return Json(value).dump();
}

// One line a step, one column a metric, an empty cell where a step has no value.
std::string csv(const std::map<std::string, Series>& series) {
    std::set<std::int64_t> steps;
    std::string text = "step";
    for (const auto& [metric, values] : series) {
        text += "," + metric;
        steps.insert(values.steps.begin(), values.steps.end());
    }
    text += "\n";
    std::map<std::string, std::size_t> at;
    for (const std::int64_t step : steps) {
        text += std::to_string(step);
        for (const auto& [metric, values] : series) {
            std::size_t& i = at[metric];
            text += ",";
            if (i < values.size() && values.steps[i] == step) text += exact(values.values[i++]);
        }
        text += "\n";
    }
    return text;
}

Result<void> metrics(const MetricsOptions& options) {
    const Result<RunFolder> folder = find_run(options.run, options.project);
    if (!folder) return fail(folder.error());
    RunReader reader(*folder, {.events = false});
    const std::shared_ptr<const RunSnapshot> run = reader.poll();
    if (run->problem) return fail(*run->problem);
    std::map<std::string, Series> chosen;
    Diagnostics problems;
    for (const std::string& metric : options.metrics) {
        const auto found = run->series.find(metric);
        if (found != run->series.end()) {
            chosen.insert(*found);
            continue;
        }
        std::string known;
        for (const auto& [name, values] : run->series) known += (known.empty() ? "" : ", ") + name;
        problems.push_back(
            {.path = "METRIC",
             .rule = known.empty() ? "cannot be found: the run has no values yet" : "must be one of " + known,
             .found = metric});
    }
    if (!problems.empty()) return fail(to_error(problems));
    if (options.metrics.empty()) chosen = run->series;
    if (!options.json) {
        print(csv(chosen));
        return {};
    }
    Json document = {{"run", folder->name()}, {"series", Json::object()}};
    for (const auto& [metric, series] : chosen) {
        Json values = Json::array();
        for (const double value : series.values) values.push_back(number(value));
        document["series"][metric] = {
            {"step", std::vector<std::int64_t>(series.steps.begin(), series.steps.end())},
            {"value", std::move(values)}};
    }
    print(document);
    return {};
}

// The values of one step as a line; the evaluation only where there is one.
std::string step_line(const RunSnapshot& run, std::int64_t step, bool json) {
    Json document = {{"step", step}};
    std::string text = "step " + std::to_string(step);
    for (const auto& [metric, series] : run.series) {
        const auto found = std::lower_bound(series.steps.begin(), series.steps.end(), step);
        if (found == series.steps.end() || *found != step) continue;
        const double value = series.values[static_cast<std::size_t>(found - series.steps.begin())];
        document[metric] = number(value);
        text += "  " + metric + " " + (metric == "lr" ? exact(value) : real_text(value, 4));
    }
    return json ? document.dump() : text;
}

Result<void> tail(const TailOptions& options) {
    const Result<RunFolder> folder = find_run(options.run, options.project);
    if (!folder) return fail(folder.error());
    RunReader reader(*folder);
    std::int64_t shown = std::numeric_limits<std::int64_t>::min();
    std::uint64_t generation = 0;
    std::size_t events_shown = 0;
    for (bool first = true;; first = false) {
        const std::shared_ptr<const RunSnapshot> run = reader.poll();
        if (run->problem && first) return fail(*run->problem);
        const auto loss = run->series.find("loss");
        const std::size_t size = loss == run->series.end() ? 0 : loss->second.size();
        if (run->generation != generation && !first && size > 0) shown = run->attempts.back().from.value;
        generation = run->generation;
        const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(options.lines, 0));
        std::size_t begin = first ? size - std::min(size, wanted) : size;
        if (!first)
            while (begin > 0 && loss->second.steps[begin - 1] > shown) --begin;
        if (first) events_shown = run->events.size() - std::min(run->events.size(), wanted);
        for (; events_shown < run->events.size(); ++events_shown) {
            const RunEvent& event = run->events[events_shown];
            print(options.json ? to_json(event).dump() + "\n" : event.time + "  " + event.message + "\n");
        }
        for (std::size_t i = begin; i < size; ++i)
            print(step_line(*run, loss->second.steps[i], options.json) + "\n");
        if (size > 0) shown = loss->second.steps[size - 1];
        const RunState state = run->status.state;
        if (!options.follow || is_final(state) || state == RunState::lost) {
            if (options.follow)
                print(options.json ? to_json(run->status).dump() + "\n" : std::string(to_text(state)) + "\n");
            return {};
        }
        for (int i = 0; i < 4 && !stop_requested(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (stop_requested()) return fail(ErrorKind::interrupted, "no longer followed; the run goes on");
    }
}

}  // namespace

void add_run_metrics(CommandLine& line, CLI::App& run) {
    const auto printing = std::make_shared<MetricsOptions>();
    CLI::App& metrics_verb =
        line.verb(run,
                  {.name = "metrics",
                   .summary = "Every value of a run, as CSV or JSON",
                   .example = "braid-engine run metrics a91f loss recall/far > a91f.csv"},
                  [printing] { return metrics(*printing); });
    metrics_verb.add_option("RUN", printing->run, run_help)->required();
    metrics_verb.add_option("METRIC", printing->metrics, "Only these (loss, recall/far, ...)")
        ->expected(0, 1000);
    add_project_option(metrics_verb, printing->project);
    add_json_option(metrics_verb, printing->json);

    const auto tailing = std::make_shared<TailOptions>();
    CLI::App& tail_verb = line.verb(run,
                                    {.name = "tail",
                                     .summary = "The last steps and messages of a run, and the coming ones",
                                     .example = "braid-engine run tail a91f --follow"},
                                    [tailing] { return tail(*tailing); });
    tail_verb.add_option("RUN", tailing->run, run_help)->required();
    tail_verb.add_option("-n,--lines", tailing->lines, "Steps to begin with")
        ->capture_default_str()
        ->type_name("N");
    tail_verb.add_flag("-f,--follow", tailing->follow, "Go on until the run ends");
    add_project_option(tail_verb, tailing->project);
    add_json_option(tail_verb, tailing->json);
}

}  // namespace braid::cli
