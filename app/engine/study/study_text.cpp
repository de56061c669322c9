#include "app/engine/study/study_text.h"

#include <cmath>

#include "app/engine/cli/output.h"
#include "app/engine/study/study_json.h"

namespace braid::cli {
namespace {

std::string metric_text(const RunStatus& status) {
    std::string text;
    const auto add = [&](const char* metric, const char* name, int decimals) {
        if (const auto found = status.latest.find(metric); found != status.latest.end())
            text += std::string("  ") + name + " " + real_text(found->second, decimals);
    };
    add("loss", "loss", 3);
    add("recall/near", "near", 2);
    add("recall/mid", "mid", 2);
    add("recall/far", "far", 2);
    add("eval/loss", "eval", 3);
    return text;
}

}  // namespace

void draw(Progress& progress, const std::string& name, const StudyProgress& now) {
    const std::string head =
        name + "  " + std::to_string(now.finished) + " of " + std::to_string(now.points) + " done";
    const std::string tail =
        real_text(now.fraction * 100, 0) + " %" +
        (now.stopping                                          ? "  stopping, the work is being saved"
         : std::isfinite(now.seconds_left) || now.note.empty() ? "  ETA " + duration_text(now.seconds_left)
                                                               : "");
    std::vector<std::string> lines{head + "  " + Progress::bar(now.fraction) + "  " + tail};
    std::string summary = head + "  " + tail;
    if (!now.note.empty()) {
        lines.push_back("  " + now.note);
        summary += "  |  " + now.note;
    }
    for (const RunningPoint& point : now.running) {
        const std::string steps = std::to_string(point.status.step.value) + "/" + std::to_string(point.steps);
        const std::string state = point.status.state == RunState::paused ? "  paused" : "";
        lines.push_back("  " + point.label + "  " + steps + metric_text(point.status) + state);
        summary += "  |  " + point.label + " " + steps + state;
    }
    progress.update(lines, summary);
}

void print_result(const OpenedStudy& study, const StudyState& state, bool json) {
    if (json) {
        print(study_json(study.spec, state));
        return;
    }
    const StudyMeasure& measure = study.spec.measure;
    Table table({{"VARIANT"},
                 {"SEED", true},
                 {"RUN"},
                 {"STATE"},
                 {"STEPS TO " + measure.metric + " >= " + real_text(measure.threshold, 2), true},
                 {"TOKENS", true},
                 {"LAST", true}});
    for (const PointState& point : state.points) {
        const Reached reached = threshold_of(point, measure);
        const bool finished = point.state() == RunState::finished;
        table.add({point.planned.point.label, std::to_string(point.planned.point.seed),
                   point.run ? point.run->id.str() : "", std::string(to_text(point.state())),
                   reached.step ? std::to_string(*reached.step)
                   : finished   ? "never"
                                : "",
                   reached.tokens ? with_commas(*reached.tokens) : "",
                   reached.last ? real_text(*reached.last, 3) : ""});
    }
    print(table);
}

}  // namespace braid::cli
