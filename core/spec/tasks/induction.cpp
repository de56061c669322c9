#include "core/spec/tasks/induction.h"

namespace braid {
namespace {

Diagnostics check(const ParameterValues&, std::int64_t context) {
    if (context >= 3) return {};
    return {{.path = "training.context",
             .rule = "must be at least 3 for this task",
             .found = std::to_string(context)}};
}

}  // namespace

std::int64_t induction_symbols(const ParameterValues& values) {
    return values.integer("symbols", induction_task.parameters);
}

const TaskKind induction_task = {
    .id = "induction",
    .title = "Induction heads",
    .help =
        "A special token comes twice; behind the second the symbol that followed the first is asked. "
        "Accuracy "
        "is measured by the distance.",
    .citation = "Fu et al., H3, 2023 (arXiv:2212.14052)",
    .parameters = {{.key = "symbols",
                    .label = "Symbols",
                    .help = "Different symbols; chance level is one in so many.",
                    .default_value = std::int64_t{16},
                    .minimum = 2,
                    .maximum = 65'536},
                   evaluation_sequences_parameter()},
    .vocab = [](const ParameterValues& values) { return induction_symbols(values) + 1; },
    .check = check,
};

}  // namespace braid
