#include "core/measure/text_answers.h"

#include <algorithm>

namespace braid {
namespace {

constexpr const char* breaks = "\r\n";

struct Line {
    std::string text = {};
    bool over = false;  // a line break follows
};

Line first_line(const std::string& said) {
    const std::size_t begin = std::min(said.find_first_not_of(breaks), said.size());
    const std::size_t end = said.find_first_of(breaks, begin);
    return {.text = said.substr(begin, end - begin), .over = end != std::string::npos};
}

}  // namespace

QuestionOptions text_answers(const Tokenizer& tokenizer, StopAt stop) {
    QuestionOptions options;
    const auto vocab = static_cast<std::size_t>(tokenizer.info().vocab);
    options.stops.assign(vocab, false);
    const auto set = [&](std::int32_t id) {
        if (id >= 0 && static_cast<std::size_t>(id) < vocab)
            options.stops[static_cast<std::size_t>(id)] = true;
    };
    set(tokenizer.info().bos);
    set(tokenizer.info().eos);
    for (const std::int32_t id : tokenizer.info().special) set(id);
    if (stop == StopAt::end_of_document) {
        options.text = [&tokenizer](std::span<const std::int32_t> ids) { return tokenizer.decode(ids); };
        return options;
    }
    options.text = [&tokenizer](std::span<const std::int32_t> ids) {
        return first_line(tokenizer.decode(ids)).text;
    };
    // Only such a token can end a line: the whole answer is not decoded for the others.
    std::vector<bool> breaking(vocab, false);
    for (std::size_t id = 0; id < vocab; ++id)
        breaking[id] =
            tokenizer.bytes(static_cast<std::int32_t>(id)).find_first_of(breaks) != std::string_view::npos;
    options.ended = [&tokenizer, breaking = std::move(breaking)](std::span<const std::int32_t> ids) {
        const auto last = static_cast<std::size_t>(ids.back());
        return last < breaking.size() && breaking[last] && first_line(tokenizer.decode(ids)).over;
    };
    return options;
}

}  // namespace braid
