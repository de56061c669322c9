// Scores as the engine writes them, for tests of what shows them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/record/score.h"

namespace braid::ui {

inline const std::vector<std::int64_t> needle_lengths = {1'024, 2'048, 4'096, 8'192, 16'384};

// Two tasks of needles at six depths; the deeper and the longer, the worse. The longest length of the second
// task has no data. Returns the file.
inline std::string addNeedleScore(const RunFolder& folder, std::int64_t step, double skill = 1) {
    const RunPlan plan = *read_plan(folder.plan_file());
    ScoreRecord record{.kind = "niah",
                       .created = "2026-03-04T05:06:0" + std::to_string(step % 10) + "Z",
                       .command = "braid-engine eval niah " + plan.id.str() + "@" + std::to_string(step)};
    record.checkpoint = {
        .folder = folder.checkpoint_folder(Step(step)), .run = plan.id.str(), .step = Step(step)};
    record.settings = {{"variant", "niah_single_1"},
                       {"seed", 42},
                       {"samples", 10},
                       {"lengths", needle_lengths},
                       {"tokenizer", {{"kind", "byte"}}}};
    std::vector<ScoreAnswer> answers;
    double sum = 0;
    std::int64_t count = 0;
    for (const char* task : {"niah_single_1", "niah_single_2"})
        for (std::size_t l = 0; l < needle_lengths.size(); ++l)
            for (int d = 0; d < 6; ++d) {
                const double depth = d / 5.0;
                const double far = double(l) / 4 * (1 - depth * 0.7);
                const double value = std::round(100 * skill / (1 + std::exp(6 * (far - 0.62))));
                Score score{
                    .name = task, .length = needle_lengths[l], .depth = depth, .unit = "%", .samples = 10};
                if (std::string(task) == "niah_single_2" && l == 4) {
                    score.no_data = "needs --haystack FILE";
                    score.samples = 0;
                } else {
                    score.value = value;
                    score.standard_error = std::sqrt(value * (100 - value) / 10);
                    score.truncated = l == 3 ? 1 : 0;
                    score.left_out = l == 4 && d == 0 ? 2 : 0;
                    sum += value;
                    ++count;
                    for (int i = 0; i < 2; ++i) {
                        const bool right = i == 0 ? value >= 50 : value >= 90;
                        answers.push_back(
                            {.task = task,
                             .length = needle_lengths[l],
                             .depth = depth,
                             .index = i,
                             .prompt_tail = "What is the special magic number for quiet-harbor?",
                             .expected = {"7294018"},
                             .answer = right ? "The number is 7294018." : "The grass is green.",
                             .correct = right ? 1.0 : 0.0,
                             .truncated = l == 3 && i == 0});
                    }
                }
                record.scores.push_back(std::move(score));
            }
    record.summary = {{.name = "NIAH accuracy", .value = sum / double(count), .unit = "%"}};
    return *write_score(folder.path() + "/scores", record, answers);
}

// Loss by position; `against`, "b7c0@2000": paired with another checkpoint that is better far away.
inline std::string addLossScore(const RunFolder& folder, std::int64_t step, double loss,
                                const std::string& against = {}) {
    const RunPlan plan = *read_plan(folder.plan_file());
    ScoreRecord record{.kind = "loss",
                       .created = "2026-03-04T06:00:00Z",
                       .command = "braid-engine eval loss " + plan.id.str() + "@" + std::to_string(step)};
    record.checkpoint = {
        .folder = folder.checkpoint_folder(Step(step)), .run = plan.id.str(), .step = Step(step)};
    record.settings = {{"documents", "long"}, {"context", 4'096}};
    if (!against.empty())
        record.settings["against"] = {{"run", against.substr(0, against.find('@'))},
                                      {"step", std::stoll(against.substr(against.find('@') + 1))}};
    LossSeries series;
    for (int i = 0; i < 12; ++i) {  // one token, then ranges twice as long as the one before
        series.position.push_back(1.5 * (1 << i) - 1.5);
        series.loss.push_back(loss + 1.2 / (1 + i));
        series.standard_error.push_back(0.05 / (1 + i));
        if (against.empty()) continue;
        series.difference.push_back(0.02 * (i - 4));
        series.difference_error.push_back(0.01);
    }
    record.series = series;
    record.scores = {{.name = "loss", .value = loss, .unit = "nats", .samples = 64}};
    record.summary = {{.name = "loss", .value = loss, .unit = "nats"},
                      {.name = "PPL", .value = std::exp(loss), .unit = ""}};
    return *write_score(folder.path() + "/scores", record);
}

}  // namespace braid::ui
