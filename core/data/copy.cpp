#include "core/data/copy.h"

#include <algorithm>

#include "core/data/generated_source.h"

namespace braid {
namespace {

std::int64_t symbols_of(const ParameterValues& values) {
    return values.integer("symbols", copy_task.parameters);
}

std::int64_t length_of(const ParameterValues& values, std::int64_t context) {
    const std::int64_t length = values.integer("length", copy_task.parameters);
    return length == 0 ? context / 2 : length;
}

Diagnostics check(const ParameterValues& values, std::int64_t context) {
    const std::int64_t length = length_of(values, context);
    if (length >= 1 && 2 * length <= context) return {};
    return {{.path = context < 2 ? "training.context" : "data.length",
             .rule = context < 2 ? "must be at least 2 for this task"
                                 : "must be at most half the context (" + std::to_string(context / 2) + ")",
             .found = std::to_string(context < 2 ? context : length)}};
}

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
    .vocab = [](const ParameterValues& values) { return symbols_of(values) + 2; },
    .check = check,
    .make = [](const ParameterValues& values, std::int64_t context,
               std::uint64_t seed) -> std::unique_ptr<DataSource> {
        const std::int64_t symbols = symbols_of(values);
        const std::int64_t length = length_of(values, context);
        return make_generated_source(
            {.id = copy_task.id,
             .values = normalised(values, copy_task.parameters),
             .vocab = symbols + 2,
             .groups = {"copy/first", "copy/middle", "copy/last"},
             .evaluation_sequences = values.integer("evaluation_sequences", copy_task.parameters),
             .draw = [symbols, length](Random& random, std::int64_t,
                                       DrawnSequence& sequence) { draw(symbols, length, random, sequence); }},
            context, seed);
    },
};

}  // namespace braid
