#include "core/data/induction.h"

#include "core/data/generated_source.h"

namespace braid {
namespace {

void draw(std::int64_t symbols, std::int64_t sequences, Random& random, std::int64_t number,
          DrawnSequence& sequence) {
    const auto context = static_cast<std::int64_t>(sequence.tokens.size());
    for (std::int32_t& token : sequence.tokens)
        token = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(symbols)));
    const std::int64_t places = context - 2;  // the symbol lies before the last token
    const std::int64_t place =
        number < 0 ? static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(places)))
                   : number * places / sequences;
    const auto special = static_cast<std::int32_t>(symbols);
    sequence.tokens[static_cast<std::size_t>(place)] = special;
    sequence.tokens.back() = special;
    const std::int64_t distance = context - (place + 1);
    sequence.answers.push_back({.position = static_cast<std::int32_t>(context - 1),
                                .answer = sequence.tokens[static_cast<std::size_t>(place) + 1],
                                .distance = static_cast<std::int32_t>(distance),
                                .group = distance_group(distance, context)});
}

}  // namespace

std::unique_ptr<DataSource> make_induction_task(const ParameterValues& values, std::int64_t context,
                                                std::uint64_t seed) {
    const std::int64_t symbols = induction_symbols(values);
    const std::int64_t sequences = values.integer("evaluation_sequences", induction_task.parameters);
    return make_generated_source(
        {.id = induction_task.id,
         .values = normalised(values, induction_task.parameters),
         .vocab = symbols + 1,
         .groups = distance_groups(induction_task.id),
         .evaluation_sequences = sequences,
         .draw = [symbols, sequences](
                     Random& random, std::int64_t number,
                     DrawnSequence& sequence) { draw(symbols, sequences, random, number, sequence); }},
        context, seed);
}

}  // namespace braid
