#include "core/spec/tasks/copy.h"

namespace braid {
namespace {

Diagnostics check(const ParameterValues& values, std::int64_t context) {
    const std::int64_t length = copy_length(values, context);
    if (length >= 1 && 2 * length <= context) return {};
    return {{.path = context < 2 ? "training.context" : "data.length",
             .rule = context < 2 ? "must be at least 2 for this task"
                                 : "must be at most half the context (" + std::to_string(context / 2) + ")",
             .found = std::to_string(context < 2 ? context : length)}};
}

}  // namespace

std::int64_t copy_symbols(const ParameterValues& values) {
    return values.integer("symbols", copy_task.parameters);
}

std::int64_t copy_length(const ParameterValues& values, std::int64_t context) {
    const std::int64_t length = values.integer("length", copy_task.parameters);
    return length == 0 ? context / 2 : length;
}

const TaskKind copy_task = {
    .id = "copy",
    .title = "Copying",
    .help =
        "Random symbols, a separator, the same symbols again. Accuracy is measured by the third of the copy.",
    .citation = "Jelassi et al., Repeat After Me, 2024 (arXiv:2402.01032)",
    .parameters = {{.key = "symbols",
                    .label = "Symbols",
                    .help = "Different symbols; chance level is one in so many.",
                    .default_value = std::int64_t{32},
                    .minimum = 2,
                    .maximum = 65'536},
                   {.key = "length",
                    .label = "Length",
                    .unit = "tokens",
                    .help = "Symbols to copy; 0: half the context.",
                    .default_value = std::int64_t{0},
                    .minimum = 0,
                    .maximum = 1e7},
                   evaluation_sequences_parameter()},
    .vocab = [](const ParameterValues& values) { return copy_symbols(values) + 2; },
    .check = check,
};

}  // namespace braid
