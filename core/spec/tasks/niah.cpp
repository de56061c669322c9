#include "core/spec/tasks/niah.h"

namespace braid {
namespace {

Diagnostics check(const ParameterValues& values, std::int64_t context) {
    const NiahParameters parameters = niah_parameters(values);
    Diagnostics problems;
    if (parameters.asked > parameters.needles)
        problems.push_back(
            {.path = "data.asked",
             .rule = "must be at most the needles (" + std::to_string(parameters.needles) + ")",
             .found = std::to_string(parameters.asked)});
    if (parameters.keys < parameters.needles)
        problems.push_back(
            {.path = "data.keys",
             .rule = "must be at least the needles (" + std::to_string(parameters.needles) + ")",
             .found = std::to_string(parameters.keys)});
    const std::int64_t needed = (2 * parameters.needles + parameters.asked) * parameters.needle_tokens();
    if (context < needed)
        problems.push_back({.path = "training.context",
                            .rule = "must be at least " + std::to_string(needed) +
                                    " for these needles and questions, so that half of the haystack is hay",
                            .found = std::to_string(context)});
    return problems;
}

}  // namespace

NiahParameters niah_parameters(const ParameterValues& values) {
    const auto integer = [&](const char* key) { return values.integer(key, niah_task.parameters); };
    return {.needles = integer("needles"),
            .asked = integer("asked"),
            .value_tokens = integer("value_tokens"),
            .keys = integer("keys"),
            .values = integer("values"),
            .filler = integer("filler"),
            .evaluation_sequences = integer("evaluation_sequences")};
}

const TaskKind niah_task = {
    .id = "niah",
    .title = "Needle in a haystack",
    .help =
        "Keys with values are hidden in random tokens and asked at the end. Accuracy is measured by depth.",
    .citation = "after Kamradt, 2023, and RULER, Hsieh et al., 2024 (arXiv:2404.06654)",
    .parameters = {count_parameter("needles", "Needles", "Keys with a value hidden in a sequence.", 4, 1,
                                   1'000),
                   count_parameter("asked", "Asked", "Needles that are asked for at the end.", 1, 1, 1'000),
                   count_parameter("value_tokens", "Value tokens", "Tokens of a value.", 1, 1, 64),
                   count_parameter("keys", "Keys", "Different keys.", 32, 1, 16'384),
                   count_parameter("values", "Values",
                                   "Different tokens of values; chance level is one in so many.", 32, 2,
                                   16'384),
                   count_parameter("filler", "Filler", "Different tokens of the haystack.", 64, 1, 65'536),
                   evaluation_sequences_parameter()},
    .vocab = [](const ParameterValues& values) { return niah_parameters(values).vocab(); },
    .check = check,
};

}  // namespace braid
