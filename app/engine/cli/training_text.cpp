#include "app/engine/cli/training_text.h"

#include <cmath>

#include "app/engine/cli/output.h"
#include "app/engine/cli/run_json.h"

namespace braid::cli {

std::string progress_text(const TrainingProgress& progress) {
    std::string text =
        "step " + std::to_string(progress.step.value) + "/" + std::to_string(progress.steps.value);
    if (progress.state == RunState::paused) return text + "  paused";
    if (progress.step.value > 0 && std::isfinite(progress.loss))
        text += "  loss " + real_text(progress.loss, 3);
    for (const auto& [metric, value] : progress.evaluation) {
        std::string name = metric;
        for (char& c : name)
            if (c == '/') c = ' ';
        text += "  " + name + " " + real_text(value, metric.starts_with("eval/") ? 3 : 2);
    }
    if (progress.tokens_per_s > 0) text += "  " + short_number(progress.tokens_per_s) + " tokens/s";
    return text + "  ETA " + duration_text(progress.seconds_left);
}

double progress_fraction(const TrainingProgress& progress) {
    return progress.steps.value == 0
               ? 0
               : static_cast<double>(progress.step.value) / static_cast<double>(progress.steps.value);
}

Json outcome_json(const RunFolder& folder, const TrainingOutcome& outcome) {
    Json json = {{"run", folder.name()},
                 {"folder", folder.path()},
                 {"state", to_text(outcome.state)},
                 {"step", outcome.step.value},
                 {"tokens", outcome.tokens.value},
                 {"loss", number(outcome.loss)},
                 {"tokens_per_s", number(outcome.tokens_per_s)},
                 {"seconds", number(outcome.seconds)},
                 {"metrics", Json::object()}};
    for (const auto& [metric, value] : outcome.evaluation) json["metrics"][metric] = number(value);
    return json;
}

std::string shell_word(const std::string& word) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_' || c == '.' || c == '/' || c == '=' || c == ':' || c == '+' || c == ',';
    };
    bool simple = !word.empty();
    for (const char c : word) simple = simple && plain(c);
    if (simple) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

}  // namespace braid::cli
