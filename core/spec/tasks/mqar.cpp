#include "core/spec/tasks/mqar.h"

namespace braid {
namespace {

Diagnostics check(const ParameterValues& values, std::int64_t context) {
    const MqarParameters parameters = mqar_parameters(values);
    Diagnostics problems;
    const auto at_least_pairs = [&](const char* key, std::int64_t value) {
        if (value < parameters.pairs)
            problems.push_back(
                {.path = std::string("data.") + key,
                 .rule = "must be at least the pairs (" + std::to_string(parameters.pairs) + ")",
                 .found = std::to_string(value)});
    };
    at_least_pairs("keys", parameters.keys);
    at_least_pairs("values", parameters.values);
    if (context < 4 * parameters.pairs)
        problems.push_back({.path = "training.context",
                            .rule = "must be at least 4 x the pairs (" +
                                    std::to_string(4 * parameters.pairs) + ") for this task",
                            .found = std::to_string(context)});
    return problems;
}

}  // namespace

MqarParameters mqar_parameters(const ParameterValues& values) {
    const auto& described = mqar_task.parameters;
    return {.keys = values.integer("keys", described),
            .values = values.integer("values", described),
            .pairs = values.integer("pairs", described),
            .power = values.real("power", described),
            .evaluation_sequences = values.integer("evaluation_sequences", described)};
}

const TaskKind mqar_task = {
    .id = "mqar",
    .title = "Multi-query associative recall",
    .help =
        "Pairs of key and value open the sequence; each key is asked once more at a gap drawn from a power "
        "law. Accuracy is measured by the distance to the value.",
    .citation = "Arora et al., Zoology, 2024 (arXiv:2312.04927)",
    .parameters =
        {{.key = "pairs",
          .label = "Pairs",
          .help = "Pairs of key and value that open a sequence, each asked once.",
          .default_value = std::int64_t{8},
          .minimum = 1,
          .maximum = 4'096},
         {.key = "keys",
          .label = "Keys",
          .help = "Different keys, of which a sequence uses some.",
          .default_value = std::int64_t{64},
          .minimum = 1,
          .maximum = 65'536},
         {.key = "values",
          .label = "Values",
          .help = "Different values; chance level is one in so many.",
          .default_value = std::int64_t{64},
          .minimum = 2,
          .maximum = 65'536},
         {.key = "power",
          .label = "Power",
          .help = "Gaps g have probability g^(power - 1): near 0 most questions come soon, 1 is uniform.",
          .default_value = 0.01,
          .minimum = 0,
          .maximum = 10},
         evaluation_sequences_parameter()},
    .vocab =
        [](const ParameterValues& values) {
            return mqar_parameters(values).keys + mqar_parameters(values).values;
        },
    .check = check,
};

}  // namespace braid
