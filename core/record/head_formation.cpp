#include "core/record/head_formation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace braid {
namespace {

tl::unexpected<Error> incomplete(const MeasurementRecord& trace, const std::string& what) {
    return fail(ErrorKind::corrupt, "not a usable trace: " + what, trace.file, "Measure the run again");
}

bool like_a_trace(const MeasuredArray* array) {
    return array != nullptr && array->axes.size() == 3 && array->values.size() == array->size() &&
           !array->axes[0].ticks.empty();
}

std::string number_text(const char* format, double value) {
    char number[32];
    std::snprintf(number, sizeof number, format, value);
    return number;
}

std::string ratio_text(const FormationPair& pair) {
    const std::optional<double> ratio = pair.ratio();
    return ratio ? number_text("%.2f times", *ratio) : "none in the first";
}

// "seed 3: 1.28 times, seed 5: 3.10 times"
std::string ratios_text(const std::vector<const FormationPair*>& pairs) {
    std::string text;
    for (const FormationPair* pair : pairs) {
        text.append(text.empty() ? "seed " : ", seed ").append(std::to_string(pair->seed));
        text.append(": ").append(ratio_text(*pair));
    }
    return text;
}

}  // namespace

Result<HeadFormation> head_formation(const MeasurementRecord& trace) {
    if (trace.kind != "trace")
        return fail(ErrorKind::invalid_input, "must be a trace, got " + trace.kind, trace.file);
    const MeasuredArray* mass = trace.find("mass");
    const MeasuredArray* entropy = trace.find("entropy");
    if (!like_a_trace(mass)) return incomplete(trace, "it has no mass by tokens, layer and head");
    if (!like_a_trace(entropy) || entropy->axes != mass->axes)
        return incomplete(trace, "it has no entropy by tokens, layer and head");
    const std::size_t times = mass->axes[0].ticks.size(), heads = mass->axes[2].ticks.size();
    const std::size_t places = mass->axes[1].ticks.size() * heads;
    std::optional<std::size_t> top;
    const auto at_end = [&](std::size_t place) { return mass->values[(times - 1) * places + place]; };
    for (std::size_t place = 0; place < places; ++place)
        if (std::isfinite(at_end(place)) && (!top || at_end(place) > at_end(*top))) top = place;
    if (!top) return incomplete(trace, "no head has a mass at its end");
    const auto tokens = [&](std::size_t time) -> double {
        const double* value = std::get_if<double>(&mass->axes[0].ticks[time]);
        return value != nullptr ? *value : std::nan("");
    };
    HeadFormation found{.layer = std::int64_t(*top / heads),
                        .head = std::int64_t(*top % heads),
                        .mass = at_end(*top),
                        .entropy_start = entropy->values[*top],
                        .entropy_end = entropy->values[(times - 1) * places + *top],
                        .tokens = tokens(times - 1),
                        .samples = mass->samples.empty() ? 0 : mass->samples[0]};
    if (!std::isfinite(found.tokens)) return incomplete(trace, "its tokens are no numbers");
    for (std::size_t time = 0; time < times && !found.formed; ++time) {
        if (!(mass->values[time * places + *top] >= formed_mass)) continue;
        found.formed = tokens(time);
        if (time > 0) found.not_before = tokens(time - 1);
    }
    return found;
}

std::optional<double> FormationPair::ratio() const {
    if (!early.formed || !(*early.formed > 0)) return std::nullopt;
    return late.formed.value_or(late.tokens) / *early.formed;
}

bool FormationPair::holds() const { return ratio().value_or(0) >= much_later; }

std::string formation_text(const std::vector<FormationPair>& pairs, const std::string& early,
                           const std::string& late) {
    if (pairs.empty()) return {};
    std::vector<const FormationPair*> later, never, others;
    for (const FormationPair& pair : pairs)
        (!pair.holds() ? others : pair.late.formed ? later : never).push_back(&pair);
    std::string text = "In ";
    text.append(std::to_string(later.size() + never.size())).append(" of ");
    text.append(std::to_string(pairs.size())).append(pairs.size() == 1 ? " seed " : " seeds ").append(late);
    text.append(" forms a retrieval head after at least ").append(number_text("%.1f", much_later));
    text.append(" times the tokens of ").append(early);
    if (!later.empty()) text.append(" (").append(ratios_text(later)).append(")");
    if (!never.empty()) {
        text.append(" or none by the end of the training (");
        for (const FormationPair* pair : never)
            text.append(pair != never.front() ? ", "
                        : never.size() == 1   ? "seed "
                                              : "seeds ")
                .append(std::to_string(pair->seed));
        text.append(")");
    }
    if (!others.empty()) text.append("; not so in ").append(ratios_text(others));
    return text.append(".");
}

}  // namespace braid
