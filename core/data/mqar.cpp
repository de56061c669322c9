#include "core/data/mqar.h"

#include <algorithm>
#include <cmath>

#include "core/data/generated_source.h"

namespace braid {
namespace {

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

void draw(const MqarParameters& parameters, Random& random, DrawnSequence& sequence) {
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

std::unique_ptr<DataSource> make_mqar_task(const ParameterValues& values, std::int64_t context,
                                           std::uint64_t seed) {
    const MqarParameters parameters = mqar_parameters(values);
    return make_generated_source(
        {.id = mqar_task.id,
         .values = normalised(values, mqar_task.parameters),
         .vocab = parameters.keys + parameters.values,
         .groups = distance_groups(mqar_task.id),
         .evaluation_sequences = parameters.evaluation_sequences,
         .draw = [parameters](Random& random, std::int64_t,
                              DrawnSequence& sequence) { draw(parameters, random, sequence); }},
        context, seed);
}

}  // namespace braid
