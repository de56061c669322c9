#include "core/data/niah.h"

#include <algorithm>
#include <cmath>

#include "core/data/generated_source.h"

namespace braid {
namespace {

constexpr std::int32_t mark = 0;
constexpr std::int32_t ask = 1;
constexpr std::int64_t reserved = NiahParameters::signs;

// Where the needles begin, in random order; `wish` (of the first) in [0, 1] or negative.
std::vector<std::int64_t> place_needles(Random& random, std::int64_t haystack,
                                        const NiahParameters& parameters, double wish) {
    // Places of a haystack in which every needle is one token wide, then stretched.
    const std::int64_t extra = parameters.needle_tokens() - 1;
    const std::int64_t narrow = haystack - parameters.needles * extra;
    std::vector<std::int32_t> places = draw_distinct(random, narrow, parameters.needles);
    if (wish >= 0) {
        const auto wanted = static_cast<std::int32_t>(wish * static_cast<double>(narrow - 1));
        if (const auto taken = std::find(places.begin(), places.end(), wanted); taken != places.end())
            std::swap(*taken, places[0]);
        places[0] = wanted;
    }
    std::vector<std::int64_t> starts;
    for (const std::int32_t place : places)
        starts.push_back(place + extra * std::count_if(places.begin(), places.end(),
                                                       [&](std::int32_t other) { return other < place; }));
    return starts;
}

// wish: the depth of the first needle asked, or negative.
void draw(const NiahParameters& parameters, Random& random, double wish, DrawnSequence& sequence) {
    const auto context = static_cast<std::int64_t>(sequence.tokens.size());
    // The last token of the last answer is predicted, not read.
    const std::int64_t haystack = context + 1 - parameters.asked * parameters.needle_tokens();
    const std::int64_t first_filler = reserved + parameters.keys + parameters.values;
    const auto below = [&](std::int64_t n) {
        return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n)));
    };
    for (std::int64_t i = 0; i < haystack; ++i)
        sequence.tokens[static_cast<std::size_t>(i)] =
            static_cast<std::int32_t>(first_filler + below(parameters.filler));
    const std::vector<std::int64_t> starts = place_needles(random, haystack, parameters, wish);
    const std::vector<std::int32_t> keys = draw_distinct(random, parameters.keys, parameters.needles);
    std::vector<std::int32_t> values;
    for (std::int64_t i = 0; i < parameters.needles * parameters.value_tokens; ++i)
        values.push_back(static_cast<std::int32_t>(reserved + parameters.keys + below(parameters.values)));
    const auto write = [&](std::int64_t at, std::int32_t sign, std::size_t needle) {
        const auto put = [&](std::int64_t place, std::int32_t token) {
            if (place < context) sequence.tokens[static_cast<std::size_t>(place)] = token;
        };
        put(at, sign);
        put(at + 1, static_cast<std::int32_t>(reserved) + keys[needle]);
        for (std::int64_t v = 0; v < parameters.value_tokens; ++v)
            put(at + 2 + v, values[needle * static_cast<std::size_t>(parameters.value_tokens) +
                                   static_cast<std::size_t>(v)]);
    };
    for (std::size_t needle = 0; needle < starts.size(); ++needle) write(starts[needle], mark, needle);
    // Needle 0 is asked, and with it others; their order is random.
    std::vector<std::int32_t> order = draw_distinct(random, parameters.asked, parameters.asked);
    std::int64_t at = haystack;
    for (const std::int32_t needle : order) {
        write(at, ask, static_cast<std::size_t>(needle));
        const std::int64_t start = starts[static_cast<std::size_t>(needle)];
        const double depth = static_cast<double>(start) / static_cast<double>(std::max<std::int64_t>(
                                                              1, haystack - parameters.needle_tokens()));
        const auto group = std::min(niah_depths - 1, static_cast<std::int32_t>(depth * niah_depths));
        for (std::int64_t v = 0; v < parameters.value_tokens; ++v)
            sequence.answers.push_back(
                {.position = static_cast<std::int32_t>(at + 1 + v),
                 .answer = values[static_cast<std::size_t>(needle * parameters.value_tokens + v)],
                 .distance = static_cast<std::int32_t>(at - start),
                 .group = group});
        at += parameters.needle_tokens();
    }
}

}  // namespace

NiahQuestion niah_question(const ParameterValues& values, std::int64_t context, double depth,
                           std::uint64_t seed, std::int64_t index) {
    NiahParameters parameters = niah_parameters(values);
    parameters.asked = 1;
    // The haystack of each length and depth is another one.
    const auto place = static_cast<std::uint64_t>(std::llround(depth * 1e5));
    Random random(seed, "question/niah", static_cast<std::uint64_t>(context) << 20U | place,
                  static_cast<std::uint64_t>(index));
    DrawnSequence sequence;
    sequence.tokens.assign(static_cast<std::size_t>(context), 0);
    draw(parameters, random, depth, sequence);
    NiahQuestion question;
    for (const DrawnAnswer& answer : sequence.answers) question.answer.push_back(answer.answer);
    const DrawnAnswer& first = sequence.answers.front();
    question.prompt.assign(sequence.tokens.begin(), sequence.tokens.begin() + first.position + 1);
    const std::int64_t haystack = first.position - 1;
    question.needle = haystack - first.distance;
    question.depth = static_cast<double>(haystack - first.distance) /
                     static_cast<double>(std::max<std::int64_t>(1, haystack - parameters.needle_tokens()));
    return question;
}

Diagnostics check_niah_question(const ParameterValues& values, std::int64_t context) {
    ParameterValues one = values;
    one.set("asked", std::int64_t{1});
    return niah_task.check(one, context);
}

std::string niah_token_text(const ParameterValues& values, std::int32_t token) {
    const NiahParameters parameters = niah_parameters(values);
    if (token == mark) return "mark";
    if (token == ask) return "ask";
    std::int64_t number = token - reserved;
    if (number < parameters.keys) return "key-" + std::to_string(number);
    number -= parameters.keys;
    if (number < parameters.values) return "value-" + std::to_string(number);
    return "filler-" + std::to_string(number - parameters.values);
}

std::unique_ptr<DataSource> make_niah_task(const ParameterValues& values, std::int64_t context,
                                           std::uint64_t seed) {
    const NiahParameters parameters = niah_parameters(values);
    std::vector<std::string> groups;
    for (std::int32_t depth = 0; depth < niah_depths; ++depth)
        groups.push_back("niah/depth-" + std::to_string(depth));
    return make_generated_source(
        {.id = niah_task.id,
         .values = normalised(values, niah_task.parameters),
         .vocab = parameters.vocab(),
         .groups = std::move(groups),
         .evaluation_sequences = parameters.evaluation_sequences,
         .draw =
             [parameters](Random& random, std::int64_t number, DrawnSequence& sequence) {
                 const double wish = number < 0 ? -1
                                                : (static_cast<double>(number) + 0.5) /
                                                      static_cast<double>(parameters.evaluation_sequences);
                 draw(parameters, random, wish, sequence);
             }},
        context, seed);
}

}  // namespace braid
