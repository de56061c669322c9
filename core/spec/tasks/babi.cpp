#include "core/spec/tasks/babi.h"

namespace braid {
namespace {

constexpr double most = 10'000;  // of each kind

Diagnostics check(const ParameterValues&, std::int64_t context) {
    if (context >= 32) return {};
    return {{.path = "training.context",
             .rule = "must be at least 32 for this task",
             .found = std::to_string(context)}};
}

}  // namespace

BabiParameters babi_parameters(const ParameterValues& values) {
    const auto& described = babi_task.parameters;
    return {.people = values.integer("people", described),
            .places = values.integer("places", described),
            .objects = values.integer("objects", described),
            .questions = values.real("questions", described),
            .evaluation_sequences = values.integer("evaluation_sequences", described)};
}

const TaskKind babi_task = {
    .id = "babi",
    .title = "Facts and questions",
    .help =
        "A story of people who move and carry objects, with questions where they are. Accuracy is measured "
        "by "
        "the number of facts an answer needs.",
    .citation = "after bAbI, Weston et al., 2015 (arXiv:1502.05698)",
    .parameters = {count_parameter("people", "People", "Who moves and carries.", 4, 1, most),
                   count_parameter("places", "Places", "Where they go; chance level is one in so many.", 6, 2,
                                   most),
                   count_parameter("objects", "Objects",
                                   "What they take and drop; 0: questions about people only.", 3, 0, most),
                   {.key = "questions",
                    .label = "Questions",
                    .help = "Probability that a question comes next, not a fact.",
                    .default_value = 0.25,
                    .minimum = 0.01,
                    .maximum = 0.9},
                   evaluation_sequences_parameter()},
    .vocab = [](const ParameterValues& values) { return babi_parameters(values).vocab(); },
    .check = check,
};

}  // namespace braid
