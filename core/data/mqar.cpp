#include "core/data/mqar.h"

#include <algorithm>
#include <cmath>

#include "core/data/generated_source.h"

namespace braid {
namespace {

struct Parameters {
    std::int64_t keys, values, pairs;
    double power;
    std::int64_t evaluation_sequences;
};

Parameters parameters_of(const ParameterValues& values) {
    const auto& described = mqar_task.parameters;
    return {.keys = values.integer("keys", described),
            .values = values.integer("values", described),
            .pairs = values.integer("pairs", described),
            .power = values.real("power", described),
            .evaluation_sequences = values.integer("evaluation_sequences", described)};
}

Diagnostics check(const ParameterValues& values, std::int64_t context) {
    const Parameters parameters = parameters_of(values);
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

// `count` of the places 0..n-1 without replacement, place g with weight (g + 1)^(power - 1): those with the
// smallest exponential clocks (Efraimidis and Spirakis, 2006).
std::vector<std::int64_t> draw_gaps(Random& random, std::int64_t n, std::int64_t count, double power) {
    std::vector<std::pair<double, std::int64_t>> clocks;
    for (std::int64_t g = 0; g < n; ++g)
        clocks.emplace_back(-std::log1p(-random.uniform()) * std::pow(static_cast<double>(g + 1), 1 - power),
                            g);
    std::partial_sort(clocks.begin(), clocks.begin() + count, clocks.end());
    std::vector<std::int64_t> gaps;
    for (std::int64_t i = 0; i < count; ++i) gaps.push_back(clocks[static_cast<std::size_t>(i)].second);
    return gaps;
}

void draw(const Parameters& parameters, Random& random, DrawnSequence& sequence) {
    const auto context = static_cast<std::int64_t>(sequence.tokens.size());
    for (std::int32_t& token : sequence.tokens)
        token = static_cast<std::int32_t>(
            random.below(static_cast<std::uint64_t>(parameters.keys + parameters.values)));
    const std::vector<std::int32_t> keys = draw_distinct(random, parameters.keys, parameters.pairs);
    const std::vector<std::int32_t> values = draw_distinct(random, parameters.values, parameters.pairs);
    const std::int64_t opening = 2 * parameters.pairs;
    const std::vector<std::int64_t> gaps =
        draw_gaps(random, (context - opening) / 2, parameters.pairs, parameters.power);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto value = static_cast<std::int32_t>(parameters.keys) + values[i];
        sequence.tokens[2 * i] = keys[i];
        sequence.tokens[2 * i + 1] = value;
        const std::int64_t at = opening + 2 * gaps[i];
        sequence.tokens[static_cast<std::size_t>(at)] = keys[i];
        const std::int64_t distance = at + 1 - (2 * static_cast<std::int64_t>(i) + 1);
        sequence.answers.push_back({.position = static_cast<std::int32_t>(at),
                                    .answer = value,
                                    .distance = static_cast<std::int32_t>(distance),
                                    .group = distance_group(distance, context)});
    }
}

}  // namespace

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
            return parameters_of(values).keys + parameters_of(values).values;
        },
    .check = check,
    .make = [](const ParameterValues& values, std::int64_t context,
               std::uint64_t seed) -> std::unique_ptr<DataSource> {
        const Parameters parameters = parameters_of(values);
        return make_generated_source(
            {.id = mqar_task.id,
             .values = normalised(values, mqar_task.parameters),
             .vocab = parameters.keys + parameters.values,
             .groups = distance_groups(mqar_task.id),
             .evaluation_sequences = parameters.evaluation_sequences,
             .draw = [parameters](Random& random, std::int64_t,
                                  DrawnSequence& sequence) { draw(parameters, random, sequence); }},
            context, seed);
    },
};

}  // namespace braid
