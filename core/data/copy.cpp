#include "core/data/copy.h"

#include <algorithm>

#include "core/data/generated_source.h"

namespace braid {
namespace {

void draw(std::int64_t symbols, std::int64_t length, Random& random, DrawnSequence& sequence) {
    const auto separator = static_cast<std::int32_t>(symbols);
    std::fill(sequence.tokens.begin(), sequence.tokens.end(), separator + 1);
    const auto put = [&](std::int64_t at, std::int32_t token) {
        if (at < static_cast<std::int64_t>(sequence.tokens.size()))
            sequence.tokens[static_cast<std::size_t>(at)] = token;
    };
    put(length, separator);
    for (std::int64_t i = 0; i < length; ++i) {
        const auto symbol = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(symbols)));
        put(i, symbol);
        put(length + 1 + i, symbol);
        sequence.answers.push_back({.position = static_cast<std::int32_t>(length + i),
                                    .answer = symbol,
                                    .distance = static_cast<std::int32_t>(length + 1),
                                    .group = static_cast<std::int32_t>(3 * i / length)});
    }
}

}  // namespace

std::unique_ptr<DataSource> make_copy_task(const ParameterValues& values, std::int64_t context,
                                           std::uint64_t seed) {
    const std::int64_t symbols = copy_symbols(values);
    const std::int64_t length = copy_length(values, context);
    return make_generated_source(
        {.id = copy_task.id,
         .values = normalised(values, copy_task.parameters),
         .vocab = symbols + 2,
         .groups = {"copy/first", "copy/middle", "copy/last"},
         .evaluation_sequences = values.integer("evaluation_sequences", copy_task.parameters),
         .draw = [symbols, length](Random& random, std::int64_t,
                                   DrawnSequence& sequence) { draw(symbols, length, random, sequence); }},
        context, seed);
}

}  // namespace braid
