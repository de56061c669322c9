#include "core/spec/tasks/recall.h"

namespace braid {
namespace {

std::vector<ParameterDescription> describe_parameters() {
    const RecallParameters defaults;
    return {
        {.key = "keys",
         .label = "Keys",
         .help = "Different keys a sequence may use.",
         .default_value = defaults.keys,
         .minimum = 2,
         .maximum = 16'384},
        {.key = "values",
         .label = "Values",
         .help = "Different values; chance level is one in so many.",
         .default_value = defaults.values,
         .minimum = 2,
         .maximum = 16'384},
        {.key = "new_key",
         .label = "New key",
         .help = "Probability that a pair brings a key not seen before.",
         .default_value = defaults.new_key,
         .minimum = 0,
         .maximum = 1},
        {.key = "near",
         .label = "Near",
         .unit = "tokens",
         .help = "Largest distance that counts as near.",
         .default_value = defaults.near,
         .minimum = 1,
         .maximum = 1e6},
        {.key = "asked",
         .label = "Far keys",
         .help = "Keys that open an evaluation sequence and are asked once, far away.",
         .default_value = defaults.asked,
         .minimum = 1,
         .maximum = 1'000},
        {.key = "evaluation_sequences",
         .label = "Evaluation sequences",
         .help = "Sequences of the evaluation set.",
         .default_value = defaults.evaluation_sequences,
         .minimum = 1,
         .maximum = 100'000},
    };
}

Diagnostics check(const ParameterValues& values, std::int64_t context) {
    const RecallParameters parameters = recall_parameters(values);
    Diagnostics problems;
    if (context < 8 * parameters.asked)
        problems.push_back({.path = "training.context",
                            .rule = "must be at least 8 x the far keys (" +
                                    std::to_string(8 * parameters.asked) + ") for this task",
                            .found = std::to_string(context)});
    if (parameters.near >= context / 2)
        problems.push_back(
            {.path = "data.near",
             .rule = "must be less than half the context (" + std::to_string(context / 2) + ")",
             .found = std::to_string(parameters.near)});
    if (parameters.keys <= parameters.asked)
        problems.push_back(
            {.path = "data.keys",
             .rule = "must be more than the far keys (" + std::to_string(parameters.asked) + ")",
             .found = std::to_string(parameters.keys)});
    return problems;
}

}  // namespace

RecallParameters recall_parameters(const ParameterValues& values) {
    const auto& descriptions = recall_task.parameters;
    const auto integer = [&](const char* key) {
        return std::get<std::int64_t>(values.get(key, descriptions));
    };
    return {.keys = integer("keys"),
            .values = integer("values"),
            .new_key = std::get<double>(values.get("new_key", descriptions)),
            .near = integer("near"),
            .asked = integer("asked"),
            .evaluation_sequences = integer("evaluation_sequences")};
}

const TaskKind recall_task = {
    .id = "recall",
    .title = "Recency-skewed recall",
    .help =
        "Keys and values alternate; a key that comes again asks for its value, mostly soon, seldom from far "
        "away. Accuracy is measured by the distance to the key's last occurrence.",
    .citation = "after the associative recall of Arora et al., Zoology, 2024 (arXiv:2312.04927)",
    .parameters = describe_parameters(),
    .vocab =
        [](const ParameterValues& values) {
            const RecallParameters parameters = recall_parameters(values);
            return parameters.keys + parameters.values;
        },
    .check = check,
};

}  // namespace braid
